/** Every case of every operator; the registry test fails where an operator has none. */
import { blockCases } from "./block-cases.ts";
import { COMPUTE_CASES } from "./compute-cases.ts";
import { ELEMENTWISE_CASES } from "./elementwise-cases.ts";
import type { OpCase } from "./op-case.ts";
import { SHAPE_CASES } from "./shape-cases.ts";

export const OP_CASES: readonly OpCase[] = [
  ...ELEMENTWISE_CASES,
  ...SHAPE_CASES,
  ...COMPUTE_CASES,
  ...blockCases(),
];
