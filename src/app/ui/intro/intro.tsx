/** What the page is, in a paragraph for who sees it for the first time; it goes for good when it is dismissed. */
import { useActions, useApp } from "../app-context.ts";
import { useText } from "../text/text-context.ts";
import "./intro.css";

export function Intro({ onGlossary }: { readonly onGlossary: () => void }) {
  const text = useText().intro;
  const actions = useActions();
  const seen = useApp((state) => state.introSeen);
  if (seen) return null;
  return (
    <section className="intro" aria-label={text.title}>
      <p>{text.paragraph}</p>
      <span>
        <button type="button" className="pill small" onClick={onGlossary}>
          {text.glossary}
        </button>
        <button type="button" className="pill small" onClick={actions.dismissIntro}>
          {text.dismiss}
        </button>
      </span>
    </section>
  );
}
