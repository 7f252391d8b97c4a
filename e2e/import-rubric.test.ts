/** A rubric from a file: what the page shows of it before anything is replaced, what becomes of it, and what is said of a broken one. */
import { readFile } from "node:fs/promises";
import type { Locator } from "playwright";
import { expect, test } from "vitest";
import { healthBenchRow, sampleFiles } from "../src/testing/rubric-files.ts";
import { onFreshPage } from "./fresh-page.ts";
import { type Playground, SMALL } from "./playground.ts";

const TEST_MS = 240_000;

let play: Playground;

onFreshPage((fresh) => {
  ({ play } = fresh);
});

/** Opens a text as the file of a rubric, by the menu. */
async function openRubric(name: string, text: string): Promise<Locator> {
  await play.page.getByText("Files", { exact: true }).click();
  const chosen = play.page.waitForEvent("filechooser");
  await play.page.getByRole("button", { name: "A rubric …" }).click();
  await (await chosen).setFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  return play.page.getByRole("dialog", { name: "Open a rubric" });
}

const promptLines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => {
    const row = {
      ...healthBenchRow(from + i),
      prompt: [{ role: "user", content: `Explain tax law, part ${String(i)}.` }],
    };
    const rubrics = row.rubrics.map((each, c) =>
      c === 0
        ? {
            ...each,
            tags: [
              ...each.tags,
              `id:short-${String(from + i)}`,
              `check:{"type":"word-count","args":{"max":12}}`,
            ],
          }
        : each,
    );
    return JSON.stringify({ ...row, rubrics });
  }).join("\n");

test(
  "a HealthBench file shows what it asks, says what the bundled model cannot, trains and comes out again",
  async () => {
    const sheet = await openRubric("hb.jsonl", promptLines(0, 40));
    await sheet.getByText("hb.jsonl reads as HealthBench. It holds 40 prompts and 160 criteria.").waitFor();
    const beyond =
      /The bundled model does not know \d+ words, such as “Explain”, “tax”.* of these \d+ prompts\. .*cannot answer them\. A real model can\./;
    await sheet.getByText(beyond).waitFor();
    // the file is still open when the person comes back
    await sheet.getByRole("button", { name: "Choose a model" }).click();
    const models = play.page.getByRole("dialog", { name: "Model" });
    await models.getByRole("button", { name: "Close" }).click();
    await sheet.getByLabel("Prompts to take").fill("8");
    await sheet
      .getByText("32 criteria count for them. Every fourth of the drawn ones is held out: 2.", {
        exact: false,
      })
      .waitFor();
    await sheet
      .getByText("8 of 32 criteria are checked by a program; 24 need a judge", { exact: false })
      .waitFor();
    expect(await sheet.getByText("must not").count()).toBe(8);
    const screenshot = process.env["SHOTS"];
    if (screenshot !== undefined) await play.page.screenshot({ path: `${screenshot}/import.png` });
    await sheet.getByRole("button", { name: "Start a run on 8 prompts" }).click();
    await play.page.getByText("This trains on your 8 prompts.").waitFor();
    await play.page.locator(".notices").getByText(beyond).waitFor();
    await play.page.locator(".notices").getByRole("button", { name: "Choose a model" }).click();
    await models.getByRole("button", { name: "Close" }).click();
    await play.setUp(2, SMALL);
    await play.finish("Train");
    const rows = await play.rows();
    expect(rows.some((row) => typeof row["reward"] === "number")).toBe(true);
    await play.page.getByText("Files", { exact: true }).click();
    await play.page.getByRole("button", { name: "The rubric in another form …" }).click();
    const saves = play.page.getByRole("dialog", { name: "Save the rubric" });
    await saves.getByText("This form cannot hold it: it has prompts", { exact: false }).waitFor();
    const download = play.page.waitForEvent("download");
    await saves.getByRole("button", { name: "Save HealthBench" }).click();
    const text = await readFile(await (await download).path(), "utf8");
    await saves.getByRole("button", { name: "Close" }).click();
    const again = await openRubric("again.jsonl", text);
    await again.getByText("again.jsonl reads as HealthBench. It holds 8 prompts and 32 criteria.").waitFor();
  },
  TEST_MS,
);

test(
  "prompts that are too long for the model are told with what to do, and the file stays open for others",
  async () => {
    const row = (n: number, content: string): string =>
      JSON.stringify({ ...healthBenchRow(n), prompt: [{ role: "user", content }] });
    const long = "Explain the whole of tax law. ".repeat(30);
    const sheet = await openRubric(
      "long.jsonl",
      [row(1, "Explain tax law."), row(2, long), row(3, long)].join("\n"),
    );
    await sheet.getByRole("button", { name: "Start a run on 3 prompts" }).click();
    await sheet
      .getByRole("alert")
      .getByText(
        /prompt "hb-\d(-held-out)?" and 3 more: expected prompt and answer within 256 tokens.*a longer context/,
      )
      .waitFor();
    await sheet.getByRole("alert").getByText("Another seed, or fewer prompts, draws others.").waitFor();
    for (const seed of ["1", "2", "3", "4", "5", "6", "7"]) {
      await sheet.getByLabel("Prompts to take").fill("1");
      await sheet.getByLabel("Seed").fill(seed);
      if (await sheet.getByText("Explain tax law.", { exact: true }).isVisible()) break;
    }
    await sheet.getByRole("button", { name: "Start a run on 1 prompt" }).click();
    await play.page.getByText("This trains on your prompt.").waitFor();
  },
  TEST_MS,
);

test(
  "a broken file is told by row and field, a forced form too, and the rubric in use stays",
  async () => {
    const title = await play.page.locator(".criterion-name").first().textContent();
    const sheet = await openRubric(
      "bad.jsonl",
      `${promptLines(0, 2)}\n{"prompt_id": "x", "prompt": "q", "rubrics": [{"criterion"`,
    );
    await sheet
      .getByRole("alert")
      .getByText(/bad\.jsonl, row 3 \(line 3\): expected a whole line of JSON/)
      .waitFor();
    await sheet.getByRole("button", { name: "Close" }).click();
    const rar = await openRubric("rar.jsonl", sampleFiles.rar.text);
    await rar.getByText("rar.jsonl reads as RaR").waitFor();
    await rar.getByRole("combobox", { name: "Form" }).selectOption("HealthBench");
    await rar
      .getByRole("alert")
      .getByText(/row 1 \(line 1\), prompt: expected/)
      .waitFor();
    await rar.getByRole("button", { name: "Close" }).click();
    expect(await play.page.locator(".criterion-name").first().textContent()).toBe(title);
  },
  TEST_MS,
);

test(
  "a rubric without prompts that is dropped on the page replaces the one in use, and one undo brings that back",
  async () => {
    const data = await play.page.evaluateHandle((text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], "v.json"));
      return transfer;
    }, sampleFiles.verifiers.text);
    const before = await play.page.locator(".criterion-name").count();
    await play.page.dispatchEvent("main", "dragover", { dataTransfer: data });
    await play.page.getByText("Drop a rubric here").waitFor();
    await play.page.dispatchEvent("main", "drop", { dataTransfer: data });
    const sheet = play.page.getByRole("dialog", { name: "Open a rubric" });
    await sheet.getByText("Every criterion needs a judge.", { exact: false }).waitFor();
    await sheet.getByRole("button", { name: "Use this rubric" }).press("Enter");
    await play.page.getByRole("button", { name: "Is it polite?" }).first().waitFor();
    await play.page.getByRole("button", { name: "Undo" }).click();
    await play.page.waitForFunction(
      (count) => document.querySelectorAll(".criterion-name").length === count,
      before,
    );
  },
  TEST_MS,
);
