/**
 * A graph of known sizes as a list of kernel calls. Decides which tensors are views of others, which products add into
 * a sum instead of being one of its terms, and where in scratch memory each tensor lives while it is needed.
 */
import { defined } from "../../base/assert.ts";
import { sameDims } from "../graph/dims.ts";
import type { Graph, Node, Value } from "../graph/ir.ts";
import type { HostTensor } from "../graph/tensor.ts";
import { sizeOf } from "../graph/tensor.ts";
import { blockSize, elementBytes } from "./heap.ts";
import { lowerNode } from "./lowerings.ts";
import type { NodeContext, Place, Step } from "./node-context.ts";
import type { Kernels } from "./module.ts";
import { type Shapes } from "./shapes.ts";
import { viewOf } from "./views.ts";

/** What stays the same from run to run: weights and constants, packed for products where they are their right side. */
export interface FixedTensors {
  raw(tensor: HostTensor): number;
  /** B [K, N] of a product as `pack` leaves it; `transposed`: the tensor is [N, K]. */
  packed(tensor: HostTensor, transposed: boolean): number;
}

export interface Schedule {
  readonly steps: readonly Step[];
  readonly slotCount: number;
  /** Bytes of scratch. */
  readonly scratchBytes: number;
  /** Offset in scratch of each slot that lives there; null = set from outside. */
  readonly scratchOffsets: readonly (number | null)[];
  /** Addresses that never change. */
  readonly fixed: ReadonlyMap<number, number>;
  readonly inputs: readonly { readonly value: Value; readonly slot: number }[];
  /** Right sides of products among the inputs: slots for their packed forms, to be filled before a run. */
  readonly packedInputs: readonly PackedInput[];
  /** Where each output ends up; `direct` where a run may put the slot wherever it likes. */
  readonly outputs: readonly OutputPlace[];
}

export interface PackedInput {
  readonly value: Value;
  readonly transposed: boolean;
  readonly slot: number;
}

export interface OutputPlace extends Place {
  readonly name: string;
  readonly value: Value;
  readonly direct: boolean;
}

export interface ScheduleOptions {
  readonly graph: Graph;
  readonly shapes: Shapes;
  readonly kernels: Kernels;
  readonly threads: number;
  readonly weights: ReadonlyMap<string, HostTensor>;
  readonly fixed: FixedTensors;
  /** Outputs that the caller places. */
  readonly placedOutputs: ReadonlySet<string>;
  readonly floats: NodeContext["floats"];
  readonly ints: NodeContext["ints"];
}

interface Root {
  readonly slot: number;
  readonly bytes: number;
  /** Index of the node that writes it first; -1 = there from the start. */
  first: number;
  /** Index of the last node that needs it. */
  last: number;
  /** Kept in scratch memory. */
  readonly scratch: boolean;
}

export function schedule(options: ScheduleOptions): Schedule {
  return new Scheduler(options).run();
}

class Scheduler {
  readonly #options: ScheduleOptions;
  readonly #roots = new Map<Value, Root>();
  readonly #views = new Map<Value, { readonly root: Value; readonly offset: number }>();
  readonly #all: Root[] = [];
  readonly #fixed = new Map<number, number>();
  readonly #uses = new Map<Value, number>();
  readonly #lastUse = new Map<Value, number>();
  /** Data of constants and weights. */
  readonly #hostData = new Map<Value, HostTensor>();
  /** Products that run where their sum stands. */
  readonly #deferred = new Map<Node, Node>();
  /** Tensors that a product is added to, and where last. */
  readonly #addedTo = new Map<Value, number>();
  readonly #packedInputs: PackedInput[] = [];

  constructor(options: ScheduleOptions) {
    this.#options = options;
  }

  run(): Schedule {
    const { graph } = this.#options;
    this.#findViews();
    this.#countUses();
    this.#fuseSums();
    this.#countUses();
    const inputs = graph.inputs.map((value) => this.#placeInput(value));
    for (const value of graph.constants) this.#placeFixed(value, value.data);
    const steps = graph.nodes.flatMap((node, index) => this.#lower(node, index));
    // before the slots are counted: an output may be a weight that no kernel has asked for
    const outputs = graph.outputs.map(({ name, value }) => this.#outputPlace(name, value));
    const { offsets, bytes } = layOut(this.#all);
    return {
      steps,
      slotCount: this.#all.length,
      scratchBytes: bytes,
      scratchOffsets: offsets,
      fixed: this.#fixed,
      inputs: inputs.filter((input) => input !== null),
      packedInputs: this.#packedInputs,
      outputs,
    };
  }

  #dims(value: Value): readonly number[] {
    return defined(this.#options.shapes.get(value), "schedule, shape");
  }

  #bytes(value: Value): number {
    return elementBytes(value.dtype) * sizeOf(this.#dims(value));
  }

  /** The tensor that holds a value's memory, and where in it. */
  #base(value: Value): { readonly root: Value; readonly offset: number } {
    const view = this.#views.get(value);
    if (view === undefined) return { root: value, offset: 0 };
    const { root, offset } = this.#base(view.root); // what it was a view of may have become one
    return { root, offset: offset + view.offset };
  }

  #findViews(): void {
    for (const node of this.#options.graph.nodes) {
      const [input] = node.inputs;
      const [output] = node.outputs;
      if (input === undefined || output === undefined) continue;
      const offset = viewOf(node, this.#dims(input), this.#dims(output));
      if (offset === null) continue;
      const base = this.#base(input);
      this.#views.set(output, { root: base.root, offset: base.offset + offset });
    }
  }

  #isView(node: Node): boolean {
    const [output] = node.outputs;
    return output !== undefined && this.#views.has(output);
  }

  #countUses(): void {
    this.#uses.clear();
    this.#lastUse.clear();
    const { nodes, outputs } = this.#options.graph;
    const places = new Map(nodes.map((node, index) => [node, index]));
    nodes.forEach((node, index) => {
      if (this.#isView(node) && !this.#deferred.has(node)) return; // its own readers count
      const at = places.get(this.#deferred.get(node) ?? node) ?? index;
      for (const input of node.inputs) this.#use(input, at);
    });
    for (const { value } of outputs) this.#use(value, nodes.length);
  }

  #use(value: Value, at: number): void {
    const { root } = this.#base(value);
    this.#uses.set(root, (this.#uses.get(root) ?? 0) + 1);
    this.#lastUse.set(root, Math.max(this.#lastUse.get(root) ?? -1, at));
  }

  /**
   * x + A B, where nothing else reads x or the product afterwards: the product adds into x's memory when the sum is due. A
   * linear and its adapter become two products into one tensor.
   */
  #fuseSums(): void {
    this.#options.graph.nodes.forEach((node, index) => {
      if (node.op !== "add") return;
      const [a, b] = node.inputs;
      const [sum] = node.outputs;
      if (a === undefined || b === undefined || sum === undefined || a === b) return;
      const pair = [
        [a, b],
        [b, a],
      ].find(([term, product]) => this.#fits(term as Value, product as Value, { sum, index }));
      const [term, product] = pair ?? [];
      if (term === undefined || product?.producer === undefined) return;
      const base = this.#base(term);
      this.#views.set(sum, base);
      this.#views.set(product, base);
      this.#deferred.set(product.producer, node);
      this.#addedTo.set(base.root, index);
      for (const input of product.producer.inputs) this.#use(input, index);
    });
  }

  #fits(term: Value, product: Value, at: { readonly sum: Value; readonly index: number }): boolean {
    const { root } = this.#base(term);
    const reads = product.producer?.inputs ?? [];
    return (
      isProduct(product) &&
      this.#isWhole(product, at.sum) &&
      this.#isWhole(term, at.sum) &&
      !this.#views.has(product) &&
      this.#uses.get(product) === 1 &&
      root.kind === "node" &&
      root !== product &&
      this.#lastUse.get(root) === at.index &&
      !this.#isOutput(root) &&
      reads.every((input) => this.#staysTill(input, product, root))
    );
  }

  /** A term of the sum's shape with its memory to itself. */
  #isWhole(term: Value, sum: Value): boolean {
    const { root, offset } = this.#base(term);
    return (
      sameDims(this.#dims(term), this.#dims(sum)) && offset === 0 && this.#bytes(root) === this.#bytes(sum)
    );
  }

  #isOutput(root: Value): boolean {
    return this.#options.graph.outputs.some(({ value }) => this.#base(value).root === root);
  }

  /** True where what a product reads is not what it would be added to, nor was added to since the product was due. */
  #staysTill(input: Value, product: Value, root: Value): boolean {
    const base = this.#base(input).root;
    const changed = this.#addedTo.get(base) ?? -1;
    return base !== root && changed < this.#options.graph.nodes.indexOf(product.producer as Node);
  }

  #addRoot(root: Omit<Root, "slot">): Root {
    const made = { ...root, slot: this.#all.length };
    this.#all.push(made);
    return made;
  }

  #placeInput(value: Value): { readonly value: Value; readonly slot: number } | null {
    const weight = value.kind === "weight" ? this.#options.weights.get(value.name ?? "") : undefined;
    if (weight !== undefined) {
      this.#placeFixed(value, weight);
      return null;
    }
    const last = this.#lastUse.get(value) ?? -1;
    const root = this.#addRoot({ bytes: this.#bytes(value), first: -1, last, scratch: true });
    this.#roots.set(value, root);
    return { value, slot: root.slot };
  }

  /** Its address is asked for when a kernel first wants it as it lies: most weights are only wanted packed. */
  #placeFixed(value: Value, tensor: HostTensor | undefined): void {
    if (tensor !== undefined) this.#hostData.set(value, tensor);
  }

  #place(value: Value): Place {
    const { root, offset } = this.#base(value);
    const tensor = this.#hostData.get(root);
    if (tensor !== undefined && !this.#roots.has(root)) {
      this.#roots.set(root, this.#fixedRoot(this.#options.fixed.raw(tensor)));
    }
    return { slot: defined(this.#roots.get(root), "schedule, place").slot, offset };
  }

  #fixedRoot(address: number): Root {
    const root = this.#addRoot({ bytes: 0, first: -1, last: -1, scratch: false });
    this.#fixed.set(root.slot, address);
    return root;
  }

  #lower(node: Node, index: number): Step[] {
    if (this.#isView(node) && !this.#deferred.has(node)) {
      // a sum whose product adds into its other term
      const product = node.inputs.find((input) => this.#deferredAt(input, node));
      return product?.producer === undefined ? [] : this.#emit(product.producer, index, true);
    }
    if (this.#deferred.has(node)) return [];
    for (const output of node.outputs) this.#placeOutput(output, index);
    return this.#emit(node, index, false);
  }

  #deferredAt(input: Value, sum: Node): boolean {
    return input.producer !== undefined && this.#deferred.get(input.producer) === sum;
  }

  #placeOutput(value: Value, index: number): void {
    const { placedOutputs } = this.#options;
    const last = this.#lastUse.get(value) ?? index;
    const scratch = !(this.#isDirect(value) && placedOutputs.has(this.#outputName(value)));
    this.#roots.set(value, this.#addRoot({ bytes: this.#bytes(value), first: index, last, scratch }));
  }

  #outputName(value: Value): string {
    return this.#options.graph.outputs.find((output) => output.value === value)?.name ?? "";
  }

  /** An output that has its memory to itself may be written wherever the caller wants it. */
  #isDirect(value: Value): boolean {
    const readers = this.#options.graph.outputs.filter((output) => this.#base(output.value).root === value);
    return value.kind === "node" && readers.length === 1 && readers[0]?.value === value;
  }

  #outputPlace(name: string, value: Value): OutputPlace {
    const direct = this.#isDirect(value) && this.#options.placedOutputs.has(name) && !this.#views.has(value);
    return { name, value, direct, ...this.#place(value) };
  }

  #emit(node: Node, index: number, accumulate: boolean): Step[] {
    const { kernels, threads, floats, ints } = this.#options;
    return [
      lowerNode({
        node,
        kernels,
        threads,
        floats,
        ints,
        accumulate,
        dims: (value) => this.#dims(value),
        place: (value) => this.#place(value),
        temp: (bytes) => ({
          slot: this.#addRoot({ bytes, first: index, last: index, scratch: true }).slot,
          offset: 0,
        }),
        packed: (value, transposed) => this.#packed(value, transposed),
      }),
    ];
  }

  #packed(value: Value, transposed: boolean): Place | undefined {
    const tensor = this.#hostData.get(value);
    if (tensor !== undefined) {
      if (tensor.data.length < 64) return undefined;
      return { slot: this.#fixedRoot(this.#options.fixed.packed(tensor, transposed)).slot, offset: 0 };
    }
    if (value.kind !== "weight") return undefined;
    const { slot } = this.#addRoot({ bytes: 0, first: -1, last: -1, scratch: false });
    this.#packedInputs.push({ value, transposed, slot });
    return { slot, offset: 0 };
  }
}

/** One matrix product, which can add into what is there. */
function isProduct({ producer }: Value): boolean {
  return producer?.op === "gemm" || (producer?.op === "matMul" && producer.inputs[1]?.dims.length === 2);
}

/** Offsets in one block of scratch: each tensor takes the first gap that is wide enough while it is needed. */
function layOut(roots: readonly Root[]): { readonly offsets: (number | null)[]; readonly bytes: number } {
  const offsets: (number | null)[] = roots.map(() => null);
  const byStart = [...roots.keys()].filter((i) => roots[i]?.scratch).sort((i, j) => startOf(i) - startOf(j));
  function startOf(i: number): number {
    return roots[i]?.first ?? 0;
  }
  let live: { readonly start: number; readonly end: number; readonly last: number }[] = []; // by start
  let bytes = 0;
  for (const i of byStart) {
    const root = roots[i];
    if (root === undefined) continue;
    live = live.filter((other) => other.last >= root.first);
    const size = blockSize(root.bytes);
    const { start, before } = firstGap(live, size);
    live.splice(before, 0, { start, end: start + size, last: Math.max(root.last, root.first) });
    offsets[i] = start;
    bytes = Math.max(bytes, start + size);
  }
  return { offsets, bytes };
}

/** Where so many bytes fit, and before which of the blocks. */
function firstGap(
  live: readonly { readonly start: number; readonly end: number }[],
  size: number,
): { readonly start: number; readonly before: number } {
  let start = 0;
  for (const [before, block] of live.entries()) {
    if (block.start - start >= size) return { start, before };
    start = Math.max(start, block.end);
  }
  return { start, before: live.length };
}
