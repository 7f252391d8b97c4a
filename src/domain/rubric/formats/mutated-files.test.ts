/**
 * A thousand files with something broken in them: each gives an error with a place, or reads as what stands in the file, by a
 * reader of a few lines that knows nothing of the importer. Never a crash, never a silent change.
 */
import { expect, test } from "vitest";
import { defined } from "../../../base/assert.ts";
import { PlaygroundError } from "../../../base/errors.ts";
import { createRng, type Rng } from "../../../base/rng.ts";
import { healthBenchRow, sampleFiles } from "../../../testing/rubric-files.ts";
import { importRubric } from "./import-rubric.ts";
import { formatNames, type FormatName } from "./registry.ts";

const MUTATIONS = 1100;
const SNIPPETS = [
  "null",
  "NaN",
  "-1",
  "1e999",
  '"',
  "{",
  "}",
  "[",
  "]",
  ",",
  "\n",
  "\u0000",
  "\uFEFF",
  "0",
  "[]",
  "{}",
  "weight",
  "é",
];

const below = (rng: Rng, end: number): number => Math.floor(rng.next() * end);

function mutated(text: string, rng: Rng): string {
  const at = below(rng, text.length);
  const length = 1 + below(rng, 12);
  const snippet = SNIPPETS[below(rng, SNIPPETS.length)] ?? "";
  switch (below(rng, 5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + snippet + text.slice(at);
    case 2:
      return text.slice(0, at) + snippet + text.slice(at + length);
    case 3:
      return text.slice(0, at);
    default:
      return text.slice(0, at) + text.slice(at, at + 40 * length) + text.slice(at);
  }
}

const files = formatNames.map((name): [FormatName, string, string] => [
  name,
  sampleFiles[name].name,
  sampleFiles[name].text,
]);
files.push([
  "healthbench",
  "many.jsonl",
  Array.from({ length: 12 }, (_, n) => `${JSON.stringify(healthBenchRow(n))}\n`).join(""),
]);

test("a broken file gives an error that names it, or what stands in it", () => {
  let refused = 0;
  for (let index = 0; index < MUTATIONS; index++) {
    const [, name, text] = files[index % files.length] ?? defined(files[0], "a file");
    const broken = mutated(text, createRng(5, "mutation", index));
    try {
      const { set } = importRubric(broken, { name });
      expect(set.criteria.some(({ weight }) => weight > 0)).toBe(true);
      for (const { text: words, weight, id } of set.criteria) {
        expect(Number.isFinite(weight) && weight >= 0, `weight of ${id}, mutation ${index}`).toBe(true);
        expect(words.trim(), `text of ${id}, mutation ${index}`).not.toBe("");
      }
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      expect(error.code).toBe("rubric-invalid");
      expect(error.where.startsWith(name)).toBe(true);
      expect(error.message).not.toContain("undefined");
      refused++;
    }
  }
  // neither everything nor nothing is refused
  expect(refused).toBeGreaterThan(MUTATIONS / 4);
  expect(refused).toBeLessThan(MUTATIONS);
});

test("what is read of a broken HealthBench file is what JSON says stands there", () => {
  const text = files.at(-1)?.[2] ?? "";
  let read = 0;
  for (let index = 0; index < 400; index++) {
    const broken = mutated(text, createRng(6, "mutation", index));
    let criteria;
    try {
      ({ criteria } = importRubric(broken, { name: "many.jsonl" }).set);
    } catch {
      continue;
    }
    read++;
    const rows = broken
      .replace(/^\uFEFF/, "")
      .split(/\r?\n/)
      .filter((line) => line.trim() !== "")
      .map(
        (line): { rubrics: { criterion: string; points: number | string }[] } => JSON.parse(line) as never,
      );
    const stand = new Set(
      rows.flatMap(({ rubrics }) =>
        rubrics.map(({ criterion, points }) => `${criterion.trim()} ${Number(points)}`),
      ),
    );
    const taken = new Set(
      criteria.map(({ text: words, weight, penalty }) => `${words} ${penalty === true ? -weight : weight}`),
    );
    expect([...taken].sort(), `mutation ${index}`).toEqual([...stand].sort());
  }
  expect(read).toBeGreaterThan(40);
});
