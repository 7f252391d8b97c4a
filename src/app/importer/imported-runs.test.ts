/**
 * Files of every format, as their publishers write them, on their whole way through the product: read as the page reads them, made a
 * run as the page makes it, two GRPO steps of the bundled model, and out again. What a judge must say is told by a local
 * endpoint, by a rule that this test knows too.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defined } from "../../base/assert.ts";
import { toFaultMessage } from "../../base/errors.ts";
import { checks } from "../../domain/rubric/checks/registry.ts";
import { appliesTo } from "../../domain/rubric/criteria.ts";
import { exportRubric, exportTargets, type ExportName } from "../../domain/rubric/formats/export-rubric.ts";
import { importRubric, type ImportedRubric } from "../../domain/rubric/formats/import-rubric.ts";
import { suggestedPrompts, takePrompts } from "../../domain/rubric/formats/take-prompts.ts";
import { endpointJudgeSchema } from "../../domain/run/judge-spec.ts";
import type { ArmStep, Evaluation, RolloutGroup } from "../../domain/run/records.ts";
import type { RunSpec } from "../../domain/run/spec.ts";
import { customerReply } from "../../domain/scenarios/customer-reply.ts";
import { yourOwnPrompts } from "../../domain/scenarios/your-own-prompts.ts";
import { openKernelEngine } from "../../engine/kernels/kernels-node.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { createTextCodec } from "../../engine/text/tokenizer.ts";
import { loadModel, type LoadedModel } from "../../engine/weights/load-model.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { openJudges } from "../../headless/node-judges.ts";
import { createNodeSandbox } from "../../headless/node-sandbox.ts";
import { bundledModelFolders } from "../../testing/bundled-model.ts";
import { startJudgeServer, type JudgeServer } from "../../testing/judge-server.ts";
import { realShapedFiles } from "../../testing/real-shaped-files.ts";
import { createModelPolicy } from "../../training/model-policy/create.ts";
import { checkSpecRoom } from "../../training/room.ts";
import { createRunRecord } from "../../training/run-record.ts";
import { Trainer } from "../../training/trainer.ts";
import { buildSpec, settingsOf } from "../store/set-up.ts";
import { readFile } from "./read-file.ts";

const STEPS = 2;
const SEED = 1;
/** The endpoint's rule: met by some answers and not by others. */
const met = (criterion: string, answer: string): boolean => (criterion.length + answer.length) % 3 > 0;

let engine: Engine;
let model: LoadedModel;
let codec: Awaited<ReturnType<typeof createTextCodec>>;
let server: JudgeServer;
const sandbox = createNodeSandbox();

beforeAll(async () => {
  const [folder = ""] = bundledModelFolders("model.safetensors");
  engine = await openKernelEngine();
  model = await loadModel(createFolderSource(folder), new AbortController().signal);
  codec = await createTextCodec(model.tokenizerFiles, model.endTokenIds);
  server = await startJudgeServer({ met });
});
afterAll(async () => {
  await server.close();
  sandbox.end();
  await engine.dispose();
});

/** As the import sheet takes it: without prompts it stands over the scenario that is open. */
function specOf({ set }: ImportedRubric): RunSpec {
  const { title, criteria, prompts } = takePrompts(set, suggestedPrompts(set, SEED), SEED);
  const scenario = prompts.length === 0 ? customerReply : yourOwnPrompts;
  const setUp = scenario.setUps[0];
  const settings = settingsOf(setUp);
  return buildSpec({
    scenario,
    setUpId: setUp.id,
    settings: {
      ...settings,
      grpo: {
        ...settings.grpo,
        max_steps: STEPS,
        num_generations: 4,
        prompts_per_step: 2,
        max_completion_length: 16,
      },
      judgeNoise: 0,
      evaluationSamples: 4,
      judge: endpointJudgeSchema.parse({ kind: "endpoint", url: server.url, model: "by-rule" }),
    },
    rubric: { title, criteria },
    prompts: prompts.length === 0 ? null : prompts,
  });
}

async function train(spec: RunSpec) {
  const { maxPositions } = model.config;
  checkSpecRoom(codec, maxPositions, spec);
  const policy = createModelPolicy({ engine, model, lora: spec.grpo.lora, maxPositions });
  const base = { name: model.name, policy, codec, maxPositions, vocabSize: model.config.vocabSize };
  const judges = openJudges(spec, base, null);
  const deps = { policy, codec, checks, sandbox, embedder: null, ...judges, now: () => 0 };
  const trainer = new Trainer(deps, createRunRecord("run", spec, policy));
  const groups: RolloutGroup[] = [];
  while (trainer.record.step < STEPS) groups.push(...(await trainer.step()).groups);
  await trainer.evaluate();
  return { groups, rows: trainer.record.rows };
}

/** Of the static scalar, by hand: the weights of the met over those of the judged. */
function expectRewards({ rubric }: RunSpec, groups: readonly RolloutGroup[]): void {
  for (const { arm, promptId, rollouts } of groups)
    for (const { text, verdicts, reward, reasons, advantage } of rollouts) {
      let [gained, asked] = [0, 0];
      rubric.criteria.forEach((criterion, c) => {
        const verdict = verdicts[c] ?? null;
        const counts = appliesTo(criterion, promptId);
        expect(verdict !== null, `${criterion.text}: ${reasons[c] ?? ""}`).toBe(counts);
        if (verdict === null) return;
        if (criterion.check === null)
          expect(verdict).toBe(Number(met(criterion.text, text) !== (criterion.penalty === true)));
        gained += criterion.weight * verdict;
        asked += criterion.weight;
      });
      if (arm === "static-scalar") expect(reward).toBeCloseTo(gained / asked, 12);
      expect(Number.isFinite(reward) && Number.isFinite(advantage)).toBe(true);
    }
}

function expectRows({ rubric, trainPrompts }: RunSpec, steps: readonly ArmStep[]): void {
  expect(steps).toHaveLength(STEPS * 2);
  for (const { criteria, metrics, promptIds } of steps) {
    const { loss, grad_norm: norm, reward, reward_std: spread } = metrics;
    expect([loss, norm, reward, spread].every((each) => Number.isFinite(each))).toBe(true);
    criteria.forEach((step, c) => {
      const seen = promptIds.some((id) => appliesTo(defined(rubric.criteria[c], "a criterion"), id));
      expect(step.passRate !== null, step.id).toBe(seen);
      expect(metrics[`criteria/${step.id}/mean`] ?? null).toBe(step.passRate);
    });
  }
  const asked = new Set(steps.flatMap(({ promptIds }) => promptIds));
  expect(asked.size).toBe(4);
  expect(trainPrompts.filter(({ id }) => asked.has(id))).toHaveLength(4);
  // something was learned from: verdicts differed within groups
  expect(steps.some(({ metrics }) => (metrics["grad_norm"] ?? 0) > 0)).toBe(true);
}

describe.each(realShapedFiles)("$name", (file) => {
  let imported: ImportedRubric;
  beforeAll(async () => {
    const blob = new Blob([file.text]);
    imported = await readFile({ file: blob, name: file.name, format: null }, () => undefined);
  });

  test("reads by itself, with all that it holds", () => {
    const { set, format } = imported;
    expect(format).toBe(file.format);
    expect([set.prompts.length, set.criteria.length]).toEqual(file.holds);
  });

  test("trains two steps, every verdict that counts made and weighed", async () => {
    const spec = specOf(imported);
    const { groups, rows } = await train(spec);
    expectRewards(spec, groups);
    expectRows(
      spec,
      rows.filter((row): row is ArmStep => row.kind === "step"),
    );
    const last = rows.filter((row): row is Evaluation => row.kind === "evaluation");
    expect(last.map(({ score }) => Number.isFinite(score))).toEqual([true, true]);
  });

  test("holds out prompts by the seed, the same ones again", () => {
    const { set } = imported;
    if (set.prompts.length === 0) return;
    const { trainPrompts, heldOutPrompts } = specOf(imported);
    const ids = [...trainPrompts, ...heldOutPrompts].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(set.prompts.map(({ id }) => id).toSorted());
    expect(heldOutPrompts).toHaveLength(1);
    expect(specOf(imported).heldOutPrompts).toEqual(heldOutPrompts);
    const drawn = new Set(
      Array.from({ length: 12 }, (_, seed) => takePrompts(set, set.prompts.length, seed).prompts[3]?.id),
    );
    expect(drawn.size).toBeGreaterThan(2);
  });

  test("comes out in each form that can hold it, and is told where one cannot", () => {
    for (const name of Object.keys(exportTargets) as ExportName[]) {
      const holds = name.startsWith("ours") || file.exports.includes(name);
      if (!holds) {
        expect(
          refusal(() => exportRubric(imported.set, name)),
          name,
        ).toMatch(/^the rubric as .*expected/);
        continue;
      }
      const text = exportRubric(imported.set, name);
      const again = importRubric(text, { name: `${imported.set.title}.${exportTargets[name].extension}` });
      expect(again.set, name).toEqual(imported.set);
    }
  });
});

function refusal(save: () => string): string {
  try {
    return save();
  } catch (error) {
    return toFaultMessage(error, "export").message;
  }
}
