/** What page and worker say to each other in the chat: the base and every arm's adapter answer side by side, as they write. */
import type { ChatMessage } from "../../domain/run/spec.ts";

/** Who answers, and the conversation so far, which differs between arms where their answers did. */
export interface Chat {
  /** null = the base. */
  readonly arm: string | null;
  readonly messages: readonly ChatMessage[];
}

export interface ChatAnswer {
  readonly arm: string | null;
  readonly text: string;
  /** By an end token, by the length limit, or by a person. */
  readonly end: "finished" | "length" | "stopped";
}

export interface ChatRequests {
  /**
   * One answer in each chat, from the same random numbers; `chat` events tell the texts meanwhile. Waits for the training step at
   * hand, and training for it; no number of the run depends on it.
   */
  chat: {
    params: {
      /** Names it in events and in `stopChat`. */
      id: number;
      chats: readonly Chat[];
      /** 0 = greedy. */
      temperature: number;
      seed: number;
      maxTokens: number;
    };
    /** Those that were begun. */
    result: { answers: readonly ChatAnswer[] };
  };
  /** Ends a chat within a few tokens; what it has written so far stays. */
  stopChat: { params: { id: number }; result: Record<string, never> };
}

/** An unfinished answer's text so far. */
export interface ChatEvent {
  readonly kind: "chat";
  readonly id: number;
  readonly arm: string | null;
  readonly text: string;
}
