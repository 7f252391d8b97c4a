/**
 * all-MiniLM-L6-v2 on the built site, given as files and fetched from a hub: loaded in a worker of its own, it compares what answers
 * and criteria mean. Needs scripts/model/fetch_minilm.py.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readRepository } from "../scripts/hub/repository.ts";
import { startHub } from "../scripts/hub/server.ts";
import { launchChromium } from "./chromium.ts";
import { Playground } from "./playground.ts";
import { serveFolder } from "./static-server.ts";

const ROOT = join(import.meta.dirname, "..");
const MODEL = join(ROOT, ".cache/minilm/all-MiniLM-L6-v2");
const FILES = ["config.json", "tokenizer.json", "tokenizer_config.json", "onnx/model.onnx"].map((path) =>
  join(MODEL, path),
);

test.runIf(FILES.every(existsSync))(
  "files of the model are enough to compare what texts mean",
  async () => {
    const host = await serveFolder(join(ROOT, process.env["SITE"] ?? "dist"), "/some/where/");
    const browser = await launchChromium();
    try {
      const play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
      await play.open(host.url);
      const asked: string[] = [];
      play.page.on("request", (request) => asked.push(request.url()));
      await play.page.getByRole("button", { name: "Add a criterion" }).click();
      const sheet = play.page.getByRole("dialog", { name: "New criterion" });
      await sheet
        .getByRole("textbox", { name: "What should an answer do?" })
        .fill("Says sorry and sends another");
      await sheet.getByRole("combobox", { name: "Checked by" }).selectOption("similar");
      await sheet
        .getByRole("textbox", { name: /Reference answers/ })
        .fill("We are sorry that your kettle leaks; a new one is on its way.");
      const tryOn = async (answer: string): Promise<string> => {
        await sheet.getByRole("textbox", { name: "Paste or write an answer" }).fill(answer);
        await sheet.getByRole("button", { name: "Check", exact: true }).click();
        return (await sheet.locator(".tried .soft").textContent()) ?? "";
      };
      const other = "Please accept our apologies: a replacement kettle has been sent.";
      expect(await tryOn(other)).toMatch(/^0\.[0-4]\d\d alike by words alone, no model/);
      await sheet.getByRole("combobox", { name: /Words alone:? counts/ }).selectOption("all-MiniLM-L6-v2");
      expect(await tryOn(`${other} `)).toContain("all-MiniLM-L6-v2 is not loaded");
      await sheet.locator('input[type="file"][aria-label="Choose files"]').setInputFiles(FILES);
      await sheet.getByRole("button", { name: "Use these files" }).click();
      await sheet.getByText("all-MiniLM-L6-v2 is loaded").waitFor({ timeout: 120_000 });
      // 0.79192 by transformers on the same weights
      expect(await tryOn(other)).toMatch(/^0\.792 alike by all-MiniLM-L6-v2/);
      expect(
        asked.filter((address) => !address.startsWith(host.url) && !address.startsWith("blob:")),
      ).toEqual([]);
    } finally {
      await browser.close();
      await host.close();
    }
  },
  300_000,
);

test.runIf(FILES.every(existsSync))(
  "fetched by its id, it tells of criteria that say the same in other words, and of no other",
  async () => {
    const host = await serveFolder(join(ROOT, process.env["SITE"] ?? "dist"), "/some/where/");
    const hub = await startHub({ repositories: [await readRepository("Xenova/all-MiniLM-L6-v2", MODEL)] });
    const browser = await launchChromium();
    try {
      const play = new Playground(await browser.newPage({ viewport: { width: 1440, height: 1040 } }));
      await play.open(host.url);
      await play.page.getByRole("button", { name: "Source", exact: true }).click();
      const source = play.page.getByRole("dialog", { name: "The rubric's source" });
      const criteria = [
        "Gives the day of delivery",
        "Says when the parcel arrives",
        "States that the test is positive",
        "States that the test is negative",
        "Is polite",
      ].map((text, i) => ({ id: `c${String(i)}`, text, category: "Help", weight: 1 }));
      await source
        .getByRole("textbox", { name: "Source of the rubric" })
        .fill(JSON.stringify({ title: "Twice", criteria }, null, 1));
      await source.getByRole("button", { name: "Use this source" }).click();
      await play.page.getByRole("button", { name: /^Notes/ }).click();
      const notes = play.page.getByRole("dialog", { name: "Notes on this rubric" });
      await notes.getByText("Nothing stands out", { exact: false }).waitFor();
      await notes.getByLabel("Hub to fetch it from").fill(hub.url);
      await notes.getByRole("button", { name: "Fetch it (90 MB)" }).click();
      const said = notes.getByRole("listitem");
      await said.first().waitFor({ timeout: 120_000 });
      // .673 by transformers on the same weights
      expect(await said.locator("p").allTextContents()).toEqual([
        "“Gives the day of delivery” and “Says when the parcel arrives” mean nearly the same (likeness 0.67 by all-MiniLM-L6-v2). If they do, it counts twice.",
      ]);
    } finally {
      await browser.close();
      await host.close();
      await hub.close();
    }
  },
  300_000,
);
