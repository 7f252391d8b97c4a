/** axe's rules on the page as it stands, for the browser specs. */
import { createRequire } from "node:module";
import type { Page } from "playwright";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** One line a broken rule: its id and the elements that break it. */
export async function violations(page: Page): Promise<readonly string[]> {
  await page.addScriptTag({ path: AXE });
  return page.evaluate(async () => {
    type Found = { violations: { id: string; nodes: { html: string }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(of: Document): Promise<Found> } };
    const { violations: found } = await axe.run(document);
    return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  });
}
