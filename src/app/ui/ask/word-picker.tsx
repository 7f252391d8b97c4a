/** Offers a word that the bundled model copies well; choosing one inserts it. */
interface PickerProps {
  readonly label: string;
  readonly words: readonly string[];
  readonly onPick: (word: string) => void;
}

export function WordPicker({ label, words, onPick }: PickerProps) {
  if (words.length === 0) return null;
  return (
    <label className="form-field">
      <span>{label}</span>
      <select
        value=""
        onChange={(event) => {
          onPick(event.target.value);
        }}
      >
        <option value="">…</option>
        {words.map((word) => (
          <option key={word}>{word}</option>
        ))}
      </select>
    </label>
  );
}
