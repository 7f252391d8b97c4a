/** What a visitor need not wait for comes after the first paint: the worker with its model, the charts. */

/** A hidden tab paints nothing; it goes on after this long. */
const LONGEST_MS = 1000;

/** Resolves once the browser has painted something of the page. */
export const firstPaint: Promise<void> = new Promise((resolve) => {
  const done = (): void => {
    resolve();
  };
  setTimeout(done, LONGEST_MS);
  new PerformanceObserver((list, observer) => {
    if (list.getEntriesByName("first-contentful-paint").length === 0) return;
    observer.disconnect();
    done();
  }).observe({ type: "paint", buffered: true });
});
