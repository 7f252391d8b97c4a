/**
 * Over a thousand files with something broken in them, of every format: each gives an error with its places, or reads as exactly what
 * stands in it, by readers of a few lines that share nothing with the importer. Never a crash, never a silent change.
 */
import { expect, test } from "vitest";
import { defined } from "../../../base/assert.ts";
import { PlaygroundError } from "../../../base/errors.ts";
import { createRng, type Rng } from "../../../base/rng.ts";
import { importedFacts, plainFacts } from "../../../testing/plain-rubric-readers.ts";
import { realShapedFiles } from "../../../testing/real-shaped-files.ts";
import { healthBenchRow, sampleFiles } from "../../../testing/rubric-files.ts";
import { importRubric, type ImportedRubric } from "./import-rubric.ts";
import { formatNames } from "./registry.ts";

const MUTATIONS = 5000;
const SNIPPETS = [
  ...["null", "NaN", "-1", "-", "1e999", "0", "1", ".5", "e3", '"7"', '"', "'"],
  ...[
    "{",
    "}",
    "[",
    "]",
    "[]",
    "{}",
    ",",
    ":",
    "#",
    "&a",
    "*a",
    "\\",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\u0000",
    "\uFEFF",
  ],
  ...["weight", "not-", "é", "{{x}}"],
];

const below = (rng: Rng, end: number): number => Math.floor(rng.next() * end);

function mutated(text: string, rng: Rng): string {
  const at = below(rng, text.length);
  const length = 1 + below(rng, 12);
  const snippet = SNIPPETS[below(rng, SNIPPETS.length)] ?? "";
  switch (below(rng, 7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at) + snippet + text.slice(at);
    case 2:
      return text.slice(0, at) + snippet + text.slice(at + length);
    case 3:
      return text.slice(0, at);
    case 4:
      return text.slice(0, at) + text.slice(at, at + 40 * length) + text.slice(at);
    default:
      return otherNumber(text, at, snippet);
  }
}

/** Numbers are what a score hangs on: one of them becomes something else. */
function otherNumber(text: string, at: number, snippet: string): string {
  const numbers = [...text.matchAll(/-?\d+(?:\.\d+)?/g)];
  const chosen = numbers.find(({ index }) => index >= at) ?? numbers.at(-1);
  if (chosen === undefined) return text + snippet;
  return text.slice(0, chosen.index) + snippet + text.slice(chosen.index + chosen[0].length);
}

const files: readonly { readonly name: string; readonly text: string }[] = [
  ...realShapedFiles,
  ...formatNames.map((name) => sampleFiles[name]),
  {
    name: "many.jsonl",
    text: Array.from({ length: 12 }, (_, n) => `${JSON.stringify(healthBenchRow(n))}\n`).join(""),
  },
];

test.each(files)("$name, whole, reads as what stands in it", ({ name, text }) => {
  const { set, format } = importRubric(text, { name });
  expect([...importedFacts(set, format)].sort()).toEqual([...plainFacts(text, name, format)].sort());
});

/** As the page says it: the file first, then each further place. */
function expectPlaces(error: PlaygroundError, name: string): void {
  expect(error.code).toBe("rubric-invalid");
  expect(error.where.startsWith(name)).toBe(true);
  expect(error.message).not.toMatch(/undefined|\[object/);
  const [, further] = error.message.split(" Further problems: ");
  const listed = further?.replace(/\.$/, "").split("; ").length ?? 0;
  expect(listed).toBeLessThanOrEqual(20);
}

test("a broken file gives an error that names it, or what stands in it", () => {
  const ends = { refused: 0, placed: 0, read: 0, changed: 0 };
  for (let index = 0; index < MUTATIONS; index++) {
    const { name, text } = files[index % files.length] ?? defined(files[0], "a file");
    const broken = mutated(text, createRng(5, "mutation", index));
    let imported: ImportedRubric;
    try {
      imported = importRubric(broken, { name });
    } catch (error) {
      if (!(error instanceof PlaygroundError)) throw error;
      expectPlaces(error, name);
      ends.refused++;
      ends.placed += Number(/row \d|line \d|[[\]]|column/.test(error.where));
      continue;
    }
    const { set, format } = imported;
    const taken = [...importedFacts(set, format)].sort();
    expect(taken, `mutation ${index} of ${name}`).toEqual([...plainFacts(broken, name, format)].sort());
    expect(set.criteria.some(({ weight }) => weight > 0)).toBe(true);
    ends.read++;
    ends.changed += Number(taken.join() !== [...plainFacts(text, name, format)].sort().join());
  }
  // each end is met often: neither everything nor nothing is refused, and much of what is read was changed by the mutation
  expect(ends.refused).toBeGreaterThan(MUTATIONS / 4);
  expect(ends.placed).toBeGreaterThan(ends.refused / 4);
  expect(ends.changed).toBeGreaterThan(MUTATIONS / 10);
});
