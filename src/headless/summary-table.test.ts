import { expect, test } from "vitest";
import { cellsOf, parseExperiment, type ExperimentCell } from "../domain/experiment/experiment-file.ts";
import { summarise } from "../domain/experiment/summary.ts";
import { seedRows } from "../testing/seed-rows.ts";
import { summaryTable } from "./summary-table.ts";

const experiment = parseExperiment(
  JSON.stringify({
    name: "e",
    question: "Who learns?",
    scenario: "customer-reply",
    setUp: "heavy",
    seeds: [1, 2, 3],
    arms: [
      { id: "pow3r", rule: "pow3r" },
      { id: "static", rule: "static-scalar" },
    ],
    baseline: "static",
    cells: [{ id: "quiet", title: "No noise", judgeNoise: 0, flatWeight: 5 }],
  }),
  "e.json",
);

const [cell] = cellsOf(experiment) as [ExperimentCell];

test("one seed has no interval", () => {
  const summary = summarise([seedRows(1, { pow3r: [0.5, 0.5], static: [0.5, 0.6] })], {
    arms: ["pow3r", "static"],
    baseline: "static",
  });
  const text = summaryTable(experiment, cell, "model", summary);
  expect(text).toContain("| pow3r | never | 0 of 1 | — | never | 0.000 |");
  expect(text).toContain("| static | 5 | 1 of 1 | 1.00x | 5 | 0.100 |");
});

test("a summary becomes tables with every arm, and a dash where there is no number", () => {
  const runs = [
    seedRows(1, { pow3r: [0.5, 0.7, 0.8], static: [0.5, 0.6, 0.7] }),
    seedRows(2, { pow3r: [0.4, 0.5, 0.7], static: [0.4, 0.6, 0.6] }),
    seedRows(3, { pow3r: [0.5, 0.6, 0.6], static: [0.5, 0.5, 0.7] }),
  ];
  const summary = summarise(runs, { arms: ["pow3r", "static"], baseline: "static" });
  const text = summaryTable(experiment, cell, "model", summary);
  expect(text).toContain("# e: No noise");
  expect(text).toContain("judge noise 0, weight 5 on flat criteria");
  expect(text.indexOf("| base model | 0.467 ± 0.143 | — |")).toBeGreaterThan(0);
  expect(text.indexOf("| base model |")).toBeLessThan(text.indexOf("| pow3r | 0.700 ± 0.248 |"));
  expect(text).toContain("| pow3r | 10 (5 to never) | 2 of 3 | 1.00x | 10 | 0.233 ± 0.287 |");
  expect(text).toContain("ahead in 2 of 3");
  expect(text).toContain("| static | 0.200 ± 0.000 | 1.500 ± 0.000 | 0.250 ± 0.000 | 0.000 ± 0.000 |");
});
