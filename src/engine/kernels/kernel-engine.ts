/**
 * `Engine` on our own WASM kernels: graphs of known sizes as lists of kernel calls in one memory. Made for small models,
 * where it is several times as fast as onnxruntime's WASM provider; it opens a graph in milliseconds. Where memory can be
 * shared, helper threads take part in each large call; the numbers are the same for any number of threads.
 */
import { defined, invariant } from "../../base/assert.ts";
import { PlaygroundError } from "../../base/errors.ts";
import type { BlockTensor } from "../graph/block-tensor.ts";
import { sameDims } from "../graph/dims.ts";
import type { Graph, Value } from "../graph/ir.ts";
import { optimize } from "../graph/passes.ts";
import { type DType, type HostTensor, sizeOf } from "../graph/tensor.ts";
import type { CompileOptions, DeviceTensor, Engine, EngineInfo, Session } from "../runtime/engine.ts";
import { createFixedTensors, type FixedTensorStore } from "./fixed-tensors.ts";
import { holdBlocks } from "./held-blocks.ts";
import { createHeap, type Heap, writeTensor } from "./heap.ts";
import { instantiateKernels, type Kernels, MOST_THREADS } from "./module.ts";
import type { Slots } from "./node-context.ts";
import { packMatrix } from "./pack-matrix.ts";
import { type Schedule, schedule } from "./schedule.ts";
import { shapesOf } from "./shapes.ts";

/** Schedules of one graph kept for sizes that were seen lately. */
const MOST_SCHEDULES = 8;

type Tensors = Readonly<Record<string, HostTensor | DeviceTensor>>;

/** An engine on the module's bytes (a build for one thread). */
export async function createKernelEngine(bytes: BufferSource): Promise<Engine> {
  const heap = createHeap();
  return new KernelEngine(heap, await instantiateKernels(await WebAssembly.compile(bytes), heap), []);
}

/** What a helper thread needs to `serve`. */
export interface HelperSetup {
  readonly module: WebAssembly.Module;
  readonly memory: WebAssembly.Memory;
  /** From 1. */
  readonly thread: number;
}

export interface Helper {
  end(): void;
}

export interface ThreadOptions {
  /** This one and its helpers; 2 to MOST_THREADS. */
  readonly threads: number;
  /** Starts a helper; resolves when it serves. */
  readonly startHelper: (setup: HelperSetup) => Promise<Helper>;
  /** False in a window, which may not wait without working. */
  readonly mayWait: boolean;
}

/**
 * An engine of several threads on the bytes of a build for them.
 * @throws RangeError where the memory cannot be had, and what `startHelper` rejects with
 */
export async function createThreadedKernelEngine(
  bytes: BufferSource,
  { threads, startHelper, mayWait }: ThreadOptions,
): Promise<Engine> {
  invariant(threads <= MOST_THREADS, "threads of the kernels", `at most ${MOST_THREADS}`);
  const heap = createHeap(true);
  const module = await WebAssembly.compile(bytes);
  const kernels = await instantiateKernels(module, heap);
  const numbers = Array.from({ length: threads - 1 }, (_, i) => i + 1);
  const started = await Promise.allSettled(
    numbers.map((thread) => startHelper({ module, memory: heap.memory, thread })),
  );
  const helpers = started.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
  const failure = started.find((each) => each.status === "rejected");
  if (failure !== undefined) {
    helpers.forEach((helper) => {
      helper.end();
    });
    throw failure.reason;
  }
  kernels.setThreads(threads, mayWait);
  return new KernelEngine(heap, kernels, helpers);
}

class KernelEngine implements Engine {
  readonly info: EngineInfo;
  readonly heap: Heap;
  readonly kernels: Kernels;
  readonly fixed: FixedTensorStore;
  readonly hold = (tensor: BlockTensor): BlockTensor => holdBlocks(this.heap, tensor);
  readonly #tensors = new Map<DeviceTensor, number>();
  readonly #packed = new Map<DeviceTensor, Map<boolean, number>>();
  /** One scratch for all graphs, since runs never overlap. */
  #scratch = { address: 0, bytes: 0 };
  readonly #helpers: readonly Helper[];
  #ended = false;

  constructor(heap: Heap, kernels: Kernels, helpers: readonly Helper[]) {
    this.info = { kind: "kernels", threads: 1 + helpers.length, adapter: null, software: false };
    this.#helpers = helpers;
    this.heap = heap;
    this.kernels = kernels;
    this.fixed = createFixedTensors(heap, kernels);
  }

  compile(graph: Graph, options: CompileOptions): Promise<Session> {
    return Promise.resolve().then(() => {
      this.check();
      optimize(graph);
      return new KernelSession(this, graph, options);
    });
  }

  upload(tensor: HostTensor): DeviceTensor {
    this.check();
    const made = this.make(tensor.dtype, [...tensor.dims]);
    writeTensor(this.heap, tensor, this.addressOf(made));
    return made;
  }

  download(tensor: DeviceTensor): Promise<HostTensor> {
    return Promise.resolve().then(() => this.read(tensor.dtype, tensor.dims, this.addressOf(tensor)));
  }

  release(tensor: DeviceTensor): void {
    const address = this.addressOf(tensor);
    this.changed(tensor);
    this.#tensors.delete(tensor);
    this.heap.free(address);
  }

  liveBuffers(): { readonly count: number; readonly bytes: number } {
    const bytes = [...this.#tensors.keys()].reduce((sum, { dims }) => sum + 4 * sizeOf(dims), 0);
    return { count: this.#tensors.size, bytes };
  }

  dispose(): Promise<void> {
    this.#ended = true;
    this.#tensors.clear();
    this.#packed.clear();
    this.kernels.dismiss();
    this.#helpers.forEach((helper) => {
      helper.end();
    });
    return Promise.resolve();
  }

  make(dtype: DType, dims: readonly number[]): DeviceTensor {
    const tensor: DeviceTensor = { dtype, dims, device: true };
    this.#tensors.set(tensor, this.heap.allocate(4 * sizeOf(dims)));
    return tensor;
  }

  addressOf(tensor: DeviceTensor): number {
    const address = this.#tensors.get(tensor);
    invariant(address !== undefined, "device tensor", "a live tensor of this engine");
    return address;
  }

  /** A matrix [K, N] (transposed: [N, K]) as a product's packed right side, kept until it changes or ends. */
  packedForm(tensor: DeviceTensor, transposed: boolean): number {
    const forms = this.#packed.get(tensor) ?? new Map<boolean, number>();
    this.#packed.set(tensor, forms);
    const known = forms.get(transposed);
    if (known !== undefined) return known;
    const address = this.addressOf(tensor);
    const made = packMatrix(this.heap, this.kernels, { dims: tensor.dims, transposed, address });
    forms.set(transposed, made);
    return made;
  }

  /** Its packed forms no longer hold. */
  changed(tensor: DeviceTensor): void {
    this.#packed.get(tensor)?.forEach((address) => {
      this.heap.free(address);
    });
    this.#packed.delete(tensor);
  }

  /** Scratch of at least so many bytes; what was in it is lost. */
  scratch(bytes: number): number {
    if (bytes > this.#scratch.bytes) {
      if (this.#scratch.bytes > 0) this.heap.free(this.#scratch.address);
      this.#scratch = { address: this.heap.allocate(bytes), bytes };
    }
    return this.#scratch.address;
  }

  read(dtype: DType, dims: readonly number[], address: number): HostTensor {
    const length = sizeOf(dims);
    if (dtype === "float32") return { dtype, dims, data: this.heap.floats(address, length).slice() };
    const whole = this.heap.ints(address, length);
    if (dtype === "int32") return { dtype, dims, data: whole.slice() };
    return {
      dtype,
      dims,
      data: dtype === "int64" ? BigInt64Array.from(whole, BigInt) : Uint8Array.from(whole),
    };
  }

  /** @throws PlaygroundError `internal` after the engine's end */
  check(): void {
    if (!this.#ended) return;
    throw new PlaygroundError({
      code: "internal",
      where: "WASM kernels",
      expected: "an engine in use",
      got: "one that was disposed",
      next: "This is a defect of the playground: please report it.",
    });
  }
}

class KernelSession implements Session {
  readonly name: string;
  readonly #engine: KernelEngine;
  readonly #graph: Graph;
  readonly #options: CompileOptions;
  /** Inputs whose sizes differ from run to run. */
  readonly #named: readonly Value[];
  readonly #schedules = new Map<string, Schedule>();
  readonly #fixed: ReturnType<FixedTensorStore["lease"]>;

  constructor(engine: KernelEngine, graph: Graph, options: CompileOptions) {
    this.name = options.name;
    this.#engine = engine;
    this.#graph = graph;
    this.#options = options;
    this.#fixed = engine.fixed.lease();
    this.#named = graph.inputs.filter(({ dims }) => dims.some((dim) => typeof dim === "string"));
  }

  run(feeds: Tensors, bind: Readonly<Record<string, DeviceTensor>> = {}): Promise<Tensors> {
    return Promise.resolve().then(() => {
      try {
        return this.#runNow(feeds, bind);
      } catch (error) {
        throw failed(this.name, error);
      }
    });
  }

  dispose(): Promise<void> {
    this.#fixed.end();
    this.#schedules.clear();
    return Promise.resolve();
  }

  #runNow(feeds: Tensors, bind: Readonly<Record<string, DeviceTensor>>): Tensors {
    const engine = this.#engine;
    engine.check();
    const plan = this.#scheduleFor(feeds);
    const scratch = engine.scratch(plan.scratchBytes);
    const slots = this.#slotsOf(plan, scratch);
    for (const { value, slot } of plan.inputs) {
      const feed = fitting(feeds[value.name ?? ""], value, this.#shapes(plan).get(value) ?? []);
      if ("device" in feed) slots[slot] = engine.addressOf(feed);
      else writeTensor(engine.heap, feed, slots[slot] ?? 0);
    }
    const results = new Map<string, DeviceTensor>();
    const packed: number[] = [];
    try {
      this.#packInputs(plan, { feeds, slots, packed });
      this.#placeResults(plan, { bind, slots, results });
      for (const step of plan.steps) step(slots);
      return this.#collect(plan, results, slots);
    } catch (error) {
      for (const [name, tensor] of results) if (bind[name] === undefined) engine.release(tensor);
      throw error;
    } finally {
      packed.forEach((address) => {
        engine.heap.free(address);
      });
    }
  }

  /** Packed forms of fed weights: a device tensor's are kept, a host tensor's last for this run (`packed`). */
  #packInputs(
    plan: Schedule,
    { feeds, slots, packed }: { readonly feeds: Tensors; readonly slots: Slots; readonly packed: number[] },
  ): void {
    for (const { value, transposed, slot } of plan.packedInputs) {
      const feed = feeds[value.name ?? ""];
      if (feed !== undefined && "device" in feed) {
        slots[slot] = this.#engine.packedForm(feed, transposed);
        continue;
      }
      const { heap, kernels } = this.#engine;
      const raw = defined(plan.inputs.find((input) => input.value === value)?.slot, "packed input");
      const dims = this.#shapes(plan).get(value) ?? [];
      const form = packMatrix(heap, kernels, { dims, transposed, address: slots[raw] ?? 0 });
      packed.push(form);
      slots[slot] = form;
    }
  }

  /** Fresh slots with every address that is known before a run. */
  #slotsOf(plan: Schedule, scratch: number): Slots {
    let known = this.#known.get(plan);
    if (known?.scratch !== scratch) {
      known = { scratch, slots: new Int32Array(plan.slotCount) };
      for (const [slot, address] of plan.fixed) known.slots[slot] = address;
      for (const [slot, offset] of plan.scratchOffsets.entries()) {
        if (offset !== null) known.slots[slot] = scratch + offset;
      }
      this.#known.set(plan, known);
    }
    return known.slots.slice();
  }

  /** Puts tensors of the outputs that stay into `results`, and where a kernel writes straight into them their addresses into the slots. */
  #placeResults(
    plan: Schedule,
    {
      bind,
      slots,
      results,
    }: {
      readonly bind: Readonly<Record<string, DeviceTensor>>;
      readonly slots: Slots;
      readonly results: Map<string, DeviceTensor>;
    },
  ): void {
    for (const { name, value, direct, slot } of plan.outputs) {
      if (bind[name] === undefined && this.#options.deviceOutputs?.includes(name) !== true) continue;
      const dims = defined(this.#shapes(plan).get(value), `shape of ${name}`);
      const tensor = bind[name] ?? this.#engine.make(value.dtype, dims);
      if (tensor.dtype !== value.dtype || tensor.dims.join() !== dims.join()) {
        const wanted = `${value.dtype} [${dims.join(", ")}]`;
        throw new Error(
          `output "${name}" is ${wanted}, the bound tensor ${tensor.dtype} [${tensor.dims.join(", ")}]`,
        );
      }
      results.set(name, tensor);
      this.#engine.changed(tensor);
      if (direct) slots[slot] = this.#engine.addressOf(tensor);
    }
    for (const name of Object.keys(bind)) {
      if (!results.has(name)) throw new Error(`no output "${name}" to bind`);
    }
  }

  #collect(plan: Schedule, results: ReadonlyMap<string, DeviceTensor>, slots: Slots): Tensors {
    const out: Record<string, HostTensor | DeviceTensor> = {};
    for (const { name, value, direct, slot, offset } of plan.outputs) {
      const dims = defined(this.#shapes(plan).get(value), `shape of ${name}`);
      const from = (slots[slot] ?? 0) + offset;
      const tensor = results.get(name);
      if (tensor === undefined) out[name] = this.#engine.read(value.dtype, dims, from);
      else {
        const length = sizeOf(dims);
        const { heap } = this.#engine;
        if (!direct) heap.ints(this.#engine.addressOf(tensor), length).set(heap.ints(from, length));
        out[name] = tensor;
      }
    }
    return out;
  }

  readonly #known = new WeakMap<Schedule, { readonly scratch: number; readonly slots: Slots }>();
  readonly #shapesOf = new WeakMap<Schedule, ReadonlyMap<Value, readonly number[]>>();

  #shapes(plan: Schedule): ReadonlyMap<Value, readonly number[]> {
    return defined(this.#shapesOf.get(plan), "shapes of a schedule");
  }

  #scheduleFor(feeds: Tensors): Schedule {
    const weights = this.#options.weights ?? new Map<string, HostTensor>();
    const dimsOf = (value: Value): readonly number[] => {
      const name = value.name ?? "";
      const tensor = (value.kind === "weight" ? weights.get(name) : undefined) ?? feeds[name];
      if (tensor === undefined) throw new Error(`feed "${name}" is missing`);
      return tensor.dims;
    };
    const key = this.#named.map((value) => dimsOf(value).join()).join(";");
    const known = this.#schedules.get(key);
    if (known !== undefined) return known;
    const { heap, kernels, info } = this.#engine;
    const shapes = shapesOf(this.#graph, dimsOf);
    const made = schedule({
      ...{ graph: this.#graph, shapes, kernels, threads: info.threads, weights },
      fixed: this.#fixed,
      placedOutputs: new Set(this.#options.deviceOutputs),
      floats: (address, length) => heap.floats(address, length),
      ints: (address, length) => heap.ints(address, length),
    });
    this.#shapesOf.set(made, shapes);
    this.#schedules.set(key, made);
    const [oldest] = this.#schedules.keys();
    if (this.#schedules.size > MOST_SCHEDULES && oldest !== undefined) this.#schedules.delete(oldest);
    return made;
  }
}

/** The feed, if it is what the graph's input asks for. */
function fitting(
  feed: HostTensor | DeviceTensor | undefined,
  { name = "", dtype }: Value,
  dims: readonly number[],
): HostTensor | DeviceTensor {
  const fits = feed?.dtype === dtype && sameDims(feed.dims, dims);
  if (!fits) {
    const got = feed === undefined ? "nothing" : `${feed.dtype} [${feed.dims.join(", ")}]`;
    throw new Error(`feed "${name}" is ${dtype} [${dims.join(", ")}], got ${got}`);
  }
  if ("data" in feed && feed.data.length !== sizeOf(dims))
    throw new Error(`feed "${name}" is ${dtype} [${dims.join(", ")}], got ${feed.data.length} numbers`);
  return feed;
}

/** Whatever went wrong, with the session's name; what is no fault of the feeds passes as it is. */
function failed(name: string, error: unknown): PlaygroundError {
  if (error instanceof PlaygroundError && error.code !== "graph-invalid") return error;
  return new PlaygroundError(
    {
      code: "session-failed",
      where: `session ${name}`,
      expected: "the run to finish",
      got: error instanceof Error ? error.message : String(error),
      next: "Change the settings and try again; nothing before this was lost.",
    },
    { cause: error },
  );
}
