/** How wide an element is now, in whole pixels: charts are drawn at their own size, so that text keeps its own. */
import { useLayoutEffect, useRef, useState, type RefObject } from "react";

export function useWidth<T extends HTMLElement>(): readonly [RefObject<T | null>, number] {
  const element = useRef<T>(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const { current } = element;
    if (current === null) return;
    const measure = (): void => {
      setWidth(Math.floor(current.clientWidth));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => {
      observer.disconnect();
    };
  }, []);
  return [element, width];
}
