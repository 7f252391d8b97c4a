/**
 * A run's rows as files: JSON Lines and CSV (RFC 4180), one flat row each, in TRL's names; evaluations carry TRL's
 * prefix `eval_`, rows of several seeds their seed. A missing number is null in JSON and an empty cell in CSV.
 */
import type { Evaluation, RunRow, SeedRow } from "./records.ts";

type Cell = string | number | boolean | null;
type Flat = Readonly<Record<string, Cell>>;

/** A row as one flat object, its seed first where it has one. */
export function flattenRow(row: RunRow | SeedRow): Flat {
  return "seed" in row ? { seed: row.seed, ...flattenOwn(row) } : flattenOwn(row);
}

function flattenOwn(row: RunRow): Flat {
  switch (row.kind) {
    case "step":
      return {
        kind: row.kind,
        arm: row.arm,
        step: row.step,
        rubric_version: row.rubricVersion,
        prompt_ids: row.promptIds.join(" "),
        zero_signal: row.zeroSignal,
        ...row.metrics,
        ...Object.fromEntries(
          row.criteria.flatMap((criterion): [string, Cell][] => [
            [`criteria/${criterion.id}/mean_before_noise`, criterion.passRateBeforeNoise],
            [`criteria/${criterion.id}/state`, criterion.state],
          ]),
        ),
      };
    case "evaluation":
      return flattenEvaluation(row);
    case "rubric":
      return {
        kind: row.kind,
        step: row.step,
        rubric_version: row.rubricVersion,
        summary: row.summary,
        changes: row.changes.join(" | "),
      };
  }
}

function flattenEvaluation(row: Evaluation): Flat {
  return {
    kind: row.kind,
    arm: row.arm,
    step: row.step,
    rubric_version: row.rubricVersion,
    eval_samples: row.samples,
    eval_score: row.score,
    eval_balanced_score: row.balancedScore,
    eval_strict_completion: row.strictCompletion,
    eval_learning_pass_rate: row.learningPassRate,
    "eval_completions/mean_length": row.meanLength,
    ...Object.fromEntries(
      Object.entries(row.categories).map(([name, score]) => [`eval_rewards/${name}/mean`, score]),
    ),
    ...Object.fromEntries(
      row.criteria.map((criterion) => [`eval_criteria/${criterion.id}/mean`, criterion.passRate]),
    ),
  };
}

/** One JSON object a line. */
export function rowsToJsonl(rows: readonly RunRow[]): string {
  return rows.map((row) => `${JSON.stringify(flattenRow(row))}\n`).join("");
}

/** A header line with every name that occurs, then one line a row. */
export function rowsToCsv(rows: readonly RunRow[]): string {
  const flat = rows.map(flattenRow);
  const names = [...new Set(flat.flatMap((row) => Object.keys(row)))];
  const lines = [names, ...flat.map((row) => names.map((name) => row[name] ?? null))];
  return lines.map((line) => `${line.map(csvCell).join(",")}\r\n`).join("");
}

function csvCell(value: Cell): string {
  if (value === null) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
