/**
 * ONNX Loop: a body that runs again on its own results, forward only. The body may read values of the graph around it
 * (declare weights there), and what it carries may grow along named axes.
 */
import { invalid } from "../dims.ts";
import { Graph } from "../ir.ts";
import type { Dim, Value, ValueSpec } from "../ir.ts";
import { emit, requireDtype } from "../op.ts";
import type { EvaluateContext, LowerContext, OpDef, RefTensor } from "../op.ts";

interface LoopAttrs {
  /** Inputs: iteration, condition, carried. Outputs: condition, carried, scans. */
  readonly body: Graph;
  readonly carried: number;
}

/** trips, condition, carried, then what the body reads from outside (only so that it counts as used). */
type Inputs = readonly [trips: Value, condition: Value, ...rest: Value[]];

function bodyParts({ body, carried }: LoopAttrs): {
  carriedIn: Value[];
  carriedOut: Value[];
  scans: Value[];
} {
  const outputs = body.outputs.map((output) => output.value);
  return {
    carriedIn: body.inputs.slice(2),
    carriedOut: outputs.slice(1, 1 + carried),
    scans: outputs.slice(1 + carried),
  };
}

/** A named size that differs between a trip's start and end grew; the loop's result has a size of its own. */
function resultDims(start: Value, end: Value, op: string): Dim[] {
  const fits = start.dtype === end.dtype && start.dims.length === end.dims.length;
  if (!fits || !start.dims.every((dim, i) => typeof dim === "string" || dim === end.dims[i])) {
    invalid(
      op,
      [start, end],
      "a carried value to keep its type and its sizes, named ones apart (see carriedDims)",
    );
  }
  return start.dims.map((dim, i) => (dim === end.dims[i] ? dim : `${dim}@end`));
}

export const loopOp: OpDef<LoopAttrs, Inputs> = {
  name: "loop",
  infer: (inputs, attrs) => {
    const [trips, condition, ...rest] = inputs;
    requireDtype("loop", [trips], "int64");
    requireDtype("loop", [condition], "bool");
    if (trips.dims.length > 0 || condition.dims.length > 0) invalid("loop", [trips, condition], "scalars");
    const { carriedIn, carriedOut, scans } = bodyParts(attrs);
    const stops = attrs.body.outputs[0]?.value;
    if (stops?.dtype !== "bool" || stops.dims.length > 0)
      invalid("loop", stops ? [stops] : [], "a condition that is a bool scalar");
    const specs: ValueSpec[] = carriedIn.map((start, i) => {
      const [first, end] = [rest[i], carriedOut[i]];
      if (first === undefined || end === undefined)
        return invalid("loop", carriedIn, "as many results as carried values");
      const grown = first.dims.every(
        (dim, axis) => typeof start.dims[axis] === "string" || dim === start.dims[axis],
      );
      if (!grown || first.dtype !== start.dtype || first.dims.length !== start.dims.length) {
        invalid("loop", [first, start], "a start that fits the carried shape");
      }
      return { dtype: start.dtype, dims: resultDims(start, end, "loop") };
    });
    const stacked = scans.map((scan): ValueSpec => ({ dtype: scan.dtype, dims: ["trips", ...scan.dims] }));
    return [...specs, ...stacked];
  },
  evaluate: (inputs, context) => runLoop(inputs, context),
  lower: (context) => {
    lowerLoop(context);
  },
};

function runLoop(inputs: readonly RefTensor[], context: EvaluateContext<LoopAttrs, Inputs>): RefTensor[] {
  const { body, carried: count } = context.attrs;
  const [trips, condition, ...rest] = inputs;
  let carried = rest.slice(0, count);
  let running = condition?.data[0] !== 0;
  const stacks: RefTensor[][] = body.outputs.slice(1 + count).map(() => []);
  for (let i = 0; running && i < (trips?.data[0] ?? 0); i++) {
    const scalar = (value: number): RefTensor => ({ dims: [], data: Float64Array.of(value) });
    const [stop, ...results] = context.runBody(body, [scalar(i), scalar(1), ...carried]);
    running = stop?.data[0] !== 0;
    carried = results.slice(0, count);
    results.slice(count).forEach((scan, s) => stacks[s]?.push(scan));
  }
  const scans = stacks.map((stack): RefTensor => {
    const data = stack.flatMap((scan) => [...scan.data]);
    return { dims: [stack.length, ...(stack[0]?.dims ?? [])], data: Float64Array.from(data) };
  });
  return [...carried, ...scans];
}

function lowerLoop({ from, to, attrs, onnx }: LowerContext<LoopAttrs, Inputs>): void {
  const inputs = from.slice(0, 2 + attrs.carried);
  onnx.node("Loop", inputs, to, { attrs: { body: { graph: onnx.body(attrs.body) } } });
}

/** Values of surrounding graphs that the body's nodes and outputs read. */
function capturesOf(body: Graph): Value[] {
  const outside = new Set<Value>();
  const note = (value: Value): void => {
    if (value.graph !== body) outside.add(value);
  };
  for (const node of body.nodes) node.inputs.forEach(note);
  for (const { value } of body.outputs) note(value);
  return [...outside];
}

export interface LoopOptions {
  readonly name?: string;
  /** A number, or an int64 scalar. */
  readonly maxTrips: Value | number;
  /** A bool scalar: false at the start means no trip. */
  readonly condition?: Value;
  readonly carried: readonly Value[];
  /** The carried values' shapes as the body sees them, where a size changes between trips: name that size. */
  readonly carriedDims?: readonly (readonly Dim[] | undefined)[];
  /** `iteration` is an int64 scalar. Scans are stacked along a new first axis, one entry a trip. */
  body(
    iteration: Value,
    carried: readonly Value[],
  ): {
    /** A bool scalar; go on while true. Absent: all trips. */
    readonly condition?: Value;
    readonly carried: readonly Value[];
    readonly scans?: readonly Value[];
  };
}

export function loop(options: LoopOptions): {
  readonly carried: readonly Value[];
  readonly scans: readonly Value[];
} {
  const { carried, carriedDims, maxTrips, condition } = options;
  const [first] = carried;
  if (first === undefined) return invalid("loop", [], "at least one carried value");
  const outer = carried.reduce(
    (graph, value) => (value.graph.depth > graph.depth ? value.graph : graph),
    first.graph,
  );
  const body = new Graph(options.name ?? "loop-body", outer);
  const iteration = body.input("iteration", "int64", []);
  const running = body.input("running", "bool", []);
  const inside = carried.map((value, i) =>
    body.input(`carried.${i}`, value.dtype, carriedDims?.[i] ?? value.dims),
  );
  const result = options.body(iteration, inside);
  if (result.carried.length !== carried.length)
    invalid("loop", result.carried, `${carried.length} carried values`);
  body.output("condition", result.condition ?? running);
  result.carried.forEach((value, i) => {
    body.output(`next.${i}`, value);
  });
  (result.scans ?? []).forEach((value, i) => {
    body.output(`scan.${i}`, value);
  });
  const trips = typeof maxTrips === "number" ? outer.scalar("int64", maxTrips) : maxTrips;
  const inputs: Inputs = [trips, condition ?? outer.scalar("bool", 1), ...carried, ...capturesOf(body)];
  const outputs = emit(loopOp, inputs, { body, carried: carried.length });
  return { carried: outputs.slice(0, carried.length), scans: outputs.slice(carried.length) };
}
