/**
 * One chart a frame: a chart takes 10 to 30 ms of the page's thread, and six at once would hold up a click. Those that
 * wait are drawn in the order they asked.
 */

const waiting = new Set<() => void>();
let frame: number | null = null;

function drawNext(): void {
  const [next] = waiting;
  if (next === undefined) {
    frame = null;
    return;
  }
  waiting.delete(next);
  frame = requestAnimationFrame(drawNext);
  next();
}

/** Calls `redraw` in a frame of its own; the answer takes it back. */
export function redrawInTurn(redraw: () => void): () => void {
  waiting.add(redraw);
  frame ??= requestAnimationFrame(drawNext);
  return () => {
    waiting.delete(redraw);
  };
}
