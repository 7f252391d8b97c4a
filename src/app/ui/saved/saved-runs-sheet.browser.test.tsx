/** The list of kept runs on the fake worker: what each was made on, and how large it is. */
import { afterEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { customerReply } from "../../../domain/scenarios/customer-reply.ts";
import { mountFakePage, type FakePage } from "../../../testing/fake-page.tsx";
import type { SavedRun } from "../../protocol/messages.ts";
import { buildSpec, settingsOf } from "../../store/set-up.ts";

let open: FakePage | null = null;
afterEach(() => {
  open?.root.unmount();
  open = null;
});

const [setUp] = customerReply.setUps;
const spec = buildSpec({
  ...{ scenario: customerReply, setUpId: setUp.id, settings: settingsOf(setUp) },
  ...{ rubric: setUp.rubric, prompts: null },
});

function saved(id: string, changes: Partial<SavedRun>): SavedRun {
  return {
    ...{ id, scenarioId: customerReply.id, savedAt: Date.UTC(2026, 0, 31, 12), step: 3, maxSteps: 60 },
    ...{ sizeBytes: 2.5e6, checkpoints: [{ id: "3", step: 3, savedAt: 0, sizeBytes: 2.5e6 }], spec },
    ...changes,
  };
}

test("a kept run says on which model it was made, how that is held, and from which adapter it started", async () => {
  const model = { id: "someone/small", revision: "c0ffee", storage: "q8", thinking: false } as const;
  const startAdapter = { name: "polite-lora", sha256: "0".repeat(64), baseModel: null, lora: spec.grpo.lora };
  const savedRuns = [
    saved("r1", { model: "small", spec: { ...spec, model, startAdapter } }),
    saved("r2", { model: "playground-qwen3-1m" }),
  ];
  await page.viewport(1440, 1000);
  const element = document.createElement("div");
  document.body.append(element);
  open = mountFakePage(element, { savedRuns });
  await page.getByRole("button", { name: "All saved runs" }).click();
  const items = page.getByRole("dialog", { name: "Saved runs" }).getByRole("listitem");
  const own = items.nth(0);
  await expect.element(own).toHaveTextContent(/step 3 of 60 · .*2026.* · 2\.5 MB · 1 checkpoint/);
  await expect.element(own).toHaveTextContent("small, 8 bits · from the adapter polite-lora");
  await expect.element(items.nth(1)).toHaveTextContent("1 checkpoint · playground-qwen3-1m");
  await expect.element(items.nth(1)).not.toHaveTextContent("adapter");
  element.remove();
});
