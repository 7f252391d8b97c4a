/** The checks that exist, offered where a criterion has none: without a judge, free words alone decide nothing. */
import { usePage } from "../app-context.ts";
import { useText } from "../text/text-context.ts";

export function CheckOffers({ onChoose }: { readonly onChoose: (type: string) => void }) {
  const text = useText().editor;
  const { checks } = usePage();
  return (
    <div className="check-offers" role="group" aria-label={text.offers}>
      <span className="soft">{text.offers}</span>
      {ownOnly(Object.entries(checks)).map(([type, { title, help }]) => (
        <button
          key={type}
          type="button"
          className="pill small"
          data-tip={help}
          onClick={() => {
            onChoose(type);
          }}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** A published set's checks, named with its prefix, stand in the list of all checks alone. */
function ownOnly<T>(entries: readonly (readonly [string, T])[]): readonly (readonly [string, T])[] {
  return entries.filter(([type]) => !type.includes(":"));
}
