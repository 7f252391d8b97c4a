/** What goes wrong outside the program: each fault has its own words on the page, says what to do next, and loses nothing. */
import { mkdtempSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContextOptions } from "playwright";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { CHROMIUM_FLAGS, findChromium } from "../scripts/chromium.ts";
import { launchChromium } from "./chromium.ts";
import { ofKind, Playground, SMALL } from "./playground.ts";
import { serveFolder, type Replacement, type StaticHost } from "./static-server.ts";

const DIST = join(import.meta.dirname, "..", "dist");
const MODEL = join("models", readdirSync(join(DIST, "models"))[0] ?? "");
const TEST_MS = 180_000;
const JSON_TYPE = "application/json";

let host: StaticHost;
let browser: Browser;
const replaced = new Map<string, Replacement>();

beforeAll(async () => {
  host = await serveFolder(DIST, "/some/where/", replaced);
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await host.close();
});
beforeEach(() => {
  replaced.clear();
});

async function withPage(
  use: (play: Playground) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    await use(new Playground(await context.newPage()));
  } finally {
    await context.close();
  }
}

const original = (file: string): Buffer => readFileSync(join(DIST, MODEL, file));
const config = (change: object): string =>
  JSON.stringify({ ...(JSON.parse(original("config.json").toString()) as object), ...change });

interface BrokenFile {
  readonly what: string;
  readonly file: string;
  readonly instead: () => Replacement;
  /** What the page says: the fault in plain words, and in its details the file and what is wrong with it. */
  readonly says: RegExp;
  readonly details: RegExp;
}

const BROKEN: readonly BrokenFile[] = [
  {
    what: "weights cut off in the middle",
    file: "model.safetensors",
    instead: () => ({
      type: "application/octet-stream",
      body: original("model.safetensors").subarray(0, 100_000),
    }),
    says: /files are damaged or incomplete\. Reload the page/,
    details: /model-broken.*model\.safetensors/s,
  },
  {
    what: "no weights",
    file: "model.safetensors",
    instead: () => null,
    says: /files are damaged or incomplete\. Reload the page/,
    details: /model-broken.*model\.safetensors/s,
  },
  {
    what: "an architecture that is not ours",
    file: "config.json",
    instead: () => ({
      type: JSON_TYPE,
      body: config({ model_type: "mamba", architectures: ["MambaForCausalLM"] }),
    }),
    says: /not supported\. Qwen2, Qwen3 and Llama types are/,
    details: /model-unsupported.*config\.json.*qwen3.*mamba/s,
  },
  {
    what: "a web page in place of the settings",
    file: "config.json",
    instead: () => ({ type: "text/html", body: "<!doctype html><title>Log in</title>" }),
    says: /could not be fetched\. Look at the connection, then try again/,
    details: /model-fetch-failed.*config\.json.*HTML/s,
  },
  {
    what: "a tokenizer that is no tokenizer",
    file: "tokenizer.json",
    instead: () => ({ type: JSON_TYPE, body: "{}" }),
    says: /tokenizer could not be read/,
    details: /tokenizer-broken/,
  },
];

describe("a broken model", () => {
  test.each(BROKEN)(
    "$what: says so, trains nothing, and loads once it is mended",
    async ({ file, instead, says, details }) => {
      const path = join(MODEL, file);
      replaced.set(path, instead());
      await withPage(async (play) => {
        await play.visit(host.url);
        await play.fault.waitFor();
        const text = (await play.fault.textContent()) ?? "";
        expect(text).toMatch(says);
        expect(text).toMatch(details);
        expect(await play.control("Train").isEnabled()).toBe(false);
        replaced.delete(path);
        await play.fault.getByRole("button", { name: "Try again" }).click();
        await play.control("Train").and(play.page.locator(":enabled")).waitFor();
        await play.fault.waitFor({ state: "detached" });
      });
    },
    TEST_MS,
  );
});

/** The built file of this name, by its place in the site. */
function built(pattern: RegExp): string {
  const name = readdirSync(join(DIST, "assets")).find((file) => pattern.test(file));
  if (name === undefined) throw new Error(`no ${String(pattern)} in dist/assets`);
  return join("assets", name);
}

test.each([
  {
    what: "the worker's script",
    file: /^main-.*\.js$/,
    details: /worker-failed.*assets\/main-.*could not be loaded/s,
  },
  {
    what: "the kernels' WASM file",
    file: /^kernels-relaxed-.*\.wasm$/,
    details: /worker-failed.*kernels-relaxed.*HTTP 404/s,
  },
])(
  "$what that is missing is named, and trying again is enough once it is there",
  async ({ file, details }) => {
    const path = built(file);
    replaced.set(path, null);
    await withPage(async (play) => {
      await play.visit(host.url);
      await play.fault.waitFor();
      expect(await play.fault.textContent()).toMatch(details);
      replaced.delete(path);
      await play.fault.getByRole("button", { name: "Try again" }).click();
      await play.control("Train").and(play.page.locator(":enabled")).waitFor();
      await play.fault.waitFor({ state: "detached" });
    });
  },
  TEST_MS,
);

test(
  "a browser that makes no workers says so on the page",
  async () => {
    await withPage(async (play) => {
      await play.page.addInitScript(() => {
        window.Worker = function () {
          throw new Error("workers are off");
        } as never;
      });
      await play.visit(host.url);
      await play.fault.waitFor();
      expect(await play.fault.textContent()).toMatch(/could not be started.*workers are off/s);
    });
  },
  TEST_MS,
);

/** Two small steps on the present settings, to the end. */
async function trains(play: Playground): Promise<void> {
  await play.setUp(2, SMALL);
  await play.finish("Train");
  expect(ofKind(await play.rows(), "step")).toHaveLength(4);
}

test(
  "a page that cannot be isolated trains all the same: the small model needs one thread",
  async () => {
    const options = { serviceWorkers: "block" } as const;
    await withPage(async (play) => {
      await play.open(host.url, { isolated: false });
      expect(await play.page.evaluate(() => crossOriginIsolated)).toBe(false);
      const sheet = await play.openSetUp();
      expect(await sheet.textContent()).toMatch(/own kernels.*on one thread only: the page is not isolated/);
      await sheet.getByRole("button", { name: "Close" }).click();
      await trains(play);
    }, options);
  },
  TEST_MS,
);

test(
  "plain http, where browsers withhold secure features, trains on one thread",
  async () => {
    const executablePath = await findChromium();
    const args = [...CHROMIUM_FLAGS, "--host-resolver-rules=MAP plain.test localhost"];
    const plain = await chromium.launch({ ...(executablePath === null ? {} : { executablePath }), args });
    try {
      const play = new Playground(await plain.newPage());
      await play.open(host.url.replace("localhost", "plain.test"), { isolated: false });
      expect(await play.page.evaluate(() => isSecureContext)).toBe(false);
      await trains(play);
    } finally {
      await plain.close();
    }
  },
  TEST_MS,
);

test(
  "a browser that blocks site data trains, and says that nothing is kept",
  async () => {
    const executablePath = await findChromium();
    const profile = mkdtempSync(join(tmpdir(), "profile-"));
    mkdirSync(join(profile, "Default"));
    const blocked = { profile: { default_content_setting_values: { cookies: 2 } } };
    writeFileSync(join(profile, "Default", "Preferences"), JSON.stringify(blocked));
    const context = await chromium.launchPersistentContext(profile, {
      ...(executablePath === null ? {} : { executablePath }),
      args: [...CHROMIUM_FLAGS],
    });
    try {
      const play = new Playground(await context.newPage());
      await play.open(host.url, { isolated: false });
      const denied = await play.page.evaluate(() => {
        try {
          window.localStorage.getItem("anything");
          return false;
        } catch {
          return true;
        }
      });
      expect(denied).toBe(true);
      await play.page.getByRole("alert").filter({ hasText: "storage is full, closed" }).first().waitFor();
      await trains(play);
    } finally {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    }
  },
  TEST_MS,
);

test(
  "a kept rubric that is broken is told, and its text survives edits",
  async () => {
    await withPage(async (play) => {
      const key = "rubric-playground/v1/rubric/customer-reply/heavy";
      await play.page.addInitScript((at) => {
        if (localStorage.getItem(`${at}/seen`) !== null) return;
        localStorage.setItem(`${at}/seen`, "yes");
        localStorage.setItem(at, '{"title":"mine');
      }, key);
      await play.open(host.url);
      const notice = play.page.getByRole("alert").filter({ hasText: "earlier visit could not be read" });
      expect(await notice.textContent()).toContain(`${key}/unread`);
      await play.weight("Says by when").fill("7");
      await play.weight("Says by when").press("Enter");
      await notice.getByRole("button", { name: "Dismiss" }).click();
      await notice.waitFor({ state: "detached" });
      const kept = await play.page.evaluate(
        (at) => [`${at}/unread`, at].map((k) => localStorage.getItem(k)),
        key,
      );
      expect(kept[0]).toBe('{"title":"mine');
      expect(kept[1]).toContain('"weight":7');
    });
  },
  TEST_MS,
);

test(
  "settings that do not fit the model are refused while the run trains on",
  async () => {
    await withPage(async (play) => {
      await play.open(host.url);
      await play.setUp(200, SMALL);
      await play.start("Train");
      await play.stepReached(1);
      const sheet = await play.openSetUp();
      await sheet.getByText("All settings").click();
      const field = sheet.locator("label", {
        has: play.page.locator('code:text-is("max_completion_length")'),
      });
      await field.getByRole("textbox").fill("512");
      await sheet.getByRole("button", { name: "start a fresh run" }).click();
      await play.fault.waitFor();
      expect(await play.fault.textContent()).toMatch(/within 256 tokens, got \d+ \+ 512/);
      await play.stepReached((await play.step()) + 1);
      await play.pause();
      const again = await play.openSetUp();
      await again.getByText("All settings").click();
      expect(await field.getByRole("textbox").inputValue()).toBe("512"); // there to be corrected
    });
  },
  TEST_MS,
);

test(
  "a page that has loaded trains without a network",
  async () => {
    await withPage(async (play) => {
      await play.open(host.url);
      await play.page.context().setOffline(true);
      await trains(play);
    });
  },
  TEST_MS,
);

test(
  "a browser without WebGPU trains on WASM, says so, and does not offer WebGPU",
  async () => {
    const executablePath = await findChromium();
    const args = CHROMIUM_FLAGS.filter((flag) => !flag.includes("webgpu"));
    const plain = await chromium.launch({
      ...(executablePath === null ? {} : { executablePath }),
      args: [...args, "--disable-features=WebGPU", "--disable-gpu"],
    });
    try {
      const play = new Playground(await plain.newPage());
      await play.open(host.url);
      const sheet = await play.openSetUp();
      expect(await sheet.textContent()).toContain("this browser offers no GPU adapter");
      expect(await sheet.getByRole("radio", { name: /WebGPU.*not on this machine/ }).isEnabled()).toBe(false);
      await sheet.getByRole("button", { name: "Close" }).click();
      await trains(play);
    } finally {
      await plain.close();
    }
  },
  TEST_MS,
);

test(
  "numbers that stop being numbers stop the run at its last good step, with all rows before it",
  async () => {
    await withPage(async (play) => {
      await play.open(host.url);
      await play.setUp(20, { ...SMALL, learning_rate: 1e20 });
      await play.start("Train");
      await play.fault.waitFor();
      const text = (await play.fault.textContent()) ?? "";
      expect(text).toContain("Go on with half the learning rate from the last good step");
      const step = await play.step();
      expect(step).toBeGreaterThanOrEqual(1);
      expect(text).toContain(`stands at step ${step}`);
      expect(Number(/not-finite: \D*(\d+)/.exec(text)?.[1])).toBe(step + 1); // the step that broke
      const rows = await play.rows();
      expect(ofKind(rows, "step")).toHaveLength(2 * step);
      expect(await play.exported("CSV")).not.toMatch(/NaN|Infinity/);
      // nothing is lost: it can go on with what it has, here into the same wall, or be reset
      expect(await play.control("Go on").isEnabled()).toBe(true);
      await play.setUp(2, { learning_rate: 2e-3 });
      await play.finish("Train");
      expect(ofKind(await play.rows(), "step")).toHaveLength(4);
    });
  },
  TEST_MS,
);
