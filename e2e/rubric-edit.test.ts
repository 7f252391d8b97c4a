/** Edits of the rubric while a run trains: from which step they count, what they leave alone, and what stays of them. */
import { expect, test } from "vitest";
import { onFreshPage } from "./fresh-page.ts";
import { ofKind, type Playground, SMALL, withoutTimes, type ExportedRow } from "./playground.ts";

const TEST_MS = 240_000;
const STEPS = 20;
const EDITED = "Says by when";
const WISH = "Sounds like a friend";

let play: Playground;

onFreshPage((fresh) => {
  ({ play } = fresh);
});

/** The pow3r arm's step, and the part of it that later weights cannot reach: what was sampled and each alpha. */
function pow3rStep(rows: readonly ExportedRow[], step: number): ExportedRow {
  const found = ofKind(rows, "step").find((row) => row["arm"] === "pow3r" && row["step"] === step);
  if (found === undefined) throw new Error(`no pow3r row of step ${step}`);
  return found;
}
const named = (row: ExportedRow, pattern: RegExp): ExportedRow =>
  Object.fromEntries(Object.entries(row).filter(([name]) => pattern.test(name)));
const ALPHAS = /^criteria\/.*\/alpha$/;
const PRESSURES = /^criteria\/.*\/pressure$/;

test(
  "a weight changed while it trains counts from the step that is named, and moves no alpha",
  async () => {
    await play.setUp(STEPS, SMALL);
    await play.finish("Train");
    const before = withoutTimes(await play.rows());
    await play.start("Start over");
    await play.stepReached(3);
    await play.weight(EDITED).fill("9");
    await play.weight(EDITED).press("Enter");
    const promise = await play.page.getByText(/your edit counts from step \d+/).textContent();
    const from = Number(/\d+/.exec(promise ?? "")?.[0]);
    await play.control("Start over").waitFor();
    const after = withoutTimes(await play.rows());

    expect(from).toBeGreaterThan(3);
    expect(from).toBeLessThan(STEPS);
    expect(ofKind(after, "rubric")).toEqual([
      {
        seed: 1,
        kind: "rubric",
        step: from,
        rubric_version: 2,
        summary: `Weight of "${EDITED}" 1 → 9.`,
        changes: expect.stringMatching(/^[a-z-]+\.weight: 1 → 9$/) as string,
      },
    ]);
    const versions = ofKind(after, "step").map((row) => Number(row["rubric_version"]));
    expect(versions).toEqual(
      Array.from({ length: STEPS }, (_, i) => (i + 1 < from ? [1, 1] : [2, 2])).flat(),
    );
    // up to the edit it is the run without it, number for number
    const earlier = (rows: ExportedRow[]): ExportedRow[] =>
      ofKind(rows, "step").filter((row) => Number(row["step"]) < from);
    expect(earlier(after)).toEqual(earlier(before));
    // alpha at the edited step hangs on the verdicts before it alone: none was reset, and some had moved
    const alphas = named(pow3rStep(after, from), ALPHAS);
    expect(alphas).toEqual(named(pow3rStep(before, from), ALPHAS));
    expect(Object.values(alphas).some((alpha) => Math.abs(Number(alpha) - 1) > 0.05)).toBe(true);
    expect(named(pow3rStep(after, from), PRESSURES)).not.toEqual(named(pow3rStep(before, from), PRESSURES));
    const mark = play.page.getByRole("region", { name: "Learning" }).getByText("rubric edited").first();
    await mark.waitFor();
  },
  TEST_MS,
);

test(
  "a wish in free words needs a judge, has no verdicts, and is kept with the rubric over a reload",
  async () => {
    await play.weight(EDITED).fill("7");
    await play.weight(EDITED).press("Enter");
    await play.page.getByRole("button", { name: "Add a criterion" }).click();
    const editor = play.page.getByRole("dialog", { name: "New criterion" });
    await editor.getByLabel("What should an answer do?").fill(WISH);
    await editor.getByRole("button", { name: "Use it" }).click();
    const row = play.page.getByRole("row").filter({ hasText: WISH });
    await row.getByText("needs a judge").waitFor();

    await play.setUp(2, SMALL);
    await play.finish("Train");
    const rows = await play.rows();
    const id = Object.keys(pow3rStep(rows, 2)).find((name) => /^criteria\/own-.*\/mean$/.test(name));
    if (id === undefined) throw new Error("the new criterion is not in the export");
    for (const step of ofKind(rows, "step")) {
      expect(step[id]).toBeNull();
      expect(step["judge/missing"]).toBe(SMALL["num_generations"]); // of each answer this one verdict
      expect(step["judge/failed"]).toBe(0);
      expect(step["reward"]).toBeGreaterThan(0);
    }
    for (const evaluation of ofKind(rows, "evaluation")) expect(evaluation[`eval_${id}`]).toBeNull();
    // passes and state: a dash each, no number
    expect(await row.locator(".cell-passes").textContent()).toContain("–");
    const dots = play.page.getByRole("region", { name: "Rollouts" }).locator(".verdict-dot.missing");
    expect(await dots.count()).toBeGreaterThanOrEqual(3);

    await play.page.reload();
    await row.getByText("needs a judge").waitFor();
    expect(await play.weight(EDITED).inputValue()).toBe("7");
  },
  TEST_MS,
);

test("a rubric without any weight is refused with its reason, and taken again once it has one", async () => {
  const weights = play.page.getByLabel(/^Weight of /);
  const count = await weights.count();
  for (let i = 0; i < count; i++) {
    await weights.nth(i).fill("0");
    await weights.nth(i).press("Enter");
  }
  const problem = play.page.getByRole("alert").filter({ hasText: "all weights are 0" });
  await problem.waitFor();
  expect(await problem.textContent()).toContain("give at least one criterion a weight above 0");
  expect(await play.control("Train").isEnabled()).toBe(false);
  await play.weight(EDITED).fill("1");
  await play.weight(EDITED).press("Enter");
  await problem.waitFor({ state: "detached" });
  expect(await play.control("Train").isEnabled()).toBe(true);
});
