/** The chat's turns with the model: it takes the lock between two training steps, and ends when a person says so. */
import { checkRoom } from "../../training/room.ts";
import type { WorkerEvent } from "../protocol/messages.ts";
import { answerChats } from "./chat.ts";
import type { Handlers } from "./dispatch.ts";
import type { LoadedModelHost } from "./loaded-model.ts";
import type { Lock } from "./lock.ts";
import type { RunSession } from "./run-session.ts";

interface ChatHost {
  readonly model: () => LoadedModelHost;
  readonly session: Pick<RunSession, "record">;
  readonly lock: Lock;
  readonly emit: (event: WorkerEvent) => void;
}

export function chatHandlers({ model, session, lock, emit }: ChatHost): Pick<Handlers, "chat" | "stopChat"> {
  const open = new Map<number, AbortController>();
  return {
    chat: async (params) => {
      const { id, chats, maxTokens } = params;
      const { codec, policyFor, maxPositions } = model();
      for (const { messages } of chats)
        checkRoom(maxPositions, codec.encodePrompt(messages), maxTokens, "chat");
      const { signal } = register(open, id);
      const onText = (arm: string | null, text: string): void => {
        emit({ kind: "chat", id, arm, text });
      };
      try {
        return await lock(async () => {
          const { record } = session; // as of now: a step may have ended while it waited
          const policy = await policyFor(record?.spec.grpo.lora ?? null);
          return answerChats({ policy, codec, record, signal, onText }, params);
        });
      } finally {
        open.delete(id);
      }
    },
    stopChat: ({ id }) => {
      open.get(id)?.abort();
      return Promise.resolve({});
    },
  };
}

function register(open: Map<number, AbortController>, id: number): AbortController {
  const controller = new AbortController();
  open.set(id, controller);
  return controller;
}
