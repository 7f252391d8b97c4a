/** all-MiniLM-L6-v2 given as files to the built site: loaded in a worker of its own, it compares meanings. Needs scripts/model/fetch_minilm.py. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
    const host = await serveFolder(join(ROOT, "dist"), "/some/where/");
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
