/**
 * How the page feels while it trains, on the built site: main-thread work per frame and long tasks (from Chromium's own
 * trace), interaction to next paint (Event Timing), layout shift after the first paint, seconds until a pause is answered.
 * Work per frame and tasks are CPU time of the page's main thread, so that what else the machine does counts as little
 * as it can; the waits of a person are wall time.
 */
import type { Browser, Page } from "playwright";
import { launchBrowser } from "./bench-page.ts";
import { control, isolated, pressTrain, serveBuiltSite, stepReached } from "./built-site.ts";
import { type Bench, plainFigure } from "./figure.ts";
import { quantile } from "./statistics.ts";

const WAIT_MS = 120_000;
/** All that is measured fits into a default run of 60 steps. */
const TRACED_MS = 15_000;
const TRACE_CATEGORIES = ["toplevel", "disabled-by-default-devtools.timeline", "devtools.timeline"];

export const feel: Bench = async ({ print }) => {
  const site = await serveBuiltSite();
  const browser = await launchBrowser();
  try {
    const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
    page.setDefaultTimeout(WAIT_MS);
    await page.addInitScript(WATCH);
    await page.goto(site.url);
    await isolated(page);
    await pressTrain(page);
    await stepReached(page, 2);
    const trace = await traceWhile(browser, page, () => page.waitForTimeout(TRACED_MS));
    const work = workPerFrame(trace);
    const tasks = trace.filter((event) => event.name === "RunTask").map((event) => event.cpuMs);
    await interact(page);
    const seen = await page.evaluate<Seen>("seen");
    const interactions = Object.values(seen.interactions);
    const pauses = await pauseSeconds(page);
    print(
      `${work.length} frames with work in ${TRACED_MS / 1000} s of training, ${tasks.length} main-thread tasks`,
    );
    print(
      `longest task ${Math.max(...tasks).toFixed(1)} ms of CPU; ${seen.longTasks.length} long tasks by the wall`,
    );
    print(`interactions, ms to the next paint: ${interactions.map((ms) => ms.toFixed(0)).join(" ")}`);
    return [
      plainFigure("feel/longest-task", "ms of CPU", [Math.max(...tasks)]),
      plainFigure("feel/interaction-to-next-paint-p98", "ms", [quantile(interactions, 0.98)]),
      plainFigure("feel/layout-shift", "score", [seen.layoutShift]),
      plainFigure("feel/pause", "s", pauses),
      plainFigure("feel", "ms of main-thread CPU a frame, p95", [quantile(work, 0.95)]),
    ];
  } finally {
    await browser.close();
    await site.close();
  }
};

interface Seen {
  /** Sum of the scores of shifts without recent input. */
  layoutShift: number;
  /** Milliseconds to the next paint, by interaction. */
  interactions: Record<number, number>;
  /** Milliseconds of tasks over 50 ms, by the wall. */
  longTasks: number[];
}

/** Runs in the page before its own scripts; text, since a compiled function brings helpers that the page lacks. */
const WATCH = `
globalThis.seen = { layoutShift: 0, interactions: {}, longTasks: [] };
const observe = (options, take) =>
  new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ buffered: true, ...options });
observe({ type: "layout-shift" }, (entry) => { if (!entry.hadRecentInput) seen.layoutShift += entry.value; });
observe({ type: "longtask" }, (entry) => seen.longTasks.push(entry.duration));
observe({ type: "event", durationThreshold: 16 }, (entry) => {
  const { interactionId: id, duration } = entry; // an interaction is several events: down, up, click
  if (id > 0) seen.interactions[id] = Math.max(duration, seen.interactions[id] ?? 0);
});`;

/** What a person does while it trains. */
async function interact(page: Page): Promise<void> {
  for (let round = 0; round < 3; round++) {
    for (const arm of ["static", "POW3R"]) {
      await page.getByRole("region", { name: "Rubric" }).getByRole("button", { name: arm }).click();
      await page.waitForTimeout(300);
    }
    const weight = page.getByLabel("Weight of Says by when", { exact: true });
    await weight.press("ArrowUp");
    await page.waitForTimeout(300);
    await weight.press("ArrowDown");
    await page.getByRole("button", { name: "Story of “Says by when”" }).click();
    await page.waitForTimeout(500);
    await page.keyboard.press("Escape");
    for (const charts of ["More charts", "Fewer charts"]) {
      await page.getByRole("button", { name: charts }).click();
      await page.waitForTimeout(600);
    }
  }
}

async function pauseSeconds(page: Page): Promise<number[]> {
  const seconds: number[] = [];
  for (let i = 0; i < 5; i++) {
    const start = performance.now();
    await control(page, "Pause").click();
    await control(page, "Go on").waitFor();
    seconds.push((performance.now() - start) / 1000);
    await control(page, "Go on").click();
    await control(page, "Pause").waitFor();
    await page.waitForTimeout(700 + 170 * i); // another moment of a step each time
  }
  return seconds;
}

/** One event of the page's main thread. */
interface MainEvent {
  readonly name: string;
  /** Start, ms. */
  readonly at: number;
  readonly cpuMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ts: number;
  readonly pid: number;
  readonly tid: number;
  /** Thread time, microseconds. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

/** The main-thread events of the page's process while something goes on. */
async function traceWhile(browser: Browser, page: Page, body: () => Promise<void>): Promise<MainEvent[]> {
  await browser.startTracing(page, { categories: [...TRACE_CATEGORIES] });
  await body();
  const trace = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const mains = trace.traceEvents.filter(
    (event) => event.name === "thread_name" && event.args?.name === "CrRendererMain",
  );
  const perProcess = mains.map(({ pid, tid }) =>
    trace.traceEvents.filter((event) => event.pid === pid && event.tid === tid),
  );
  // other renderers (a blank page) do next to nothing
  const busiest = perProcess.sort((a, b) => b.length - a.length)[0] ?? [];
  return busiest.map(({ name, ts, tdur }) => ({ name, at: ts / 1000, cpuMs: (tdur ?? 0) / 1000 }));
}

/** A frame at 60 Hz, ms. */
const FRAME_MS = 1000 / 60;

/** CPU milliseconds of the tasks begun within each frame's time, for the frames in which there was any work. */
function workPerFrame(events: readonly MainEvent[]): number[] {
  const work = new Map<number, number>();
  for (const { name, at, cpuMs } of events) {
    if (name !== "RunTask") continue;
    const frame = Math.floor(at / FRAME_MS);
    work.set(frame, (work.get(frame) ?? 0) + cpuMs);
  }
  return [...work.values()];
}
