/** The chat: messages answered by the base model and by each arm's adapter side by side, between two training steps. */
import { useState, type KeyboardEvent } from "react";
import { useApp, usePage } from "../app-context.ts";
import { useArms } from "../parts/arm.tsx";
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";
import { ChatSettingsFields } from "./chat-settings.tsx";
import { ChatTurns } from "./chat-turns.tsx";
import { UnknownWords } from "./unknown-words.tsx";
import { useChat, type ChatSettings } from "./use-chat.ts";
import { WordPicker } from "./word-picker.tsx";
import "./ask.css";

export function AskSheet({ onClose }: { readonly onClose: () => void }) {
  const text = useText();
  const arms = useArms().map(({ id }) => id);
  const bundled = useApp((state) => state.model?.identity === null);
  const maxTokens = useApp((state) => state.settings.grpo.max_completion_length);
  const [settings, setSettings] = useState<ChatSettings>({ system: "", temperature: 0, seed: 1, maxTokens });
  const chat = useChat([null, ...arms], !bundled);
  return (
    <Sheet title={text.ask.title} onClose={onClose} wide>
      <p className="soft">
        {text.ask.hint}. {bundled ? `${text.ask.example} ${text.ask.single}` : text.ask.several}
      </p>
      <ChatSettingsFields
        settings={settings}
        system={!bundled}
        onChange={(part) => {
          setSettings((old) => ({ ...old, ...part }));
        }}
      />
      <ChatTurns turns={chat.turns} arms={["", ...arms]} waiting={chat.waiting} />
      {chat.fault !== null && (
        <p className="form-problem" role="alert">
          {text.faults.codes[chat.fault.code]} {chat.fault.message}
        </p>
      )}
      <Message chat={chat} settings={settings} bundled={bundled} />
    </Sheet>
  );
}

interface MessageProps {
  readonly chat: ReturnType<typeof useChat>;
  readonly settings: ChatSettings;
  readonly bundled: boolean;
}

function Message({ chat: { turns, ask, stop, clear, waiting }, settings, bundled }: MessageProps) {
  const text = useText().ask;
  const ready = useApp((state) => state.model !== null);
  const running = useApp((state) => state.run.phase === "running");
  const examples = useApp((state) => state.spec?.heldOutPrompts);
  const exampleAt = (turn: number): string =>
    examples?.[turn % examples.length]?.messages.at(-1)?.content ?? "";
  const [turn, setTurn] = useState(0);
  const [message, setMessage] = useState(exampleAt(0));
  const able = ready && !waiting && message.trim() !== "";
  const send = (): void => {
    if (!able) return;
    void ask(message, settings);
    if (!bundled) setMessage(""); // the bundled one is asked the same again, with other numbers
  };
  const sendByKey = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  return (
    <div className="ask-form">
      <label className="form-field">
        <span>{text.message}</span>
        <textarea
          rows={3}
          data-first-focus
          value={message}
          onKeyDown={sendByKey}
          onChange={({ target }) => {
            setMessage(target.value);
          }}
        />
      </label>
      {bundled && <UnknownWords typed={message} />}
      <div className="form-row">
        <button
          type="button"
          className="pill small"
          onClick={() => {
            setTurn(turn + 1);
            setMessage(exampleAt(turn + 1));
          }}
        >
          {text.another}
        </button>
        {bundled && (
          <Words
            onPick={(word) => {
              setMessage((old) => `${old}${old === "" || old.endsWith(" ") ? "" : " "}${word}`);
            }}
          />
        )}
        {!bundled && turns.length > 0 && (
          <button type="button" className="pill small" disabled={waiting} onClick={clear}>
            {text.fresh}
          </button>
        )}
      </div>
      <span>
        {/* one button, so that the focus stays where it is */}
        <button
          type="button"
          className="pill main"
          disabled={!waiting && !able}
          onClick={() => {
            if (waiting) stop();
            else send();
          }}
        >
          {waiting ? text.stop : text.go}
        </button>{" "}
        <span className="soft" role="status">
          {waiting ? (running ? text.busy : text.waiting) : text.byKey}
        </span>
      </span>
    </div>
  );
}

function Words({ onPick }: { readonly onPick: (word: string) => void }) {
  const text = useText().ask;
  const { words } = usePage();
  return (
    <>
      <WordPicker label={text.name} words={words.names} onPick={onPick} />
      <WordPicker label={text.product} words={words.products} onPick={onPick} />
    </>
  );
}
