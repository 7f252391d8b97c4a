/**
 * Reads RoPE from a config.json in both spellings: `rope_theta` and `rope_scaling`, and transformers 5's `rope_parameters`.
 * Defaults and precedence are those of transformers 5.23 (modeling_rope_utils.py). Departures: two spellings that contradict
 * each other are refused, where transformers takes `rope_scaling` in silence; so is one RoPE for each kind of layer.
 */
import { z } from "zod";
import type { ModelConfig, RopeScaling } from "../nn/model-config.ts";
import { brokenConfig, parseField, unsupportedConfig } from "./config-faults.ts";

const DEFAULT_THETA = 10_000;
const BETA_FAST = 32;
const BETA_SLOW = 1;

const positive = z.number().positive();
const ropeSchema = z
  .looseObject({
    rope_theta: positive.nullish(),
    rope_type: z.string().nullish(),
    type: z.string().nullish(),
  })
  .nullish();
const shareSchema = z.looseObject({ partial_rotary_factor: z.number().nullish() });
type RopeFields = NonNullable<z.infer<typeof ropeSchema>>;

/** The fields of a config.json that say how positions turn. */
export const ropeFields = {
  rope_theta: positive.nullish(),
  rope_parameters: ropeSchema,
  rope_scaling: ropeSchema,
  partial_rotary_factor: z.number().nullish(),
  original_max_position_embeddings: z.int().positive().nullish(),
};
type TopFields = z.infer<z.ZodObject<typeof ropeFields>>;

export type Rope = Pick<ModelConfig, "ropeTheta" | "ropeScaling">;

/**
 * @param maxPositions max_position_embeddings, which stands in for a missing original length
 * @throws PlaygroundError `model-unsupported` for other kinds by their name, `model-broken` for a field that is missing or wrong
 */
export function readRope(fields: TopFields, maxPositions: number, file: string): Rope {
  refusePartial(fields, `${file}: partial_rotary_factor`);
  const [rope, other] = (["rope_scaling", "rope_parameters"] as const).flatMap((field) => {
    const value = fields[field];
    if (!value || Object.keys(value).length === 0) return [];
    return [{ field, rope: readSpelling(value, fields, { maxPositions, where: `${file}: ${field}` }) }];
  });
  if (rope === undefined) return { ropeTheta: fields.rope_theta ?? DEFAULT_THETA };
  if (other !== undefined && JSON.stringify(other.rope) !== JSON.stringify(rope.rope)) {
    throw brokenConfig(`${file}: ${rope.field}`, `the same as ${other.field}`, "another RoPE");
  }
  return rope.rope;
}

interface Context {
  readonly maxPositions: number;
  readonly where: string;
}

function readSpelling(rope: RopeFields, top: TopFields, context: Context): Rope {
  const { where, maxPositions } = context;
  const nested = Object.entries(rope).find(
    ([, value]) => typeof value === "object" && value !== null && !Array.isArray(value),
  );
  if (nested) throw unsupportedConfig(where, "one RoPE for all layers", `another for ${nested[0]}`);
  refusePartial(parseField(shareSchema, rope, where), `${where}: partial_rotary_factor`);
  const type = rope.rope_type ?? rope.type ?? "default";
  const ropeTheta = rope.rope_theta ?? top.rope_theta ?? DEFAULT_THETA;
  if (type === "default") return { ropeTheta };
  if (!Object.hasOwn(READERS, type)) {
    throw unsupportedConfig(where, `rope_type default, ${Object.keys(READERS).join(", ")}`, type);
  }
  const original = top.original_max_position_embeddings;
  const own = original == null ? rope : { ...rope, original_max_position_embeddings: original };
  return { ropeTheta, ropeScaling: READERS[type as keyof typeof READERS](own, { where, maxPositions }) };
}

const linearSchema = z.looseObject({ factor: positive });
const llama3Schema = linearSchema.extend({
  low_freq_factor: positive,
  high_freq_factor: positive,
  original_max_position_embeddings: z.int().positive().optional(),
});
const yarnSchema = z.looseObject({
  factor: positive.nullable(),
  attention_factor: z.number().nonnegative().nullish(),
  beta_fast: z.number().nonnegative().nullish(),
  beta_slow: z.number().nonnegative().nullish(),
  mscale: z.number().nullish(),
  mscale_all_dim: z.number().nullish(),
  original_max_position_embeddings: z.int().positive().optional(),
  truncate: z.boolean().default(true),
});

const READERS = {
  linear: (rope, { where }) => ({ type: "linear", factor: parseField(linearSchema, rope, where).factor }),
  llama3: (rope, { where, maxPositions }) => {
    const fields = parseField(llama3Schema, rope, where);
    const { factor, low_freq_factor: lowFreqFactor, high_freq_factor: highFreqFactor } = fields;
    if (highFreqFactor <= lowFreqFactor) {
      const expected = `more than low_freq_factor ${lowFreqFactor}`;
      throw brokenConfig(`${where}: high_freq_factor`, expected, `${highFreqFactor}`);
    }
    const originalMaxPositions = fields.original_max_position_embeddings ?? maxPositions;
    return { type: "llama3", factor, lowFreqFactor, highFreqFactor, originalMaxPositions };
  },
  yarn: (rope, { where, maxPositions }) => {
    const fields = parseField(yarnSchema, rope, where);
    const originalMaxPositions = fields.original_max_position_embeddings ?? maxPositions;
    const factor = fields.factor ?? maxPositions / originalMaxPositions;
    return {
      type: "yarn",
      factor,
      originalMaxPositions,
      // transformers reads 0 as "not given", too
      betaFast: fields.beta_fast || BETA_FAST,
      betaSlow: fields.beta_slow || BETA_SLOW,
      truncate: fields.truncate,
      attentionFactor: fields.attention_factor ?? yarnAttention(factor, fields),
    };
  },
} satisfies Record<RopeScaling["type"], (rope: RopeFields, context: Context) => RopeScaling>;

/** YaRN's attention scaling: 0.1 ln(factor) + 1, or DeepSeek's ratio of two such. */
function yarnAttention(
  factor: number,
  { mscale, mscale_all_dim: allDim }: z.infer<typeof yarnSchema>,
): number {
  const scaled = (by: number): number => (factor <= 1 ? 1 : 0.1 * by * Math.log(factor) + 1);
  return mscale && allDim ? scaled(mscale) / scaled(allDim) : scaled(1);
}

function refusePartial({ partial_rotary_factor: share }: z.infer<typeof shareSchema>, where: string): void {
  if ((share ?? 1) !== 1) throw unsupportedConfig(where, "1", `${share}`);
}
