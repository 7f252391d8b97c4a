/** A judge behind a local endpoint, on the built site: a HealthBench-shaped rubric trains by it, and what can go wrong is said. */
import type { Locator } from "playwright";
import { afterEach, expect, test } from "vitest";
import { startJudgeServer, type JudgeServer, type JudgeServerOptions } from "../src/testing/judge-server.ts";
import { healthBenchRow } from "../src/testing/rubric-files.ts";
import { violations } from "./axe.ts";
import { onFreshPage, type FreshPage } from "./fresh-page.ts";
import { ofKind, type Playground, SMALL } from "./playground.ts";

const TEST_MS = 120_000;
const KEY = "sk-e2e-0123456789";
const SHOTS = process.env["SHOTS"];

let fresh: FreshPage;
let play: Playground;
let server: JudgeServer | null = null;

onFreshPage((opened) => {
  fresh = opened;
  play = opened.play;
  play.page.setDefaultTimeout(30_000); // what never comes is named before the test is over
});
afterEach(async () => {
  await server?.close();
  server = null;
});

async function serve(options: JudgeServerOptions): Promise<JudgeServer> {
  server = await startJudgeServer({ cors: true, ...options });
  return server;
}

/** Starts a run on four prompts of a HealthBench-shaped file, none of whose criteria has a check. */
async function openHealthBench(): Promise<void> {
  const rows = Array.from({ length: 4 }, (_, i) => ({
    ...healthBenchRow(i),
    prompt: [{ role: "user", content: `Explain tax law, part ${String(i)}.` }],
  }));
  const text = rows.map((row) => JSON.stringify(row)).join("\n");
  await play.page.getByText("Files", { exact: true }).click();
  const chosen = play.page.waitForEvent("filechooser");
  await play.page.getByRole("button", { name: "A rubric …" }).click();
  await (await chosen).setFiles({ name: "hb.jsonl", mimeType: "text/plain", buffer: Buffer.from(text) });
  const sheet = play.page.getByRole("dialog", { name: "Open a rubric" });
  await sheet.getByText(/The bundled model does not know .*A real model can\./).waitFor();
  await sheet.getByRole("button", { name: "Start a run on 4 prompts" }).click();
  await play.control("Train").and(play.page.locator(":enabled")).waitFor();
}

const judgeSheet = (): Locator => play.page.getByRole("dialog", { name: "The judge" });

async function openJudge(): Promise<Locator> {
  await play.page
    .getByRole("button", { name: /^(Choose a judge|Judge)$/ })
    .first()
    .press("Enter"); // a notice that comes or goes meanwhile moves the button under a mouse
  return judgeSheet();
}

/** Fills in the endpoint of the local server. */
async function fillEndpoint(sheet: Locator, url: string): Promise<void> {
  await sheet.getByRole("radio", { name: "An endpoint" }).first().check();
  await sheet.getByLabel("Address of its API").fill(url);
  await sheet.getByLabel("Model", { exact: true }).fill("tiny-judge");
}

/** With everything unfolded on a phone: nothing scrolls sideways, and axe finds nothing. */
async function fitsPhone(sheet: Locator): Promise<void> {
  await play.page.setViewportSize({ width: 390, height: 844 });
  await sheet.getByText("Calls, time and budget").click();
  await sheet.getByRole("checkbox", { name: "The same judge" }).uncheck();
  const body = sheet.locator(".sheet-body");
  expect(await body.evaluate((own) => own.scrollWidth - own.clientWidth)).toBe(0);
  expect(await violations(play.page)).toEqual([]);
  for (let i = 0; SHOTS !== undefined && i < 4; i++) {
    await body.evaluate((own, at) => (own.scrollTop = at * 640), i);
    await play.page.screenshot({ path: `${SHOTS}/judge-phone-${String(i)}.png` });
  }
}

async function useJudge(sheet: Locator): Promise<void> {
  await sheet.getByRole("button", { name: "Use it and start a fresh run" }).click();
  await play.control("Train").and(play.page.locator(":enabled")).waitFor();
}

test(
  "a HealthBench-shaped rubric trains for 20 steps by an endpoint that fails now and then, and its key goes nowhere else",
  async () => {
    const { url, calls } = await serve({
      misbehave: (_, at) => {
        if (at % 9 === 4) return { kind: "says", text: "I cannot tell." };
        if (at === 11) return { kind: "status", status: 429 };
        return at === 23 ? { kind: "half" } : null;
      },
    });
    await openHealthBench();
    const sheet = await openJudge();
    await sheet.getByText("16 of 16 criteria need one.").waitFor();
    await fillEndpoint(sheet, url);
    await sheet.getByLabel("Key, where it wants one").fill(KEY);
    if (SHOTS !== undefined) await play.page.screenshot({ path: `${SHOTS}/judge-sheet.png` });
    await useJudge(sheet);
    await play.setUp(20, { num_generations: 4, max_completion_length: 12, evaluationSamples: 4 });
    await play.finish("Train", TEST_MS);

    expect(calls[0]?.authorization).toBe(`Bearer ${KEY}`);
    expect(calls[0]?.criteria[0]).toMatch(/^Criterion \d\.\d of the reply$/);
    const rows = await play.rows();
    const steps = ofKind(rows, "step");
    expect(steps.length).toBe(40); // two arms
    const missing = steps.map((row) => Number(row["judge/missing"]));
    expect(missing.some((count) => count > 0)).toBe(true);
    expect(steps.every((row) => Number.isFinite(row["reward"]))).toBe(true);
    const scores = ofKind(rows, "evaluation").map((row) => row["eval_score"]);
    expect(scores.length).toBeGreaterThan(4);
    expect(scores.every((score) => typeof score === "number")).toBe(true);
    const notice = play.page.locator(".notice", { hasText: "remembered" });
    expect(await notice.textContent()).toMatch(
      /calls · .* tokens · .* verdicts · .* remembered · .* missing/,
    );

    // in no export, no storage, no address
    const files = await play.exported("JSONL");
    const kept = await play.page.evaluate(async () => {
      const texts = [JSON.stringify(localStorage), JSON.stringify(sessionStorage), location.href];
      const read = async (folder: FileSystemDirectoryHandle): Promise<void> => {
        for await (const entry of folder.values()) {
          if (entry.kind === "file") texts.push(await (await entry.getFile()).text());
          else await read(entry);
        }
      };
      await read(await navigator.storage.getDirectory());
      return texts.join("\n");
    });
    expect(kept).toContain("tiny-judge"); // the run that is kept names its judge
    expect(files + kept).not.toContain(KEY);
    if (SHOTS !== undefined) await play.page.screenshot({ path: `${SHOTS}/judge-run.png` });
  },
  TEST_MS,
);

test(
  "a run waits when its budget is used up, and goes on when it is raised",
  async () => {
    const { url, calls } = await serve({});
    await openHealthBench();
    await play.setUp(3, SMALL);
    const sheet = await openJudge();
    await fillEndpoint(sheet, url);
    await sheet.getByText("Calls, time and budget").click();
    await sheet.getByLabel("Calls of a run at most").fill("40");
    await useJudge(sheet);
    await play.control("Train").click();
    await play.fault.getByText("The judge's budget is used up", { exact: false }).waitFor();
    expect(calls.length).toBe(40);
    const again = await openJudge();
    await again.locator(".judge-counts", { hasText: "40 calls" }).waitFor();
    await again.locator(".judge-budget").getByLabel("Calls of a run at most").fill("");
    await again.getByRole("button", { name: "Set the budget" }).press("Enter");
    await again.getByRole("button", { name: "Close" }).click();
    await play.finish((await play.control("Go on").isVisible()) ? "Go on" : "Train", TEST_MS);
    expect(calls.length).toBeGreaterThan(40);
  },
  TEST_MS,
);

test(
  "a judge that falls silent: the page says so while it waits, the run pauses, and goes on when it speaks; held-out answers have a judge of their own",
  async () => {
    let silent = false;
    const { url, calls } = await serve({
      misbehave: () => (silent ? { kind: "status", status: 503, body: "overloaded" } : null),
    });
    const other = await startJudgeServer({ cors: true, met: () => true });
    await openHealthBench();
    await play.setUp(3, { num_generations: 4, max_completion_length: 12, evaluationSamples: 4 });
    const sheet = await openJudge();
    await fillEndpoint(sheet, url);
    await sheet.getByRole("checkbox", { name: "The same judge" }).uncheck();
    await sheet.getByLabel("Address of its API").last().fill(other.url);
    await sheet.getByLabel("Model", { exact: true }).last().fill("larger-judge");
    await useJudge(sheet);
    await play.control("Step").click();
    await play.stepReached(1);
    await play.control("Go on").waitFor();
    silent = true;
    const before = calls.length;
    await play.control("Go on").click();
    const notice = play.page.locator(".notice", { hasText: "The judge:" });
    await notice.getByText(/^No reply to the last \d+ calls: HTTP 503: overloaded$/).waitFor();
    await play.fault.getByText("The judge gave no verdict", { exact: false }).waitFor();
    expect(await play.step()).toBe(1);
    expect(calls.length - before).toBeLessThan(32); // not every question four times
    silent = false;
    await play.finish("Go on", TEST_MS);
    expect(await notice.getByRole("status").count()).toBe(0);
    const heldOut = ofKind(await play.rows(), "evaluation");
    expect(heldOut.every((row) => row["eval_score"] !== null)).toBe(true);
    const systems = [calls, other.calls].map((own) => own[0]?.body.messages[0]);
    expect(systems[0]).toEqual(systems[1]);
    expect(new Set(other.calls.map(({ body }) => body.model))).toEqual(new Set(["larger-judge"]));
    expect(new Set(calls.map(({ body }) => body.model))).toEqual(new Set(["tiny-judge"]));
    await other.close();
  },
  TEST_MS,
);

test(
  "verdicts outlive a reload: the same run again pays for none, until they are forgotten",
  async () => {
    const { url, calls } = await serve({});
    const train = async (): Promise<number> => {
      const before = calls.length;
      await openHealthBench();
      await play.setUp(1, { num_generations: 4, max_completion_length: 12, evaluationSamples: 4 });
      const sheet = await openJudge();
      await fillEndpoint(sheet, url);
      await sheet.getByLabel("Key, where it wants one").fill(KEY);
      await useJudge(sheet);
      await play.finish("Train", TEST_MS);
      return calls.length - before;
    };
    const paid = await train();
    expect(paid).toBeGreaterThan(8);
    await play.open(fresh.host.url);
    expect(await train()).toBe(0);
    const sheet = await openJudge();
    await sheet.getByText(/^[\d.]+ kB in this browser's files$/).waitFor();
    await sheet.getByRole("button", { name: "Forget all verdicts" }).press("Enter");
    await sheet.getByText("0 kB in this browser's files").waitFor();
    await sheet.getByRole("button", { name: "Close" }).click();
    await play.open(fresh.host.url);
    expect(await train()).toBe(paid);
  },
  TEST_MS,
);

test(
  "a server that does not let the page ask: the reason stands in the sheet, and the run waits instead of learning nothing",
  async () => {
    const { url } = await serve({ cors: false });
    await openHealthBench();
    const sheet = await openJudge();
    await fillEndpoint(sheet, url);
    await sheet.getByText("Calls, time and budget").click();
    await sheet.getByLabel("Further tries where it is busy").fill("0");
    await sheet.getByLabel("Answer", { exact: true }).fill("Rest it, and see a doctor.");
    await sheet.getByRole("button", { name: "Try the judge" }).click();
    await sheet
      .getByText(/does not let this page ask \(CORS\)/)
      .first()
      .waitFor();
    await useJudge(sheet);
    await play.control("Train").click();
    await play.fault.getByText("The judge gave no verdict", { exact: false }).first().waitFor();
    expect(await play.step()).toBe(0);
  },
  TEST_MS,
);

test(
  "agreement with the checks and with people's labels, by keyboard; the bundled model is refused as judge",
  async () => {
    const { url } = await serve({ met: (_, answer) => answer.includes("sorry") });
    await play.setUp(2, SMALL);
    await play.finish("Train", TEST_MS);
    const sheet = await openJudge();
    await sheet.getByRole("radio", { name: "A model in this page" }).first().check();
    await sheet.getByText("The bundled model cannot judge", { exact: false }).waitFor();
    expect(await sheet.getByRole("radio", { name: /The model that is trained/ }).isDisabled()).toBe(true);
    await fillEndpoint(sheet, url);

    const compare = sheet.getByRole("button", { name: "Compare" });
    await compare.focus();
    await play.page.keyboard.press("Enter");
    const table = sheet.locator(".judge-agreement");
    await table.waitFor();
    const total = (await table.locator("tfoot td").allTextContents()).map((cell) =>
      cell.replaceAll("\u202f", ""),
    );
    expect(Number(total[0])).toBeGreaterThan(100); // 16 answers under every checked criterion
    expect(total[1]).toMatch(/^\d+%$/);

    await sheet.getByRole("radio", { name: "With people's verdicts" }).focus();
    await play.page.keyboard.press("Space");
    const words =
      (await sheet.page().locator(".criterion-row .criterion-name").first().textContent())?.trim() ?? "";
    const csv = [
      "answer,criterion,met",
      ...["sorry,yes", "hello,no", "sorry!,no", "bye,no"].map((row) => {
        const [answer, met] = row.split(",");
        return `${answer ?? ""},"${words}",${met ?? ""}`;
      }),
    ].join("\n");
    await sheet.getByLabel(/^Labels, as CSV or JSON/).fill(csv);
    await compare.press("Enter");
    // 1 both, 1 by the judge alone, 2 neither: accuracy .75, kappa .5
    await table.locator("tfoot", { hasText: "0.50" }).waitFor();
    expect(await table.locator("tfoot td").first().textContent()).toBe("4");
    if (SHOTS !== undefined) await play.page.screenshot({ path: `${SHOTS}/judge-agreement.png` });
    await fitsPhone(sheet);
    await sheet.getByLabel(/^Labels, as CSV or JSON/).fill("answer,criterion,met\nhello,nothing,maybe");
    await compare.press("Enter");
    await sheet.getByText(/expected the id or the words of one of the rubric's criteria/).waitFor();
    await play.page.keyboard.press("Escape");
    await sheet.waitFor({ state: "hidden" });
  },
  TEST_MS,
);

test(
  "a key is forgotten at a reload, but for one that the tab's session was asked to keep",
  async () => {
    const { url, calls } = await serve({});
    const withKey = async (keep: boolean): Promise<string | null> => {
      const sheet = await openJudge();
      await fillEndpoint(sheet, url);
      const field = sheet.getByLabel("Key, where it wants one");
      await field.fill(KEY);
      if (keep) await sheet.getByLabel("Keep it until this tab closes").check();
      await sheet.getByRole("button", { name: "Use it and start a fresh run" }).click();
      await play.control("Train").and(play.page.locator(":enabled")).waitFor();
      return play.page.evaluate(() => JSON.stringify(sessionStorage));
    };
    await openHealthBench();
    expect(await withKey(false)).not.toContain(KEY);
    await play.open(fresh.host.url);
    await openHealthBench();
    expect(await withKey(true)).toContain(KEY);
    await play.open(fresh.host.url);
    await openHealthBench();
    const sheet = await openJudge();
    await fillEndpoint(sheet, url);
    expect(await sheet.getByLabel("Key, where it wants one").inputValue()).toBe(KEY);
    await sheet.getByRole("button", { name: "Try the judge" }).click();
    await expect.poll(() => calls.length).toBeGreaterThan(0);
    expect(calls[0]?.authorization).toBe(`Bearer ${KEY}`);
  },
  TEST_MS,
);
