/**
 * Mutation testing of the gradient rules, where mutating text says little: each rule is run again with one slip, and
 * the operator's own cases must notice by central differences. A rule's branches (by rank, flags, step) count apart,
 * so that a case of one branch is no proof of another.
 */
import type { OpName, Value } from "../../engine/graph/ir.ts";
import type { Builders, OpDef, VjpContext } from "../../engine/graph/op.ts";
import { interpret } from "../../engine/graph/interpreter.ts";
import { OPS } from "../../engine/graph/ops/registry.ts";
import { differences } from "./central-differences.ts";
import { slipsOf } from "./gradient-slips.ts";
import type { BuilderName, SlipKind } from "./gradient-slips.ts";
import { caseGraph, gradientGraph, refFeeds } from "./op-case.ts";
import type { OpCase } from "./op-case.ts";
import { OP_CASES } from "./op-cases.ts";

type Context = VjpContext<Readonly<Record<string, unknown>>, readonly Value[]>;
type Rule = (context: Context) => readonly (Value | null)[];

/** How a mutant ended: its cases saw other numbers, a shape check refused it, or nobody noticed. */
export type Verdict = "differs" | "refused" | "survived";

export interface GradientMutant {
  readonly kind: SlipKind;
  /** Operator, branch, place in the rule, and what the slip does there. */
  readonly title: string;
  readonly verdict: Verdict;
}

interface Mutation {
  readonly kind: SlipKind;
  readonly title: string;
  readonly apply: (rule: Rule) => Rule;
}

const RULES: Record<OpName, OpDef> = OPS;

/**
 * Runs with another gradient rule for the case's own nodes, and puts the true one back. The loss around the case, which
 * multiplies and sums, keeps the true one: it would notice slips that the case does not.
 */
function withRule<T>(opCase: OpCase, change: (rule: Rule) => Rule, run: () => T): T {
  const { op } = opCase;
  const def = RULES[op];
  const last = Math.max(...caseGraph(opCase).outputs.map((output) => output.id));
  const rule: Rule = (context) => def.vjp?.(context) ?? [];
  const changed = change(rule);
  const vjp: Rule = (context) => (context.y.id <= last ? changed : rule)(context);
  RULES[op] = { ...def, vjp };
  try {
    return run();
  } finally {
    RULES[op] = def;
  }
}

interface Call {
  readonly name: BuilderName;
  readonly args: readonly unknown[];
}

/** Builders that report each call, in order; a value from `replace` stands for the call's own. */
function watched(build: Builders, replace: (call: Call, index: number) => Value | undefined): Builders {
  let index = 0;
  return new Proxy(build, {
    get: (target, key) => {
      const name = key as BuilderName;
      const make: unknown = Reflect.get(target, name);
      return (...args: readonly unknown[]): Value =>
        replace({ name, args }, index++) ?? (make as (...args: readonly unknown[]) => Value)(...args);
    },
  });
}

interface Trace {
  /** The calls by name and flags: what tells a rule's branches apart. */
  readonly branch: string;
  readonly calls: readonly Call[];
  readonly attrs: readonly string[];
  readonly results: readonly (Value | null)[];
}

function flagsOf(args: readonly unknown[]): string {
  const isFlags = (arg: unknown): boolean =>
    typeof arg === "object" && arg !== null && !Array.isArray(arg) && !("graph" in arg || "nodes" in arg);
  return args
    .filter(isFlags)
    .map((flags) => JSON.stringify(flags))
    .join("");
}

function traceOf(rule: Rule, context: Context): Trace {
  const calls: Call[] = [];
  const attrs = new Set<string>();
  const results = rule({
    ...context,
    attrs: new Proxy(context.attrs, {
      get: (target, key) => {
        attrs.add(String(key));
        return target[String(key)];
      },
    }),
    build: watched(context.build, (call) => {
      calls.push(call);
      return undefined;
    }),
  });
  const branch = calls.map(({ name, args }) => `${name}${flagsOf(args)}`).join(" ");
  return { branch, calls, attrs: [...attrs], results };
}

/** Mutations of a rule's results: its sign, its size, one left out. */
function resultMutations({ results }: Trace, { build, inputs }: Context): Mutation[] {
  const at = (kind: SlipKind, what: string, change: (g: Value) => Value | null): Mutation[] =>
    results.flatMap((result, i) =>
      result === null
        ? []
        : [
            {
              kind,
              title: `cotangent ${i} of ${inputs.length} ${what}`,
              apply: (rule) => (context) =>
                rule(context).map((value, j) => (i === j && value !== null ? change(value) : value)),
            },
          ],
    );
  return [
    ...at("sign", "negated", (g) => build.neg(g)),
    ...at("factor", "1.01 times as large", (g) => build.mul(g, 1.01)),
    ...at("missing", "left out", () => null),
  ];
}

/** The rule reads one input where it should read another of its type. */
function inputMutations(_: Trace, { inputs }: Context): Mutation[] {
  return inputs.flatMap((a, i) =>
    inputs.slice(i + 1).flatMap((b, offset): Mutation[] => {
      const j = i + 1 + offset;
      if (a.dtype !== b.dtype || a === b) return [];
      const order = inputs.map((_, k) => (k === i ? j : k === j ? i : k));
      return [
        {
          kind: "exchange",
          title: `inputs ${i} and ${j} exchanged`,
          apply: (rule) => (context) =>
            rule({ ...context, inputs: order.map((k) => context.inputs[k] as Value) }),
        },
      ];
    }),
  );
}

const AXES: readonly string[] = ["axis", "axes", "perm", "repeats"];

/** Another value of an attribute: the next number, the other flag, a list turned round. */
function misread(value: unknown): unknown {
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  const list = value as readonly number[];
  return list.length > 1 ? [...list.slice(1), list[0]] : list.map((entry) => entry + 1);
}

function attributeMutations({ attrs }: Trace): Mutation[] {
  return attrs.map((name) => ({
    kind: AXES.includes(name) ? "axis" : "attribute",
    title: `attribute ${name} misread`,
    apply: (rule) => (context) =>
      rule({ ...context, attrs: { ...context.attrs, [name]: misread(context.attrs[name]) } }),
  }));
}

function callMutations({ calls }: Trace, { build }: Context): Mutation[] {
  return calls.flatMap(({ name, args }, index) =>
    slipsOf(build, name, args).map(({ kind, what }): Mutation => ({
      kind,
      title: `call ${index + 1}, ${name}: ${what}`,
      apply: (rule) => (context) =>
        rule({
          ...context,
          build: watched(context.build, (call, at) =>
            at === index
              ? slipsOf(context.build, call.name, call.args)
                  .find((slip) => slip.what === what)
                  ?.make()
              : undefined,
          ),
        }),
    })),
  );
}

const MUTATIONS = [resultMutations, inputMutations, attributeMutations, callMutations];

/** The mutation in one branch of the rule; elsewhere the rule is itself. */
function inBranch(branch: string, mutation: Mutation): (rule: Rule) => Rule {
  return (rule) => (context) => {
    const trace = traceOf(rule, context);
    return trace.branch === branch ? mutation.apply(rule)(context) : trace.results;
  };
}

interface Planned {
  readonly mutation: Mutation;
  readonly branch: string;
  readonly cases: Set<OpCase>;
}

/** Every mutation of an operator's rule with the cases that run through its branch. */
function plan(op: OpName): Map<string, Planned> {
  const planned = new Map<string, Planned>();
  for (const opCase of OP_CASES.filter((candidate) => candidate.op === op && candidate.differentiable)) {
    const record =
      (rule: Rule): Rule =>
      (context) => {
        const trace = traceOf(rule, context);
        for (const mutation of MUTATIONS.flatMap((make) => make(trace, context))) {
          const title = `${op}: ${trace.branch === "" ? "g" : trace.branch} / ${mutation.title}`;
          const known = planned.get(title) ?? { mutation, branch: trace.branch, cases: new Set() };
          known.cases.add(opCase);
          planned.set(title, known);
        }
        return trace.results;
      };
    withRule(opCase, record, () => gradientGraph(opCase));
  }
  return planned;
}

/** Whether the case's gradient under the registry's present rules agrees with central differences. */
function verdictOf(opCase: OpCase, wanted: readonly (readonly number[])[]): Verdict {
  try {
    const { graph, wrt } = gradientGraph(opCase);
    const got = interpret(graph, refFeeds(opCase));
    const close = (i: number): boolean => {
      const [gradient, numbers] = [got[`d${i}`], wanted[i] ?? []];
      const sameShape = gradient?.dims.join() === wrt[i]?.dims.join();
      return sameShape && numbers.every((x, k) => isClose(gradient?.data[k] ?? NaN, x));
    };
    return wrt.every((_, i) => close(i)) ? "survived" : "differs";
  } catch {
    return "refused";
  }
}

/** As in ops/registry.test.ts: 1e-7, absolute below 1 and relative above. */
function isClose(got: number, wanted: number): boolean {
  return Math.abs(got - wanted) / Math.max(1, Math.abs(wanted)) <= 1e-7;
}

function wantedOf(opCase: OpCase): number[][] {
  const { graph, wrt } = gradientGraph(opCase);
  return wrt.map((value) => differences(graph, refFeeds(opCase), value.name ?? ""));
}

/** Mutants that no case can notice, and why. */
export const EQUIVALENT: Readonly<Record<string, string>> = {
  "reduceSum: expand / attribute keepDims misread":
    "the axes were kept: the reshape that the other reading adds has the shape already",
  "reduceMean: mul expand / attribute keepDims misread":
    "the axes were kept: the reshape that the other reading adds has the shape already",
  "scatterElementsAdd: gatherElements / inputs 0 and 2 exchanged":
    "a sum's gradient reads neither the tensor nor the updates",
  "scatterNDAdd: reshape gather / inputs 0 and 2 exchanged":
    "a sum's gradient reads neither the tensor nor the updates",
};

/** Every mutant of an operator's gradient rule, tried on the operator's cases; none where its cotangents are none. */
export function gradientMutants(op: OpName): GradientMutant[] {
  const wanted = new Map<OpCase, number[][]>();
  return [...plan(op)].map(([title, { mutation, branch, cases }]) => {
    let verdict: Verdict = "survived";
    for (const opCase of cases) {
      const numbers = wanted.get(opCase) ?? wantedOf(opCase);
      wanted.set(opCase, numbers);
      verdict = withRule(opCase, inBranch(branch, mutation), () => verdictOf(opCase, numbers));
      if (verdict !== "survived") break;
    }
    return { kind: mutation.kind, title, verdict };
  });
}

/** Operators that have a rule, in the registry's order. */
export function opsWithRules(): OpName[] {
  return (Object.keys(OPS) as OpName[]).filter((op) => RULES[op].vjp !== undefined);
}
