/**
 * One floating tip for the whole page: whatever carries `data-tip` shows it on hover and on focus. It stays while the
 * pointer is on it and goes with Escape (WCAG 1.4.13). In a popover, so that it stands above open dialogs.
 */
import { useEffect, useRef, useState } from "react";
import "./tip.css";

interface Shown {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly above: boolean;
}

const HIDE_AFTER_MS = 120;
const GAP = 8;

function placed(target: Element, text: string): Shown {
  const box = target.getBoundingClientRect();
  const above = box.top > window.innerHeight * 0.6;
  const left = Math.max(8, Math.min(box.left, window.innerWidth - 336));
  return { text, left, top: above ? box.top - GAP : box.bottom + GAP, above };
}

function useTip(): { shown: Shown | null; hold: () => void; release: () => void } {
  const [shown, setShown] = useState<Shown | null>(null);
  const timer = useRef(0);
  const hold = (): void => {
    window.clearTimeout(timer.current);
  };
  const release = (): void => {
    hold();
    timer.current = window.setTimeout(() => {
      setShown(null);
    }, HIDE_AFTER_MS);
  };
  useEffect(() => {
    const show = (event: Event): void => {
      const target = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
      const text = target?.getAttribute("data-tip") ?? "";
      if (target === null || text === "") return;
      window.clearTimeout(timer.current);
      setShown(placed(target, text));
    };
    const leave = (event: Event): void => {
      if (!(event.target instanceof Element) || event.target.closest("[data-tip]") === null) return;
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => {
        setShown(null);
      }, HIDE_AFTER_MS);
    };
    const hide = (event: Event): void => {
      if (event instanceof KeyboardEvent && event.key !== "Escape") return;
      setShown(null);
    };
    const listeners = [
      ["pointerover", show],
      ["focusin", show],
      ["pointerout", leave],
      ["focusout", leave],
      ["keydown", hide],
      ["scroll", hide],
    ] as const;
    for (const [name, listener] of listeners) document.addEventListener(name, listener, true);
    return () => {
      for (const [name, listener] of listeners) document.removeEventListener(name, listener, true);
    };
  }, []);
  return { shown, hold, release };
}

export function TipLayer() {
  const { shown, hold, release } = useTip();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shown !== null) element.current?.showPopover();
  }, [shown]);
  if (shown === null) return null;
  const transform = shown.above ? "translateY(-100%)" : "none";
  return (
    <div
      ref={element}
      popover="manual"
      className="tip"
      aria-hidden
      style={{ left: shown.left, top: shown.top, transform }}
      onPointerEnter={hold}
      onPointerLeave={release}
    >
      {shown.text}
    </div>
  );
}
