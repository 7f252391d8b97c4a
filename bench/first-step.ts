/**
 * Seconds from the page's first request to its first finished update, on the built site from a plain local host, WASM, in a
 * fresh browser context each time: nothing is cached, and the page reloads itself once for its service worker. Train is
 * pressed as soon as it can be. Prints where the time goes.
 */
import type { Browser } from "playwright";
import { launchBrowser } from "./bench-page.ts";
import { isolated, pressTrain, serveBuiltSite, stepReached } from "./built-site.ts";
import { type Bench, plainFigure } from "./figure.ts";
import { median } from "./statistics.ts";

const VISITS = 7;
const WAIT_MS = 120_000;

/** Each mark ends the stretch that its words describe. */
const MARKS = ["first paint", "isolated after the reload", "model ready", "base evaluated", "first update"];

export const firstStep: Bench = async ({ pairs, print }) => {
  const site = await serveBuiltSite();
  const browser = await launchBrowser();
  try {
    const visits: number[][] = [];
    for (let i = 0; i < (pairs ?? VISITS); i++) visits.push(await visit(browser, site.url));
    MARKS.forEach((mark, m) => {
      const at = median(visits.map((marks) => marks[m] ?? NaN));
      const since = median(visits.map((marks) => (marks[m] ?? NaN) - (m === 0 ? 0 : (marks[m - 1] ?? NaN))));
      print(`${mark}: +${since.toFixed(2)} s, at ${at.toFixed(2)} s`);
    });
    return [plainFigure("first-step", "s", visits.map((marks) => marks.at(-1) ?? NaN))]; // prettier-ignore
  } finally {
    await browser.close();
    await site.close();
  }
};

/** Seconds at which each mark was reached. */
async function visit(browser: Browser, url: string): Promise<number[]> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1040 } });
  const page = await context.newPage();
  page.setDefaultTimeout(WAIT_MS);
  const start = performance.now();
  const marks: number[] = [];
  const mark = (): number => marks.push((performance.now() - start) / 1000);
  await page.goto(url, { waitUntil: "commit" });
  await page.waitForFunction(`document.querySelector("#root > *") !== null`);
  mark();
  await isolated(page);
  mark();
  await pressTrain(page);
  mark();
  const progress = page.locator(".progress-line");
  await progress.getByText("Scoring held-out answers").waitFor();
  await progress.getByText("Scoring held-out answers").waitFor({ state: "detached" });
  mark();
  await stepReached(page, 1);
  mark();
  await context.close();
  return marks;
}
