/**
 * Answers of the base and of the arms' adapters, from the same random numbers, side by side. Its stream is keyed by (seed, "chat"):
 * the run's own streams are not touched.
 */
import { createRng } from "../../base/rng.ts";
import { PlaygroundError } from "../../base/errors.ts";
import { isAborted } from "../../training/abort.ts";
import type { Policy, TextCodec } from "../../training/policy.ts";
import type { RunRecord } from "../../training/run-record.ts";
import type { Chat, ChatAnswer } from "../protocol/chat-messages.ts";
import type { Params, Result } from "../protocol/messages.ts";

/** Tokens between two looks at what has been written, and at whether it is to end. */
const CHUNK_TOKENS = 4;
/** Stands where a character's bytes are not all there yet. */
const HALF = /\uFFFD+$/;

export interface ChatDeps {
  readonly policy: Policy;
  readonly codec: TextCodec;
  /** Whose arms answer; null = only the base can. */
  readonly record: RunRecord | null;
  readonly signal: AbortSignal;
  /** Called with an unfinished answer's text. */
  readonly onText: (arm: string | null, text: string) => void;
}

/** One answer after the other; a stop ends the present one where it is, and begins no other. @throws PlaygroundError `run-state` for an arm that the run does not have. */
export async function answerChats(deps: ChatDeps, params: Params<"chat">): Promise<Result<"chat">> {
  const answers: ChatAnswer[] = [];
  for (const chat of params.chats) {
    if (deps.signal.aborted) break;
    answers.push(await answerOne(deps, chat, params));
  }
  return { answers };
}

async function answerOne(
  { policy, codec, record, signal, onText }: ChatDeps,
  { arm, messages }: Chat,
  { temperature, seed, maxTokens }: Params<"chat">,
): Promise<ChatAnswer> {
  const stream = createRng(seed, "chat");
  const adapter = arm === null ? null : adapterOf(record, arm);
  let text = "";
  try {
    const [group] = await policy.rollout({
      prompts: [codec.encodePrompt(messages)],
      groupSize: 1,
      maxTokens,
      temperature,
      topK: 0,
      topP: 1,
      uniform: () => stream.next(),
      adapter,
      signal,
      chunkTokens: CHUNK_TOKENS,
      onTokens: ([tokens]) => {
        text = codec.decode(tokens ?? new Int32Array()).replace(HALF, "");
        onText(arm, text);
      },
    });
    const [completion] = group ?? [];
    if (completion === undefined) throw noAnswer();
    return { arm, text: codec.decode(completion.tokens), end: completion.ended ? "finished" : "length" };
  } catch (error) {
    if (isAborted(error)) return { arm, text, end: "stopped" };
    throw error;
  }
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
