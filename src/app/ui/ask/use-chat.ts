/** A chat with the base and every arm: turns with their answers as they are written, one question at a time. */
import { useEffect, useRef, useState } from "react";
import type { FaultMessage } from "../../../base/errors.ts";
import type { ChatMessage } from "../../../domain/run/spec.ts";
import type { ChatAnswer } from "../../protocol/chat-messages.ts";
import { requestFault } from "../../protocol/client.ts";
import { useActions } from "../app-context.ts";

/** An answer; `end` null while it is being written. */
export interface Written extends Pick<ChatAnswer, "text"> {
  readonly end: ChatAnswer["end"] | null;
}

export interface Turn {
  readonly message: string;
  /** By arm, "" = the base; none where it was not begun. */
  readonly answers: Readonly<Record<string, Written>>;
}

export interface ChatSettings {
  /** Empty = none. */
  readonly system: string;
  readonly temperature: number;
  readonly seed: number;
  readonly maxTokens: number;
}

/** Chats are told apart over all sheets of the page's life. */
let lastId = 0;

const keyOf = (arm: string | null): string => arm ?? "";

/** What an arm has been told and has answered, and the new message. */
function messagesOf(
  turns: readonly Turn[],
  arm: string | null,
  { system }: ChatSettings,
  message: string,
): ChatMessage[] {
  const before = turns.flatMap(({ message: asked, answers }): ChatMessage[] => {
    const answer = answers[keyOf(arm)]?.text ?? "";
    if (answer === "") return [];
    return [
      { role: "user", content: asked },
      { role: "assistant", content: answer },
    ];
  });
  const first: ChatMessage[] = system.trim() === "" ? [] : [{ role: "system", content: system }];
  return [...first, ...before, { role: "user", content: message }];
}

/** `remembers`: earlier turns are part of the next question. */
export function useChat(arms: readonly (string | null)[], remembers: boolean) {
  const actions = useActions();
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [waiting, setWaiting] = useState(false);
  const [fault, setFault] = useState<FaultMessage | null>(null);
  const open = useRef<number | null>(null);
  const stop = (): void => {
    if (open.current !== null) void actions.stopChat(open.current);
  };
  useEffect(
    () => () => {
      if (open.current !== null) void actions.stopChat(open.current); // its sheet was closed
    },
    [actions],
  );
  const write = (arm: string | null, written: Written): void => {
    setTurns((all) =>
      all.map((turn, i) =>
        i === all.length - 1 ? { ...turn, answers: { ...turn.answers, [keyOf(arm)]: written } } : turn,
      ),
    );
  };
  const ask = async (message: string, settings: ChatSettings): Promise<void> => {
    const id = ++lastId;
    const before = remembers ? turns : [];
    const chats = arms.map((arm) => ({ arm, messages: messagesOf(before, arm, settings, message) }));
    const { temperature, seed, maxTokens } = settings;
    open.current = id;
    setWaiting(true);
    setFault(null);
    setTurns([...before, { message, answers: {} }]);
    try {
      const answers = await actions.chat({ id, chats, temperature, seed, maxTokens }, (arm, text) => {
        write(arm, { text, end: null });
      });
      for (const { arm, ...written } of answers) write(arm, written);
    } catch (error) {
      setFault(requestFault(error, "chat"));
      setTurns(before);
    }
    open.current = null;
    setWaiting(false);
  };
  const clear = (): void => {
    setTurns([]);
    setFault(null);
  };
  return { turns, ask, stop, clear, waiting, fault };
}
