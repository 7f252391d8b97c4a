/** A word with its one-sentence explanation on hover and focus; read out as its description. */
import { useId, type ReactNode } from "react";
import type { TermName } from "../text/en-terms.ts";
import { useText } from "../text/text-context.ts";

export function Term({ name, children }: { readonly name: TermName; readonly children?: ReactNode }) {
  const { label, means } = useText().terms[name];
  return <Explained means={means}>{children ?? label}</Explained>;
}

/** Any words with an explanation that is made up at run time. */
export function Explained({ means, children }: { readonly means: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <>
      <button type="button" className="term" data-tip={means} aria-describedby={id}>
        {children}
      </button>
      <span id={id} hidden>
        {means}
      </span>
    </>
  );
}
