/**
 * Trains the bundled model from scratch with our own engine under Node:
 * `npx tsx src/headless/pretrain/main.ts [--corpus DIR] [--model DIR] [--batch 32] [--rate 3e-3] [--threads 2] [--stop N]`.
 * Reads the encoded corpus and the model's config.json, writes model.safetensors beside it, and goes on from its last
 * checkpoint (in the corpus folder) after a break. Phases follow each other; one pass over each. With --stop it ends after
 * that many steps of the same schedule: an earlier stage of the same model.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createRng } from "../../base/rng.ts";
import { learningRateAt } from "../../domain/grpo/schedules.ts";
import { writeSafetensors } from "../../engine/weights/safetensors.ts";
import { readHfConfig } from "../../engine/weights/hf-config.ts";
import { sizeOf, type HostTensor } from "../../engine/graph/tensor.ts";
import { type ModelConfig, weightSpecs } from "../../engine/nn/model-config.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { createPretrainer, type PretrainState } from "./pretrainer.ts";
import { batchesOf, readManifest, readRows, type TokenRow } from "./token-rows.ts";

const { values: args } = parseArgs({
  options: {
    corpus: { type: "string", default: ".cache/corpus" },
    model: { type: "string", default: "models/playground-qwen3-1m" },
    batch: { type: "string", default: "32" },
    rate: { type: "string", default: "3e-3" },
    seed: { type: "string", default: "1" },
    threads: { type: "string", default: "2" },
    promptWeight: { type: "string", default: "0.1" },
    steps: { type: "string" },
    stop: { type: "string" },
  },
});

/** Every weight N(0, 0.02), norms 1 (transformers' initialisation). */
function freshParameters(config: ModelConfig, seed: number): Float32Array {
  const rng = createRng(seed, "initial weights");
  return Float32Array.from(
    weightSpecs(config).flatMap(({ name, shape }) =>
      Array.from({ length: sizeOf(shape) }, () => (name.endsWith("norm.weight") ? 1 : 0.02 * rng.normal())),
    ),
  );
}

function saveModel(path: string, config: ModelConfig, parameters: Float32Array): void {
  const tensors = new Map<string, HostTensor>();
  let offset = 0;
  for (const { name, shape } of weightSpecs(config)) {
    const data = parameters.slice(offset, offset + sizeOf(shape));
    tensors.set(name, { dtype: "float32", dims: shape, data });
    offset += data.length;
  }
  writeAtomically(path, writeSafetensors(tensors));
}

function writeAtomically(path: string, bytes: Uint8Array): void {
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}

function saveCheckpoint(path: string, state: PretrainState): void {
  const n = state.parameters.length;
  const flat = new Float32Array(3 * n + 1);
  flat.set(state.parameters);
  flat.set(state.m, n);
  flat.set(state.v, 2 * n);
  flat[3 * n] = state.step;
  writeAtomically(path, new Uint8Array(flat.buffer));
}

function loadCheckpoint(path: string, n: number): PretrainState | null {
  if (!existsSync(path)) return null;
  const bytes = readFileSync(path);
  const flat = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
  if (flat.length !== 3 * n + 1)
    throw new Error(`${path} belongs to a model of another size; delete it to start afresh`);
  const part = (i: number): Float32Array => flat.slice(i * n, (i + 1) * n);
  return { parameters: part(0), m: part(1), v: part(2), step: flat[3 * n] ?? 0 };
}

async function main(): Promise<void> {
  const readJson = (file: string): unknown => JSON.parse(readFileSync(join(args.model, file), "utf8"));
  const { config } = readHfConfig(readJson("config.json"), null, args.model);
  const manifest = readManifest(args.corpus);
  const size = Number(args.batch);
  const rng = createRng(Number(args.seed), "batches");
  const rowsOf = (file: string): TokenRow[] => readRows(args.corpus, file, manifest.rowLength);
  const all = manifest.phases.flatMap((phase) => batchesOf(rowsOf(phase.file), size, rng));
  const batches = args.steps === undefined ? all : all.slice(0, Number(args.steps));
  const heldOut = batchesOf(rowsOf(manifest.heldOut.file).slice(0, size * 8), size, rng);
  const engine = openNodeEngine(Number(args.threads));
  const trainer = createPretrainer(engine, config, { batch: size, promptWeight: Number(args.promptWeight) });
  const checkpoint = join(args.corpus, "pretrain.state");
  const parameters = freshParameters(config, Number(args.seed));
  const zeros = (): Float32Array => new Float32Array(parameters.length);
  let state = loadCheckpoint(checkpoint, parameters.length) ?? {
    parameters,
    m: zeros(),
    v: zeros(),
    step: 0,
  };
  const schedule = {
    learning_rate: Number(args.rate),
    lr_scheduler_type: "cosine",
    warmup_steps: 100,
    max_steps: batches.length,
  } as const;
  console.log(
    `${parameters.length} parameters, ${batches.length} steps of ${size} chats, from step ${state.step}`,
  );
  const start = performance.now();
  const first = state.step;
  const last = args.stop === undefined ? batches.length : Number(args.stop);
  let tokens = 0;
  for (const batch of batches.slice(first, last)) {
    tokens += batch.reduce((sum, row) => sum + row.ids.length, 0);
    const result = await trainer.step(state, batch, learningRateAt(state.step + 1, schedule));
    state = result.state;
    if (!Number.isFinite(result.loss)) throw new Error(`loss is ${result.loss} at step ${state.step}`);
    if (state.step % 50 === 0) {
      const seconds = (performance.now() - start) / 1000;
      const left = ((seconds / (state.step - first)) * (last - state.step)) / 60;
      console.log(
        `step ${state.step} loss ${result.loss.toFixed(4)} norm ${result.gradNorm.toFixed(2)} ` +
          `${Math.round(tokens / seconds)} tokens/s, ${left.toFixed(1)} min left`,
      );
    }
    if (state.step % 500 === 0 || state.step === last) {
      saveCheckpoint(checkpoint, state);
      const loss = await trainer.evaluate(state.parameters, heldOut);
      console.log(`step ${state.step} held-out loss ${loss.toFixed(4)} nats a reply token`);
      saveModel(join(args.model, "model.safetensors"), config, state.parameters);
    }
  }
  await trainer.dispose();
  await engine.dispose();
}

await main();
