/** A value that reaches the screen in a frame of its own, so that one message of the worker is not one long frame. */
import { useEffect, useState } from "react";
import { redrawInTurn } from "./redraw-in-turn.ts";

/** The newest value whose turn has come. */
export function useInTurn<T>(newest: T): T {
  const [shown, setShown] = useState(newest);
  useEffect(
    () =>
      redrawInTurn(() => {
        setShown(newest);
      }),
    [newest],
  );
  return shown;
}
