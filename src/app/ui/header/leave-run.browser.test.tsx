/** What another run costs a person: asked once, edits kept and said, own prompts pointed to, faults of files shown. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { mountFakePage, type FakePage } from "../../../testing/fake-page.tsx";

const eventually = <T,>(value: () => T) => expect.poll(value, { timeout: 20_000 });

let open: FakePage;
let element: HTMLElement;
beforeEach(async () => {
  await page.viewport(1440, 1000);
  element = document.createElement("div");
  document.body.append(element);
  open = mountFakePage(element, { stepMs: 400 });
  await expect.element(page.getByText("of 60 steps")).toBeVisible();
});
afterEach(() => {
  open.root.unmount();
  element.remove();
});
const state = () => open.app.store.getState();
const created = () => open.worker.requests.filter((request) => request.name === "createRun").length;

async function steps(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const step = state().run.step + 1;
    await open.app.actions.step();
    await eventually(() => state().run).toMatchObject({ phase: "paused", step });
  }
}

test("a few steps are left without a word, more only when the person agrees", async () => {
  const reset = page.getByRole("button", { name: "Reset" });
  await steps(3);
  await reset.click();
  await eventually(created).toBe(2);
  await eventually(() => state().run.phase).toBe("idle");
  await steps(4);
  await reset.click();
  await expect.element(page.getByRole("dialog", { name: "Leave this run?" })).toBeVisible();
  await userEvent.keyboard("{Escape}");
  await reset.click();
  await page.getByRole("button", { name: "Stay", exact: true }).click();
  await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
  expect(created()).toBe(2);
  expect(state().run.step).toBe(4);
  await reset.click();
  await page.getByRole("button", { name: "Leave it" }).click();
  await eventually(created).toBe(3);
  expect(open.worker.requests.filter((request) => request.name === "listRuns")).toHaveLength(2);
});

test("edits that stay behind are named, and named again when they are back", async () => {
  const field = page.getByRole("textbox", { name: "Weight of Names the product" });
  await field.fill("6");
  await userEvent.keyboard("{Enter}");
  await page.getByRole("combobox", { name: "Set-up" }).selectOptions("mild");
  await expect
    .element(page.getByText(/edits of the rubric are kept for “Customer reply, Heavy weights”/))
    .toBeVisible();
  await page.getByRole("combobox", { name: "Set-up" }).selectOptions("heavy");
  await expect.element(page.getByText("This rubric has your earlier edits.")).toBeVisible();
  await expect.element(field).toHaveValue("6");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.element(field).toHaveValue("1");
  await expect.element(page.getByText("This rubric has your earlier edits.")).not.toBeInTheDocument();
});

test("own prompts are written where the notice points, with unknown words named", async () => {
  await page.getByRole("combobox", { name: "Scenario" }).selectOptions("your-own-prompts");
  await page.getByRole("button", { name: "Write your prompts" }).click();
  await expect.element(page.getByRole("textbox", { name: "one a line" })).toHaveFocus();
  await userEvent.fill(page.getByRole("textbox", { name: "one a line" }), "My quasar leaks, order #48213");
  await expect.element(page.getByText(/does not know “quasar”/)).toBeVisible();
  await page.getByRole("button", { name: "Use these: start a fresh run" }).click();
  await expect.element(page.getByText("This trains on your prompt.")).toBeVisible();
});

test("the newest answer is tried beside its own prompt, and an edit takes its verdicts away", async () => {
  await steps(1);
  const group = state().groups["pow3r"]?.[0];
  expect(group?.promptId).not.toBe(state().spec?.trainPrompts[0]?.id);
  await page.getByRole("button", { name: "Try it", exact: true }).click();
  await expect
    .element(page.getByRole("combobox", { name: "to the prompt" }))
    .toHaveValue(group?.promptId ?? "");
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await eventually(() => document.querySelectorAll(".tried li").length).toBeGreaterThan(3);
  await page.getByRole("textbox", { name: "Paste or write an answer" }).fill("Hello");
  await eventually(() => document.querySelectorAll(".tried li").length).toBe(0);
});

test("a run can be paused while a sheet covers its buttons", async () => {
  await eventually(() => state().run.phase).toBe("idle");
  await page.getByRole("button", { name: "Train", exact: true }).click();
  await eventually(() => state().run.phase).toBe("running");
  await page.getByRole("button", { name: "Ask it" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
  await eventually(() => state().run.phase).toBe("paused");
  await expect
    .element(page.getByRole("dialog").getByRole("button", { name: "Pause" }))
    .not.toBeInTheDocument();
});

test("a file that cannot be used says where, what was expected, what came", async () => {
  await page.getByText("Files", { exact: true }).click();
  const file = new File(['{"title": "t", "criteria": []}'], "r.json", { type: "application/json" });
  await userEvent.upload(page.getByLabelText("A rubric …", { exact: true }).last(), file);
  await expect
    .element(
      page.getByText(/r\.json, criteria: expected a number of entries of at least 1, got an empty list/),
    )
    .toBeVisible();
});
