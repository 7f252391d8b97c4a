/** A callback ref: what comes below the fold of a sheet, in answer to a button in its foot, is brought into view. */
export function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: "start" });
}
