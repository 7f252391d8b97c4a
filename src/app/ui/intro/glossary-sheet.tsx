/** Every word of the page with its explanation: the words training is told in, the letters of the formulas, the terms of the hovers. */
import { Sheet } from "../parts/sheet.tsx";
import { useText } from "../text/text-context.ts";

interface Entry {
  readonly label: string;
  readonly means: string;
}

export function GlossarySheet({ onClose }: { readonly onClose: () => void }) {
  const { intro, terms, glossary } = useText();
  return (
    <Sheet title={intro.glossary} onClose={onClose}>
      <div className="glossary" tabIndex={0} role="region" aria-label={intro.glossary}>
        <Entries title={glossary.wordsTitle} entries={glossary.words} />
        <Entries title={glossary.lettersTitle} entries={glossary.letters} />
        <Entries title={glossary.termsTitle} entries={Object.values(terms)} />
      </div>
    </Sheet>
  );
}

function Entries({ title, entries }: { readonly title: string; readonly entries: readonly Entry[] }) {
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {entries.map(({ label, means }) => (
          <div key={label + means}>
            <dt>{label}</dt>
            <dd>{means}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
