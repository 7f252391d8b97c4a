/** Our loader beside transformers' own: the same tensors with the same values, for the fixtures and the bundled model. */
import { expect, it } from "vitest";
import { defined } from "../../base/assert.ts";
import { bundledModelFolders, bundledModelMissing } from "../../testing/bundled-model.ts";
import { FIXTURE_MODELS, fixtureFolder, folderSource } from "../../testing/model-fixtures.ts";
import { askOracle, describeWithOracle } from "../../testing/oracle.ts";
import { type LoadedModel, loadModel } from "./load-model.ts";

interface Answer {
  readonly endTokenIds: readonly number[];
  readonly tensors: Readonly<
    Record<string, { readonly shape: number[]; readonly sum: number; readonly sumOfSquares: number }>
  >;
}

async function compare(folders: readonly string[]): Promise<void> {
  const answers = askOracle("scripts/oracles/weight_sums.py", folders) as Answer[];
  expect(answers).toHaveLength(folders.length);
  for (const [i, folder] of folders.entries()) {
    compareModel(await loadModel(folderSource(folder)), defined(answers[i], folder));
  }
}

function compareModel(ours: LoadedModel, theirs: Answer): void {
  expect([...ours.weights.keys()].sort()).toEqual(Object.keys(theirs.tensors).sort());
  expect(ours.endTokenIds).toEqual(theirs.endTokenIds);
  for (const [name, { dims, data }] of ours.weights) {
    const expected = defined(theirs.tensors[name], name);
    let sum = 0;
    let sumOfSquares = 0;
    for (const value of data as Float32Array) {
      sum += value;
      sumOfSquares += value * value;
    }
    expect(dims, name).toEqual(expected.shape);
    expect(Math.abs(sum - expected.sum), name).toBeLessThan(1e-9 * data.length);
    expect(sumOfSquares / expected.sumOfSquares, name).toBeCloseTo(1, 10);
  }
}

describeWithOracle("loadModel beside transformers", () => {
  it("reads the tensors of the fixtures", async () => {
    await compare(FIXTURE_MODELS.map(fixtureFolder));
  });
});

describeWithOracle(
  "loadModel beside transformers, bundled model",
  () => {
    it("reads the tensors of what ships", async () => {
      await compare(bundledModelFolders("config.json", "model.safetensors"));
    });
  },
  bundledModelMissing("config.json", "model.safetensors"),
);
