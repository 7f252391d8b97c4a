/** Opens the glossary; its sheet comes with the first click. */
import { lazy, Suspense, useState } from "react";
import { useText } from "../text/text-context.ts";

const GlossarySheet = lazy(async () => ({ default: (await import("./glossary-sheet.tsx")).GlossarySheet }));

export function GlossaryButton() {
  const text = useText().intro;
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className="pill small"
        onClick={() => {
          setOpen(true);
        }}
      >
        {text.glossary}
      </button>
      {open && (
        <Suspense>
          <GlossarySheet
            onClose={() => {
              setOpen(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
