/** How a check that runs what people write turns a sandbox's results into verdicts: whatever is no result is missing, and counted. */
import type { SandboxResult, SandboxTask } from "../sandbox.ts";
import type { Answer } from "../verdicts.ts";
import type { CheckedJudgement, CheckTools } from "./check.ts";

/** [N] one result a text. */
export async function askSandbox(
  { sandbox }: CheckTools,
  task: SandboxTask,
  texts: readonly string[],
): Promise<readonly SandboxResult[]> {
  if (sandbox !== null) return sandbox.run(task, texts);
  return texts.map(() => ({ kind: "none", reason: "there is no sandbox here to run it in" }));
}

export function missingFor(reason: string): CheckedJudgement {
  return { verdict: null, reason, spans: [], failed: true };
}

/** [G] 1 where the pattern stands in the answer. */
export async function judgePattern(
  tools: CheckTools,
  { pattern, flags }: { readonly pattern: string; readonly flags: string },
  answers: readonly Answer[],
): Promise<readonly CheckedJudgement[]> {
  const texts = answers.map(({ text }) => text);
  const results = await askSandbox(tools, { kind: "pattern", pattern, flags }, texts);
  return results.map((result, i) => {
    if (result.kind !== "matches") return missingFor(reasonOf(result, "the pattern"));
    const [first] = result.spans;
    if (first === undefined)
      return { verdict: 0, reason: `no match of ${pattern}`, spans: [], failed: false };
    const found = texts[i]?.slice(...first).slice(0, 60) ?? "";
    return { verdict: 1, reason: `matches "${found}"`, spans: result.spans, failed: false };
  });
}

/** [G] What an expression says of each answer. */
export async function judgeExpression(
  tools: CheckTools,
  task: Extract<SandboxTask, { kind: "expression" }>,
  answers: readonly Answer[],
): Promise<readonly CheckedJudgement[]> {
  const results = await askSandbox(
    tools,
    task,
    answers.map(({ text }) => text),
  );
  return results.map((result) =>
    result.kind === "value"
      ? { verdict: result.value, reason: `the expression says ${result.said}`, spans: [], failed: false }
      : missingFor(reasonOf(result, "the expression")),
  );
}

/** Why there is no verdict, in words. */
export function reasonOf(result: SandboxResult, what: string): string {
  return `${what} gave no verdict: ${result.kind === "none" ? result.reason : "an unexpected result"}`;
}
