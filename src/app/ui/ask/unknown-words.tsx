/** Says kindly which typed words the bundled model never saw. */
import { unknownWords } from "../../../domain/scenarios/unknown-words.ts";
import { useText } from "../text/text-context.ts";

const MOST_NAMED = 5;

export function UnknownWords({ typed }: { readonly typed: string }) {
  const text = useText().ownPrompts;
  const unknown = unknownWords(typed);
  if (unknown.length === 0) return null;
  const named = unknown.slice(0, MOST_NAMED);
  return (
    <p className="soft" role="status">
      {text.unknown(named, unknown.length - named.length)}
    </p>
  );
}
