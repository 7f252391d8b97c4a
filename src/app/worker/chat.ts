/** Answers of the base and of the arms' adapters to one conversation, from the same random numbers, side by side. */
import { createRng } from "../../base/rng.ts";
import { PlaygroundError } from "../../base/errors.ts";
import type { Policy, TextCodec } from "../../training/policy.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { Params, Result } from "../protocol/messages.ts";

/** @throws PlaygroundError `run-state` for an arm that the run does not have. */
export async function answerChat(
  policy: Policy,
  codec: TextCodec,
  record: RunRecord | null,
  params: Params<"chat">,
): Promise<Result<"chat">> {
  const prompt = codec.encodePrompt(params.messages);
  const answers: { arm: string | null; text: string; ended: boolean }[] = [];
  for (const arm of params.arms) {
    const stream = createRng(params.seed, "chat");
    const [group] = await policy.rollout({
      prompts: [prompt],
      groupSize: 1,
      maxTokens: params.maxTokens,
      temperature: params.temperature,
      topK: 0,
      topP: 1,
      uniform: () => stream.next(),
      adapter: arm === null ? null : adapterOf(record, arm),
    });
    const [completion] = group ?? [];
    if (completion === undefined) throw noAnswer();
    answers.push({ arm, text: codec.decode(completion.tokens), ended: completion.ended });
  }
  return { answers };
}

function adapterOf(record: RunRecord | null, id: string): Float32Array {
  const arm = record?.arms.find((each) => each.id === id);
  if (arm !== undefined) return arm.adapter;
  throw new PlaygroundError({
    code: "run-state",
    where: "chat",
    expected: "an arm of the current run",
    got: `"${id}"`,
    next: "Make a run with this arm first.",
  });
}

function noAnswer(): PlaygroundError {
  return new PlaygroundError({
    code: "internal",
    where: "chat",
    expected: "one completion",
    got: "none",
    next: "This is a defect of the playground: please report it.",
  });
}
