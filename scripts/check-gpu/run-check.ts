/** The run that the page offers first, on WebGPU, of the bundled model or another, through the worker's own model loading and the trainer. */
import { defined } from "../../src/base/assert.ts";
import { checks } from "../../src/domain/rubric/checks/registry.ts";
import type { RunRow } from "../../src/domain/run/records.ts";
import { scenarios } from "../../src/domain/scenarios/registry.ts";
import { buildSpec, settingsOf } from "../../src/app/store/set-up.ts";
import { openModel, type LoadedModelHost } from "../../src/app/worker/loaded-model.ts";
import { isBlockTensor } from "../../src/engine/graph/block-tensor.ts";
import { describeMachine } from "../../src/engine/runtime/device.ts";
import { openBrowserEngine } from "../../src/engine/runtime/ort-browser.ts";
import type { ModelSource } from "../../src/engine/weights/model-source.ts";
import type { ModelUse } from "../../src/app/protocol/model-messages.ts";
import { createRunRecord } from "../../src/training/run-record.ts";
import { Trainer } from "../../src/training/trainer.ts";

/** null = the page's own value. */
export interface RunSize {
  readonly steps: number | null;
  readonly group: number | null;
  readonly tokens: number | null;
  /** Held-out answers an evaluation, at the start and at the end. */
  readonly samples: number;
}

export interface ArmResult {
  readonly arm: string;
  readonly start: number | null;
  readonly end: number | null;
}

export interface RunCheck {
  readonly steps: number;
  readonly engine: string;
  readonly model: {
    readonly parameters: number;
    /** Bytes of the weights as they are held. */
    readonly heldBytes: number;
    /** From the first request until it could be used. */
    readonly loadSeconds: number;
  };
  /** One step of every arm; its seconds. The first call also evaluates the base, the last one the trained arms. */
  step(): Promise<{ readonly step: number; readonly seconds: number; readonly reward: number | null }>;
  result(): readonly ArmResult[];
  close(): Promise<void>;
}

/** @param use of a model other than the bundled one */
export async function openRunCheck(
  source: ModelSource,
  size: RunSize,
  use: ModelUse | null,
): Promise<RunCheck> {
  const now = (): number => performance.now();
  const begun = now();
  const host = await openModel({
    source,
    use,
    choice: "webgpu",
    machine: await describeMachine(),
    openEngine: () => openBrowserEngine("webgpu"),
    now,
    onProgress: () => undefined,
  });
  const model = {
    parameters: host.info.parameters,
    heldBytes: heldBytes(host.model),
    loadSeconds: (now() - begun) / 1000,
  };
  const spec = specOf(size);
  const policy = await host.policyFor(spec.grpo.lora);
  const deps = { policy, codec: host.codec, checks, now };
  const trainer = new Trainer(deps, createRunRecord("gpu-check", spec, policy));
  return {
    steps: spec.grpo.max_steps,
    engine: engineOf(host),
    model,
    async step() {
      await trainer.evaluate();
      const start = now();
      const { rows } = await trainer.step();
      const seconds = (now() - start) / 1000;
      await trainer.evaluate();
      return { step: trainer.record.step, seconds, reward: rewardOf(rows) };
    },
    result: () =>
      spec.arms.map(({ id }) => {
        const scores = trainer.record.rows.flatMap((row) =>
          row.kind === "evaluation" && row.arm === id ? [row.score] : [],
        );
        return { arm: id, start: scores[0] ?? null, end: scores.at(-1) ?? null };
      }),
    close: () => host.dispose(),
  };
}

function specOf({ steps, group, tokens, samples }: RunSize) {
  const scenario = scenarios["customer-reply"];
  const [setUp] = scenario.setUps;
  const settings = settingsOf(setUp);
  const grpo = {
    ...settings.grpo,
    max_steps: steps ?? settings.grpo.max_steps,
    num_generations: group ?? settings.grpo.num_generations,
    max_completion_length: tokens ?? settings.grpo.max_completion_length,
  };
  return buildSpec({
    scenario,
    setUpId: setUp.id,
    settings: { ...settings, grpo, evaluateEvery: grpo.max_steps, evaluationSamples: samples },
    rubric: setUp.rubric,
    prompts: null,
  });
}

function heldBytes({ weights }: LoadedModelHost["model"]): number {
  return [...weights.values()].reduce(
    (sum, weight) => sum + weight.data.byteLength + (isBlockTensor(weight) ? weight.scales.byteLength : 0),
    0,
  );
}

function engineOf({ info }: LoadedModelHost): string {
  return `${info.engine} on ${defined(info.adapter, "an adapter")}`;
}

/** Mean reward of the step over the arms. */
function rewardOf(rows: readonly RunRow[]): number | null {
  const rewards = rows.flatMap((row) => (row.kind === "step" ? [row.metrics["reward"] ?? null] : []));
  if (rewards.length === 0 || rewards.includes(null)) return null;
  return rewards.reduce<number>((sum, reward) => sum + (reward ?? NaN), 0) / rewards.length;
}
