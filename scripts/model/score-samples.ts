/**
 * Scores sampled replies by every scenario's criteria: `npx tsx scripts/model/score-samples.ts FILE.jsonl [--json]`.
 *
 * Input: one object a line, `{"scenario", "prompt", "fields", "reply", "ended"}` (measure_quality.py writes it). Prints
 * the pass rate of each criterion, its kind (dead under 2 %, can wake up at 3-8 %, learning at 10-90 %, saturated
 * above 98 %), and what the issue asks of each scenario.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { z } from "zod";
import { checks } from "../../src/domain/rubric/checks/registry.ts";
import type { Criterion } from "../../src/domain/rubric/schema.ts";
import { scenarios } from "../../src/domain/scenarios/registry.ts";
import { judgeAnswers } from "../../src/training/judging.ts";

const sampleSchema = z.object({
  scenario: z.string(),
  prompt: z.string(),
  fields: z.record(z.string(), z.string()),
  reply: z.string(),
  ended: z.boolean(),
});
type Sample = z.infer<typeof sampleSchema>;

export interface Rate {
  readonly id: string;
  readonly category: string;
  readonly rate: number;
  /** Samples with a verdict. */
  readonly judged: number;
}

async function passRates(criteria: readonly Criterion[], samples: readonly Sample[]): Promise<Rate[]> {
  const groups = samples.map(({ reply: text, ended, prompt, fields }) => ({
    prompt: { text: prompt, fields },
    answers: [{ text, ended }],
  }));
  const rows = (await judgeAnswers({ checks }, criteria, groups)).flat();
  return criteria.map(({ id, category }, j) => {
    const verdicts = rows.map((row) => row[j]?.verdict ?? null).filter((verdict) => verdict !== null);
    const sum = verdicts.reduce((total, verdict) => total + verdict, 0);
    return { id, category, rate: sum / verdicts.length, judged: verdicts.length };
  });
}

function kindOf(rate: number): string {
  if (rate < 0.02) return "dead";
  if (rate > 0.98) return "saturated";
  if (rate >= 0.03 && rate <= 0.08) return "can wake up";
  return rate >= 0.1 && rate <= 0.9 ? "learning" : "between";
}

function report(id: string, rates: readonly Rate[]): string {
  const count = (kind: string): number => rates.filter(({ rate }) => kindOf(rate) === kind).length;
  const flat = ({ rate }: Rate): boolean => ["dead", "saturated"].includes(kindOf(rate));
  const categories = [...new Set(rates.map(({ category }) => category))];
  const mixed = categories.filter((category) => {
    const own = rates.filter((rate) => rate.category === category);
    return own.some(flat) && own.some(({ rate }) => kindOf(rate) === "learning");
  });
  const lines = rates.map(
    ({ id: criterion, category, rate, judged }) =>
      `${category.padEnd(11)} ${criterion.padEnd(18)} ${rate.toFixed(4)}  ${kindOf(rate)} (${judged})`,
  );
  return [
    `# ${id}`,
    ...lines,
    `dead ${count("dead")} (2 asked), saturated ${count("saturated")} (2), can wake up ${count("can wake up")} (2), ` +
      `learning ${count("learning")} (4), categories with a flat and a learning one ${mixed.length} of ${categories.length}`,
  ].join("\n");
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: "boolean", default: false } },
});
const samples = readFileSync(positionals[0] ?? "/dev/stdin", "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => sampleSchema.parse(JSON.parse(line)));
const scored = Object.entries(scenarios)
  .map(([id, scenario]) => ({ id, scenario, own: samples.filter((sample) => sample.scenario === id) }))
  .filter(({ own }) => own.length > 0)
  .map(async ({ id, scenario, own }) => ({
    id,
    rates: await passRates(scenario.setUps[0].rubric.criteria, own),
  }));
const results = await Promise.all(scored);
if (values.json) console.log(JSON.stringify(results));
else for (const { id, rates } of results) console.log(report(id, rates));
