/** Models under a scaled RoPE give transformers' logits, from config.json and from GGUF (scripts/fixtures/make_gguf_fixtures.py). */
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { wholeFile, type ModelSource } from "../../engine/weights/model-source.ts";
import { loadModel } from "../../engine/weights/load-model.ts";
import { fixtureSource, readFixtureJson } from "../../testing/model-fixtures.ts";
import { largestDifference, modelLogits } from "../../testing/model-logits.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";

interface Case {
  readonly name: string;
  readonly model: string;
  readonly rope: object;
  readonly gguf: string | null;
  readonly ids: readonly number[];
  readonly logits: string;
}

const { cases } = readFixtureJson("../gguf/rope-logits.json") as { readonly cases: readonly Case[] };
const engines = await Promise.all(NODE_ENGINES.map(async ([kind, open]) => ({ kind, engine: await open() })));
afterAll(() => Promise.all(engines.map(({ engine }) => engine.dispose())));

/** A fixture model whose config.json has these fields of RoPE and no others. */
function withRope(model: string, rope: object): ModelSource {
  const fields = Object.entries(readFixtureJson(`${model}/config.json`) as object);
  const config = { ...Object.fromEntries(fields.filter(([name]) => !name.startsWith("rope_"))), ...rope };
  return fixtureSource(model, { "config.json": new TextEncoder().encode(JSON.stringify(config)) });
}

function ggufSource(name: string): ModelSource {
  const url = new URL(`../../testing/fixtures/gguf/${name}.gguf`, import.meta.url);
  const file = wholeFile("model.gguf", new Uint8Array(readFileSync(url)));
  return {
    name,
    read: () => Promise.resolve(null),
    list: () => Promise.resolve(["model.gguf"]),
    open: () => Promise.resolve(file),
  };
}

const expected = (logits: string): Float32Array => new Float32Array(Buffer.from(logits, "base64").buffer);

describe.each(engines)("scaled RoPE on $kind", ({ engine }) => {
  it.each(cases)("gives transformers' logits: $name of $model", async ({ model, rope, ids, logits }) => {
    const loaded = await loadModel(withRope(model, rope));
    const own = await modelLogits(engine, loaded, Int32Array.from(ids));
    expect(own).toHaveLength(ids.length);
    expect(largestDifference(own, expected(logits))).toBeLessThan(1e-4);
    // the control: plain RoPE of the same weights is told apart
    const plain = { ...loaded.config };
    Reflect.deleteProperty(plain, "ropeScaling");
    const other = await modelLogits(engine, { ...loaded, config: plain }, Int32Array.from(ids));
    expect(largestDifference(other, expected(logits))).toBeGreaterThan(0.1);
  });

  it.each(cases.filter(({ gguf }) => gguf !== null))("gives them from $gguf.gguf", async (row) => {
    const loaded = await loadModel(ggufSource(row.gguf ?? ""));
    const own = await modelLogits(engine, loaded, Int32Array.from(row.ids));
    expect(largestDifference(own, expected(row.logits))).toBeLessThan(1e-4);
  });
});
