/** What a node's lowering sees, and what it makes: a step that calls kernels at this run's addresses. */
import type { Node, Value } from "../graph/ir.ts";
import type { Kernels } from "./module.ts";

/** Part of a tensor's memory: an address that stands in a slot, and bytes behind it. */
export interface Place {
  readonly slot: number;
  readonly offset: number;
}

/** Addresses by slot. */
export type Slots = Int32Array;
export type Step = (slots: Slots) => void;

/** Everything that a lowering may ask about its node. */
export interface NodeContext {
  readonly node: Node;
  readonly kernels: Kernels;
  /** Each of them may need scratch of its own. */
  readonly threads: number;
  readonly floats: (address: number, length: number) => Float32Array;
  readonly ints: (address: number, length: number) => Int32Array;
  /** True where the output already holds a term that this product is added to. */
  readonly accumulate: boolean;
  readonly dims: (value: Value) => readonly number[];
  readonly place: (value: Value) => Place;
  /** Scratch for this node alone. */
  readonly temp: (bytes: number) => Place;
  /** A weight packed once for all runs; undefined where the value is none. */
  readonly packed: (value: Value, transposed: boolean) => Place | undefined;
}

/** The node's step, or null where its kernels do not cover this case. */
export type Lowering = (context: NodeContext) => Step | null;
