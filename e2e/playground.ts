/**
 * The page as a person uses it, for the browser specs: everything goes through its own controls, and numbers come from
 * the files it exports. Its texts stand here in English, as the page shows them.
 */
import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright";

/** A row of the JSONL export: flat, null where a number is missing. */
export type ExportedRow = Readonly<Record<string, string | number | boolean | null>>;

/** Settings by the names that stand beside their fields in the set-up sheet. */
type Settings = Readonly<Record<string, string | number>>;

/** Settings under which a step takes a fraction of a second. */
export const SMALL: Settings = { num_generations: 8, max_completion_length: 24, evaluationSamples: 8 };

/** Loading, or a handful of steps, on a machine that has much else to do. */
const WAIT_MS = 120_000;

interface OpenOptions {
  /** False where the page cannot be isolated; else it reloads itself once before it is ready. */
  readonly isolated?: boolean;
}

export class Playground {
  readonly page: Page;

  constructor(page: Page) {
    page.setDefaultTimeout(WAIT_MS);
    this.page = page;
  }

  /** Goes to the page and waits until its model is loaded and a run stands ready. */
  async open(url: string, options: OpenOptions = {}): Promise<void> {
    await this.visit(url, options);
    await this.control("Train").and(this.page.locator(":enabled")).waitFor();
  }

  /** Goes to the page, which need not get as far as a model. */
  async visit(url: string, { isolated = true }: OpenOptions = {}): Promise<void> {
    await this.page.goto(url);
    if (isolated) await this.page.waitForFunction(() => crossOriginIsolated);
  }

  /** One of the run's buttons: Train, Go on, Start over, Pause, Step, Stop, Reset. */
  control(name: string): Locator {
    return this.page.locator(".run-controls").getByRole("button", { name });
  }

  /** The notice of a fault. */
  get fault(): Locator {
    return this.page.getByRole("alert").filter({ hasText: "Something went wrong" });
  }

  /** The offer to go on with a saved run. */
  get offer(): Locator {
    return this.page.locator(".notice").filter({ hasText: "stands at step" });
  }

  /** The weight field of the criterion with these words. */
  weight(words: string): Locator {
    return this.page.getByLabel(`Weight of ${words}`, { exact: true });
  }

  async chooseSetUp(id: "heavy" | "mild"): Promise<void> {
    await this.page.getByRole("combobox", { name: "Set-up" }).selectOption(id);
  }

  async openSetUp(): Promise<Locator> {
    await this.page.getByRole("button", { name: "Set-up", exact: true }).click();
    return this.page.getByRole("dialog", { name: "Set-up" });
  }

  /** Types settings into the set-up sheet and starts a fresh run of so many steps with them. */
  async setUp(maxSteps: number, settings: Settings): Promise<void> {
    const sheet = await this.openSetUp();
    await sheet.getByText("All settings").click();
    for (const [name, value] of Object.entries({ ...settings, max_steps: maxSteps })) {
      const field = sheet.locator("label", { has: this.page.locator(`code:text-is("${name}")`) });
      await field.getByRole("textbox").fill(String(value));
    }
    await sheet.getByRole("button", { name: "start a fresh run" }).click();
    await this.page.locator(".run-counter", { hasText: `of ${maxSteps} steps` }).waitFor();
  }

  /** Opens a model from a file of this computer, held in 8 bits, and waits until it is loaded. */
  async openModelFile(path: string, timeoutMs = WAIT_MS): Promise<void> {
    await this.page.locator(".model-chip").click();
    const sheet = this.page.getByRole("dialog", { name: "Model" });
    await sheet.getByRole("radio", { name: /this computer/i }).check();
    await sheet.locator("input[type=file]").last().setInputFiles(path);
    await sheet.getByRole("button", { name: "What does it cost?" }).click();
    await sheet.getByRole("button", { name: /load it/i }).click({ timeout: timeoutMs });
    await sheet.getByRole("heading", { name: /^Loaded: / }).waitFor({ timeout: timeoutMs });
    await sheet.getByRole("button", { name: "Close" }).click();
  }

  /** Finished steps, as the header counts them. */
  async step(): Promise<number> {
    return Number(await this.page.locator(".run-counter b").textContent());
  }

  async stepReached(step: number, timeoutMs = WAIT_MS): Promise<void> {
    await this.page.waitForFunction(
      (least) => Number(document.querySelector(".run-counter b")?.textContent) >= least,
      step,
      { timeout: timeoutMs },
    );
  }

  async pause(): Promise<void> {
    await this.control("Pause").click();
    await this.control("Go on").waitFor();
  }

  /** Presses the button that starts, and waits until the run is under way. */
  async start(button: "Train" | "Go on" | "Start over"): Promise<void> {
    await this.control(button).click();
    await this.control("Pause").waitFor();
  }

  /** Starts, and waits until the last step and its evaluation are done. */
  async finish(button: "Train" | "Go on" | "Start over", timeoutMs = WAIT_MS): Promise<void> {
    await this.start(button);
    await this.control("Start over").waitFor({ timeout: timeoutMs });
  }

  /** The exported file of the run, as text. */
  async exported(kind: "JSONL" | "CSV"): Promise<string> {
    await this.page.getByText("Files", { exact: true }).click();
    const [download] = await Promise.all([
      this.page.waitForEvent("download"),
      this.page.getByRole("button", { name: `Metrics as ${kind}` }).click(),
    ]);
    return readFile(await download.path(), "utf8");
  }

  /** The rows of the JSONL export. */
  async rows(): Promise<ExportedRow[]> {
    const text = await this.exported("JSONL");
    return text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as ExportedRow);
  }
}

/** The rows that a run repeats exactly: every number but the seconds its steps took. */
export function withoutTimes(rows: readonly ExportedRow[]): ExportedRow[] {
  return rows.map((row) => {
    const { step_time, ...rest } = row;
    if (row["kind"] === "step" && typeof step_time !== "number") throw new Error("a step without step_time");
    return rest;
  });
}

/** Rows of one kind. */
export function ofKind(rows: readonly ExportedRow[], kind: "step" | "evaluation" | "rubric"): ExportedRow[] {
  return rows.filter((row) => row["kind"] === kind);
}
