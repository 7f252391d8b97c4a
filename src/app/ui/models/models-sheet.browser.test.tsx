/** The model sheet on the fake worker: what a button in its foot brings is seen, and what is loaded is not offered again. */
import { afterEach, expect, test } from "vitest";
import { page } from "vitest/browser";
import { mountFakePage, type FakePage } from "../../../testing/fake-page.tsx";

let open: { readonly fake: FakePage; readonly element: HTMLElement } | null = null;

async function openSheet(width: number) {
  await page.viewport(width, 800);
  const element = document.createElement("div");
  document.body.append(element);
  open = { fake: mountFakePage(element, {}), element };
  await expect.element(page.getByText("of 60 steps")).toBeVisible();
  await page.getByRole("button", { name: /Choose another model/ }).click();
  return page.getByRole("dialog", { name: "Model" });
}

afterEach(() => {
  open?.fake.root.unmount();
  open?.element.remove();
  open = null;
});

test.each([1440, 390])("at %i px the cost is in view once it is asked for", async (width) => {
  const sheet = await openSheet(width);
  await sheet.getByRole("button", { name: "What does it cost?" }).click();
  await expect.element(sheet.getByRole("heading", { name: "What runs where" })).toBeInViewport({ ratio: 1 });
  await expect.element(sheet.getByText(/parameters · .* to download/)).toBeInViewport({ ratio: 1 });
});

test("a run that waits for its model leads to the sheet with that model, and its fault goes once it is loaded", async () => {
  const sheet = await openSheet(1440);
  await sheet.getByRole("button", { name: "Close" }).click();
  const model = { id: "someone/small", revision: "c0ffee", storage: "q4", thinking: true } as const;
  open?.fake.app.store.setState({
    wantedModel: model,
    fault: { code: "model-other", where: "the run's model", message: "expected someone/small@c0ffee" },
  });
  await page.getByRole("button", { name: "Choose that model" }).click();
  await expect.element(sheet.getByLabelText("Model id")).toHaveValue(model.id);
  await expect.element(sheet.getByLabelText("Revision")).toHaveValue(model.revision);
  await expect.element(sheet.getByRole("radio", { name: "4 bits" })).toBeChecked();
  await sheet.getByRole("button", { name: "What does it cost?" }).click();
  await sheet.getByRole("button", { name: /load it$/ }).click();
  await expect.element(sheet.getByRole("button", { name: "It is loaded" })).toBeDisabled();
  await expect.element(page.getByRole("button", { name: "Choose that model" })).not.toBeInTheDocument();
});

test("what is loaded says what comes next, and is offered again only when it is held otherwise", async () => {
  const sheet = await openSheet(1440);
  await sheet.getByRole("button", { name: "What does it cost?" }).click();
  await sheet.getByRole("button", { name: /load it$/ }).click();
  await expect.element(sheet.getByRole("button", { name: "It is loaded" })).toBeDisabled();
  await expect.element(sheet.getByText("Close this sheet and press Train.")).toBeVisible();
  await sheet.getByRole("radio", { name: "4 bits" }).click();
  await expect.element(sheet.getByRole("button", { name: /load it$/ })).toBeEnabled();
});
