/** The page in a real browser on the fake worker: keyboard, labels, highlights, sheets, and axe's rules in both themes. */
import axe from "axe-core";
import { afterEach, expect, test } from "vitest";
import { cdp, page, userEvent } from "vitest/browser";
import { mountFakePage, type FakePage } from "../../testing/fake-page.tsx";
import type { FakeWorkerOptions } from "../../testing/fake-worker.ts";

/** Chunks and timers on a busy machine. */
const eventually = <T,>(value: () => T) => expect.poll(value, { timeout: 20_000 });

let open: (FakePage & { readonly element: HTMLElement }) | null = null;

async function openPage(options: FakeWorkerOptions = {}): Promise<FakePage> {
  await page.viewport(1440, 1000);
  const element = document.createElement("div");
  document.body.append(element);
  open = { ...mountFakePage(element, options), element };
  if (options.loadFault === undefined) await expect.element(page.getByText("of 60 steps")).toBeVisible();
  return open;
}

async function trained(steps: number): Promise<FakePage> {
  const fake = await openPage({ stepMs: 1 });
  for (let i = 0; i < steps; i++) {
    await fake.app.actions.step();
    await eventually(() => fake.app.store.getState().run).toMatchObject({ phase: "paused", step: i + 1 });
  }
  return fake;
}

afterEach(() => {
  open?.root.unmount();
  open?.element.remove();
  open = null;
});

test("no width of window scrolls sideways", async () => {
  await trained(1);
  for (const width of [320, 390, 600, 699, 700, 760, 819, 820, 1000, 1189, 1190, 1440]) {
    await page.viewport(width, 900);
    const { documentElement: root } = document;
    await expect.poll(() => root.scrollWidth - root.clientWidth, { message: `${width}` }).toBe(0);
  }
});

async function violations(): Promise<readonly string[]> {
  const { violations: found } = await axe.run(document, { rules: { region: { enabled: false } } });
  return found.map(
    (violation) => `${violation.id}: ${violation.nodes.map((node) => node.html.slice(0, 140)).join(" | ")}`,
  );
}

const session = cdp() as { send(method: string, params: object): Promise<unknown> };

async function theme(value: "light" | "dark"): Promise<void> {
  await session.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value }] });
}

test("axe finds nothing on the page in both themes, and on a phone", async () => {
  await trained(4);
  await eventually(() => document.querySelectorAll(".chart-line").length).toBeGreaterThan(2);
  expect(await violations()).toEqual([]);
  await theme("dark");
  expect(matchMedia("(prefers-color-scheme: dark)").matches).toBe(true);
  expect(await violations()).toEqual([]);
  await theme("light");
  await page.viewport(390, 844);
  expect(await violations()).toEqual([]);
});

test("axe finds nothing in the sheets", async () => {
  await trained(1);
  for (const name of ["Set-up", "Ask it", "Add a criterion", "Try it"]) {
    await page.getByRole("button", { name, exact: true }).click();
    await expect.element(page.getByRole("dialog")).toBeVisible();
    expect(await violations()).toEqual([]);
    await userEvent.keyboard("{Escape}");
    await expect.element(page.getByRole("dialog")).not.toBeInTheDocument();
  }
});

test("a weight is edited in place by keyboard and goes to the run", async () => {
  const { worker, app } = await openPage();
  const field = page.getByRole("textbox", { name: "Weight of Names the product" });
  await field.fill("6");
  await userEvent.keyboard("{Enter}");
  await expect.element(field).toHaveValue("6");
  await userEvent.keyboard("{ArrowUp}");
  await expect.element(field).toHaveValue("7");
  const edits = worker.requests.filter((request) => request.name === "editRubric");
  expect(edits.length).toBe(2);
  await page.getByRole("button", { name: "Undo" }).click();
  expect(app.store.getState().rubric.criteria.find((c) => c.id === "names-product")?.weight).toBe(6);
});

test("a criterion in free words is shown as needing a judge, with dashes and no pressure", async () => {
  const { app } = await openPage({ stepMs: 1 });
  await page.getByRole("button", { name: "Add a criterion" }).click();
  await page.getByRole("textbox", { name: "What should an answer do?" }).fill("Sounds kind");
  await page.getByRole("button", { name: "Use it" }).click();
  await expect.element(page.getByText("needs a judge").first()).toBeVisible();
  await app.actions.step();
  await eventually(() => app.store.getState().latest["pow3r"]?.step).toBe(1);
  const row = page.getByRole("row").filter({ hasText: "Sounds kind" });
  await expect.element(row).toHaveTextContent(/needs a judge\s*–\s*–\s*–.*–$/);
  expect(row.element().querySelector(".pressure-bars")).toBeNull();
});

test("with a judge free words have their share before the first step, and none is said to be missing", async () => {
  const { app } = await openPage({ stepMs: 1 });
  await app.actions.applyJudges({ judge: { kind: "local", model: { name: "Fake judge" }, threshold: 0.5 } });
  await eventually(() => app.store.getState().spec?.judge?.kind).toBe("local");
  await page.getByRole("button", { name: "Add a criterion" }).click();
  await page.getByRole("textbox", { name: "What should an answer do?" }).fill("Sounds kind");
  await expect.element(page.getByRole("dialog")).not.toHaveTextContent(/there is no judge yet/);
  await page.getByRole("button", { name: "Use it" }).click();
  const row = page.getByRole("row").filter({ hasText: "Sounds kind" });
  await expect.element(row).toHaveTextContent(/Sounds kind\s*judge/);
  await expect.element(row).not.toHaveTextContent(/needs a judge/);
  await eventually(() => row.element().querySelector(".pressure-bars")?.getAttribute("aria-label")).toMatch(
    /POW3R [1-9]/,
  );
  await page.getByRole("button", { name: "Story of “Sounds kind”" }).click();
  await expect.element(page.getByText("needs a judge")).not.toBeInTheDocument();
});

test("a changed check starts a row anew: dashes till the next step, the old bars faint", async () => {
  const { app } = await trained(3);
  const said = app.store.getState().rubric.criteria.find((criterion) => criterion.id === "names-product");
  const check = { type: "contains-any", args: { phrases: ["thing"] }, negate: false };
  if (said !== undefined) app.actions.putCriterion({ ...said, check });
  const row = page.getByRole("row").filter({ hasText: "Names the product" });
  await expect.element(row).toHaveTextContent(/^Names the product\s*–\s*–/);
  const bars = (opacity: string): number =>
    [...row.element().querySelectorAll(`.pass-strip path[fill-opacity="${opacity}"]`)]
      .map((path) => path.getAttribute("d") ?? "")
      .join("").length;
  await eventually(() => bars("0.25")).toBeGreaterThan(0);
  expect(bars("0.95")).toBe(0);
  await app.actions.step();
  await expect.element(row).toHaveTextContent("too little seen");
  await eventually(() => bars("0.95")).toBeGreaterThan(0);
});

test("the sentence stays true when a criterion is removed", async () => {
  const { app } = await trained(3);
  const sentence = page.getByRole("region", { name: "This step:" });
  await expect.element(sentence).toHaveTextContent("18 criteria");
  app.actions.removeCriterion("names-product");
  await expect.element(page.getByText("Names the product", { exact: true })).not.toBeInTheDocument();
  await expect.element(sentence).toHaveTextContent("18 criteria");
});

test("a weight that is none is refused in words, and the old one stays", async () => {
  await openPage();
  const field = page.getByRole("textbox", { name: "Weight of Names the product" });
  for (const typed of ["-3", "abc", "1e9"]) {
    await field.fill(typed);
    await userEvent.keyboard("{Enter}");
    await expect.element(page.getByText("A weight is a number from 0 to 1000; it stays 1.")).toBeVisible();
    await expect.element(field).toHaveValue("1");
  }
  await field.fill("2");
  await userEvent.keyboard("{Enter}");
  await expect.element(page.getByText("A weight is a number")).not.toBeInTheDocument();
});

test("the page explains itself, until it is told that that will do, and its words always", async () => {
  await openPage();
  const intro = page.getByRole("region", { name: "What this page does" });
  await expect.element(intro).toHaveTextContent("Press Train");
  await intro.getByRole("button", { name: "Got it" }).click();
  await expect.element(intro).not.toBeInTheDocument();
  await page.getByRole("button", { name: "Every word explained" }).click();
  await expect.element(page.getByRole("dialog")).toHaveTextContent("How fast α follows");
  expect(await violations()).toEqual([]);
});

test("the editor offers a check's arguments and tries it on an answer", async () => {
  await openPage();
  await page.getByRole("button", { name: "Add a criterion" }).click();
  await page.getByRole("textbox", { name: "What should an answer do?" }).fill("Says thanks");
  await page.getByRole("combobox", { name: "Checked by" }).selectOptions("contains one of");
  await expect.element(page.getByRole("button", { name: "Use it" })).toBeDisabled();
  await page.getByRole("textbox", { name: /one a line/ }).fill("thank you");
  await page.getByRole("textbox", { name: "Paste or write an answer" }).fill("Well, thank you for that.");
  await page.getByRole("button", { name: "Check", exact: true }).click();
  await expect.element(page.getByRole("dialog").getByText(": met")).toBeVisible();
  await expect.element(page.getByRole("button", { name: "Use it" })).toBeEnabled();
});

test("hovering a criterion's row lights its dots up, and a click opens its story", async () => {
  await trained(1);
  const name = page.getByRole("button", { name: "Story of “Gives the order number”" });
  await name.hover();
  await eventually(() => document.querySelectorAll(".verdict-dot.lit").length).toBe(3);
  await name.click();
  await expect
    .element(page.getByRole("heading", { name: "What answers of the POW3R arm did with it" }))
    .toBeVisible();
});

test("a term explains itself on focus and goes with Escape", async () => {
  await openPage();
  const term = page.getByRole("button", { name: "pressure", exact: true });
  term.element().focus();
  await expect
    .poll(() => document.querySelector(".tip")?.textContent)
    .toContain("share of each arm's reward");
  await expect.element(term).toHaveAccessibleDescription(/share of each arm's reward/);
  await userEvent.keyboard("{Escape}");
  await eventually(() => document.querySelector(".tip")).toBeNull();
});

test("a model that cannot be loaded says what to do next", async () => {
  const loadFault = {
    code: "webgpu-limits",
    message: "adapter: expected 512 MB, got 128 MB.",
    where: "adapter",
  } as const;
  await openPage({ loadFault });
  await expect.element(page.getByRole("alert")).toHaveTextContent("Choose WASM in the set-up");
  await expect.element(page.getByRole("button", { name: "Try again" })).toBeVisible();
});

test("panels keep their size while training", async () => {
  const { app } = await trained(2);
  const heights = (): number[] =>
    [...document.querySelectorAll(".rubric, .sentence, .charts")].map((e) => e.clientHeight);
  await eventually(() => document.querySelectorAll(".chart-line").length).toBeGreaterThan(2);
  const before = heights();
  for (let i = 0; i < 4; i++) {
    await app.actions.step();
    await eventually(() => app.store.getState().run.phase).toBe("paused");
  }
  expect(heights()).toEqual(before);
});
