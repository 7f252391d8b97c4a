/**
 * `import-rubric`: a HealthBench-shaped file of 10,000 rows from its text to a rubric (aim 3 s). `score-rubric`: 16 rollouts by
 * 20 programmatic criteria (aim 5 ms).
 */
import { importRubric } from "../src/domain/rubric/formats/import-rubric.ts";
import { checks } from "../src/domain/rubric/checks/registry.ts";
import { customerReply } from "../src/domain/scenarios/customer-reply.ts";
import { defined } from "../src/base/assert.ts";
import { healthBenchRow } from "../src/testing/rubric-files.ts";
import { judgeGroups } from "../src/training/judging.ts";
import { type Bench, plainFigure } from "./figure.ts";

const ROWS = 10_000;
/** As many criteria a row as HealthBench has on average, about. */
const POINTS = [7, 5, 10, -6, 4, 3, 8, -2, 5, 6, 2];
const IMPORTS = 5;
const SCORINGS = 200;
const G = 16;
const C = 20;

export const importBench: Bench = ({ pairs, print }) => {
  const text = Array.from({ length: ROWS }, (_, n) => JSON.stringify(healthBenchRow(n, POINTS))).join("\n");
  const seconds = Array.from({ length: pairs ?? IMPORTS }, () => {
    const from = performance.now();
    const { set } = importRubric(text, { name: "rows.jsonl" });
    const took = (performance.now() - from) / 1000;
    print(
      `${set.prompts.length} prompts, ${set.criteria.length} criteria, ${(text.length / 1e6).toFixed(1)} MB: ${took.toFixed(2)} s`,
    );
    return took;
  });
  return Promise.resolve([plainFigure("import-rubric", "s", seconds)]);
};

export const scoreBench: Bench = async ({ pairs }) => {
  const own = customerReply.setUps[0].rubric.criteria.filter(({ check }) => check !== null);
  const criteria = Array.from({ length: C }, (_, i) => defined(own[i % own.length], "a criterion"));
  const prompt = defined(customerReply.trainPrompts[0], "a prompt");
  const said =
    "Dear Nadia, we are sorry that the kettle leaks. Please unplug it, and we will send a new one. Your desk.";
  // new texts every time: what is remembered of a text must not help
  const answersOf = (time: number) =>
    Array.from({ length: G }, (_, i) => ({
      text: `${said} ${said} ${String(i)} ${String(time)}`,
      ended: true,
    }));
  const times: number[] = [];
  for (let i = 0; i < (pairs ?? SCORINGS); i++) {
    const answers = answersOf(i);
    const from = performance.now();
    await judgeGroups({ checks }, criteria, [{ prompt, answers }]);
    times.push(performance.now() - from);
  }
  return [plainFigure("score-rubric", "ms", times)];
};
