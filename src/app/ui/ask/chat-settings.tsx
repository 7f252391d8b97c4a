/** How answers are sampled, and what the model is told first. */
import { useText } from "../text/text-context.ts";
import type { ChatSettings } from "./use-chat.ts";

interface FieldsProps {
  readonly settings: ChatSettings;
  readonly onChange: (part: Partial<ChatSettings>) => void;
  /** False where the model never learned to follow one. */
  readonly system: boolean;
}

const MOST_TOKENS = 512;
const MOST_SEED = 2 ** 32 - 1;

export function ChatSettingsFields({ settings, onChange, system }: FieldsProps) {
  const text = useText().ask;
  return (
    <div className="ask-form">
      {system && (
        <label className="form-field">
          <span>{text.system}</span>
          <textarea
            rows={2}
            value={settings.system}
            placeholder={text.noSystem}
            onChange={({ target }) => {
              onChange({ system: target.value });
            }}
          />
        </label>
      )}
      <div className="form-row">
        <label className="form-field">
          <span>
            {text.temperature} {settings.temperature.toFixed(1)}
            {settings.temperature === 0 && ` (${text.greedy})`}
          </span>
          <input
            type="range"
            min={0}
            max={1.5}
            step={0.1}
            value={settings.temperature}
            onChange={({ target }) => {
              onChange({ temperature: target.valueAsNumber });
            }}
          />
        </label>
        <WholeNumber
          label={text.seed}
          value={settings.seed}
          min={0}
          max={MOST_SEED}
          onValue={(seed) => {
            onChange({ seed });
          }}
        />
        <WholeNumber
          label={text.maxTokens}
          value={settings.maxTokens}
          min={1}
          max={MOST_TOKENS}
          onValue={(maxTokens) => {
            onChange({ maxTokens });
          }}
        />
      </div>
    </div>
  );
}

interface NumberProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly onValue: (value: number) => void;
}

/** Takes whole numbers within its bounds; what is typed on the way to one stays in the field alone. */
function WholeNumber({ label, value, min, max, onValue }: NumberProps) {
  return (
    <label className="form-field chat-number">
      <span>{label}</span>
      <input
        type="number"
        min={min}
        max={max}
        step={1}
        defaultValue={value}
        onChange={({ target }) => {
          if (target.value !== "" && target.validity.valid) onValue(target.valueAsNumber);
        }}
      />
    </label>
  );
}
