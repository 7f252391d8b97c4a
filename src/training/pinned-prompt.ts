/** One prompt followed through training: a few answers of every arm at every evaluation, without judge noise. */
import type { RolloutGroup } from "../domain/run/records.ts";
import type { ScenarioPrompt } from "../domain/run/spec.ts";
import type { TrainingDeps } from "./deps.ts";
import { rolloutGroup } from "./rollout-group.ts";
import { sampleGroups } from "./rollout.ts";
import { armSpecOf, rubricAt, type RunRecord } from "./run-record.ts";
import { scoreSampled } from "./scoring.ts";

/** Answers per arm; enough to compare, cheap beside an evaluation. */
const ANSWERS = 4;

/** The prompt of the run with this id, trained on or held out. */
export function findPrompt(record: RunRecord, promptId: string): ScenarioPrompt | null {
  const { trainPrompts, heldOutPrompts } = record.spec;
  return [...trainPrompts, ...heldOutPrompts].find((prompt) => prompt.id === promptId) ?? null;
}

/** The pinned prompt's groups as of a step (0 = the base's answers, or the start adapter's), one per arm; none when nothing is pinned. */
export async function answerPinned(
  deps: TrainingDeps,
  record: RunRecord,
  step: number,
  signal: AbortSignal | undefined,
): Promise<RolloutGroup[]> {
  const prompt = record.pinnedPromptId === null ? null : findPrompt(record, record.pinnedPromptId);
  if (prompt === null) return [];
  const spec = { ...record.spec, judgeNoise: 0 };
  const rubric = rubricAt(record, step);
  const { criteria } = rubric.rubric;
  const groups: RolloutGroup[] = [];
  for (const arm of record.arms) {
    const sampled = await sampleGroups(deps.policy, deps.codec, {
      prompts: [prompt],
      groupSize: ANSWERS,
      adapter: step === 0 ? record.start : arm.adapter,
      sampling: spec.grpo,
      seed: spec.seed,
      stream: ["pinned", step],
      signal,
    });
    const plan = { spec, step, rubric, prompts: [prompt], reference: record.start, endsEpoch: false, signal };
    const context = { arm, armSpec: armSpecOf(spec, arm.id), criteria, plan };
    const placement = { arm: arm.id, step, criteria };
    groups.push(
      ...(await scoreSampled(deps, context, sampled)).map((group) =>
        rolloutGroup(deps.codec, group, placement),
      ),
    );
  }
  return groups;
}
