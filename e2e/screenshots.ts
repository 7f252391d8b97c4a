/**
 * Pictures of the page on fake data, in both themes and at two widths: `npx tsx e2e/screenshots.ts [folder]`. Serves the
 * page itself and stops the server when it is done.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "playwright";
import { createServer } from "vite";

const folder = process.argv[2] ?? ".cache/screenshots";
const SIZES = { desktop: { width: 1440, height: 1040 }, phone: { width: 390, height: 844 } } as const;

async function settle(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  await page.waitForTimeout(400);
}

/** The main states of one theme and size. */
async function shoot(page: Page, name: string): Promise<void> {
  const save = async (state: string, fullPage = true): Promise<void> => {
    await settle(page);
    await page.screenshot({ path: join(folder, `${name}-${state}.png`), fullPage });
  };
  await page.getByRole("button", { name: "Train", exact: true }).waitFor();
  await save("empty");
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await page.waitForFunction(() => Number(document.querySelector(".run-counter b")?.textContent) >= 42);
  await page.getByRole("button", { name: /Pause/ }).click();
  await save("paused");
  await page.getByRole("button", { name: "More charts" }).click();
  await page.getByRole("button", { name: "Verdict matrix" }).click();
  await save("more");
  await page.getByRole("button", { name: "Verdict matrix" }).click();
  await page.getByRole("button", { name: "Fewer charts" }).click();
  await page
    .getByRole("button", { name: /^Story of/ })
    .nth(2)
    .click();
  await save("story", false);
  await page.keyboard.press("Escape");
  for (const [button, state] of [
    ["Set-up", "set-up"],
    ["Ask it", "ask"],
    ["Add a criterion", "editor"],
  ] as const) {
    await page.getByRole("button", { name: button, exact: true }).click();
    await save(state, false);
    await page.keyboard.press("Escape");
  }
}

mkdirSync(folder, { recursive: true });
const server = await createServer({ configFile: "vite.config.ts", server: { port: 0 }, logLevel: "error" });
await server.listen();
const address = server.resolvedUrls?.local[0] ?? "";
const executablePath = process.env["CHROMIUM"];
const browser = await chromium.launch({
  ...(executablePath === undefined ? {} : { executablePath }),
  args: ["--no-sandbox"],
});
try {
  for (const [size, viewport] of Object.entries(SIZES)) {
    for (const colorScheme of ["light", "dark"] as const) {
      const page = await browser.newPage({ viewport, colorScheme });
      page.setDefaultTimeout(120_000);
      page.on("pageerror", (error) => {
        console.error(`${size} ${colorScheme}: ${error.message}`);
        process.exitCode = 1;
      });
      await page.goto(`${address}src/testing/fake-page.html?stepMs=120`);
      await shoot(page, `${size}-${colorScheme}`);
      await page.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
}
