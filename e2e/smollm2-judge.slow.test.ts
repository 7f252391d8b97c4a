/**
 * SmolLM2-135M-Instruct in the tab as its own judge: the frozen base reads the newest answers beside the programmatic checks.
 * Prints how far it agrees with them, whatever it is, and how long that takes.
 */
import { join } from "node:path";
import type { Browser } from "playwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SMOLLM2, smollm2Missing } from "../src/testing/smollm2.ts";
import { launchChromium } from "./chromium.ts";
import { Playground } from "./playground.ts";
import { builtSite } from "./slow-site.ts";
import { serveFolder, type StaticHost } from "./static-server.ts";

const MOST_MS = 3_600_000;
const ANSWERS = 4;

const missing = smollm2Missing();
if (missing !== null) process.stderr.write(`skipped: SmolLM2 as the judge in the tab: ${missing}\n`);

describe.skipIf(missing !== null)("SmolLM2 in the tab", () => {
  let host: StaticHost;
  let browser: Browser;

  beforeAll(async () => {
    host = await serveFolder(builtSite(), "/site/");
    browser = await launchChromium();
  }, MOST_MS);
  afterAll(async () => {
    await browser.close();
    await host.close();
  });

  test("judges its answers beside the checks", { timeout: MOST_MS }, async () => {
    const play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
    await play.open(host.url);
    await play.openModelFile(join(SMOLLM2.folder, SMOLLM2.file), MOST_MS);
    play.page.setDefaultTimeout(MOST_MS);
    await play.setUp(1, { num_generations: ANSWERS, max_completion_length: 32, evaluationSamples: 4 });
    await play.finish("Train", MOST_MS);
    await play.page.getByRole("button", { name: "Judge", exact: true }).first().click();
    const sheet = play.page.getByRole("dialog", { name: "The judge" });
    await sheet.getByRole("radio", { name: "A model in this page" }).first().check();
    await sheet.getByLabel("Answers at most").fill(String(ANSWERS));
    const from = performance.now();
    await sheet.getByRole("button", { name: "Compare" }).click();
    await sheet.getByRole("heading", { name: "What it says, and what is so" }).waitFor();
    const seconds = (performance.now() - from) / 1000;
    const rows = await sheet.locator(".judge-agreement tr").allInnerTexts();
    const best = await sheet.getByText(/^Mean distance/).innerText();
    process.stdout.write(`${rows.join("\n")}\n${best}\n${seconds.toFixed(0)} s\n`);
    const [n, , , unjudged] = await sheet.locator(".judge-agreement tfoot td").allInnerTexts();
    const criteria = rows.length - 2; // without head and sum
    expect(Number(n)).toBe(ANSWERS * criteria);
    expect(unjudged).toBe("0");
  });
});
