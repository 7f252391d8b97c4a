/**
 * Writes the scenarios' held-out prompts as `{"scenario", "prompt", "fields"}` lines for measure_quality.py:
 * `npx tsx scripts/model/write-prompts.ts [--out .cache/corpus]`.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { scenarios } from "../../src/domain/scenarios/registry.ts";

const { values } = parseArgs({ options: { out: { type: "string", default: ".cache/corpus" } } });
const lines = Object.values(scenarios).flatMap(({ id, heldOutPrompts }) =>
  heldOutPrompts.map(({ messages, fields }) =>
    JSON.stringify({ scenario: id, prompt: messages[0]?.content, fields }),
  ),
);
mkdirSync(values.out, { recursive: true });
writeFileSync(`${values.out}/scenario-prompts.jsonl`, lines.join("\n") + "\n");
