/**
 * The fields of an experiment's file: cells x arms x seeds of one scenario. What a file does not say is the set-up's own.
 * `public/experiment.schema.json` is written from here (`npm run experiment -- --schema`), for editors.
 */
import { z } from "zod";
import { grpoConfigSchema } from "../grpo/config.ts";
import { armGrpoSchema, pow3rConfigSchema, rewardRuleNameSchema, seedSchema } from "../run/spec.ts";

/** Names a folder of results. */
const folderNameSchema = z.string().regex(/^[a-z0-9-]+$/, "lower-case letters, digits and dashes");

const idSchema = z.string().min(1);
const seedsSchema = z
  .array(seedSchema)
  .min(1)
  .refine((seeds) => new Set(seeds).size === seeds.length, "seeds that differ")
  .describe("One run of all arms each.");
const judgeNoiseSchema = z
  .number()
  .min(0)
  .max(0.5)
  .describe("Probability that a training verdict is flipped; held-out verdicts never are.");
const flatWeightSchema = z
  .number()
  .positive()
  .describe("Weight of each criterion that is flat at the base, where the set-up's others keep theirs.");
const evaluationSamplesSchema = z.int().min(1).max(4096).describe("Held-out samples an evaluation.");

/** Some of a schema's settings, none of them filled in: what is left out stays the set-up's. */
function someOf(schema: z.ZodObject): z.ZodType<Readonly<Record<string, unknown>>> {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const given = (field instanceof z.ZodDefault ? field.unwrap() : field) as z.ZodType;
    return [name, given.exactOptional()] as const;
  });
  return z.strictObject(Object.fromEntries(fields));
}
const pow3rSchema = someOf(pow3rConfigSchema).describe("POW3R's constants, over the set-up's own.");
const grpoSchema = someOf(grpoConfigSchema).describe(
  "Training settings in TRL's names, over the set-up's own.",
);

const armSchema = z.strictObject({
  id: idSchema,
  rule: rewardRuleNameSchema,
  pow3r: pow3rSchema.default({}),
  grpo: armGrpoSchema.exactOptional().describe("The arm's own, over the experiment's."),
});
const armsSchema = z
  .array(armSchema)
  .min(1)
  .max(6)
  .refine((arms) => new Set(arms.map(({ id }) => id)).size === arms.length, "ids that differ");

const cellSchema = z.strictObject({
  id: folderNameSchema.describe("Names the folder of its results below the experiment's."),
  title: z.string().min(1).optional(),
  judgeNoise: judgeNoiseSchema.optional(),
  flatWeight: flatWeightSchema.optional(),
  seeds: seedsSchema.optional(),
  evaluationSamples: evaluationSamplesSchema.optional(),
  arms: armsSchema.optional().describe("In place of the experiment's; the baseline is among them."),
  grpo: grpoSchema.default({}),
});

export const experimentSchema = z
  .strictObject({
    $schema: z.string().optional().describe("Where an editor finds this description."),
    name: folderNameSchema.describe("Names the folder of its results."),
    question: z.string().min(1).describe("One sentence: what it asks."),
    scenario: idSchema,
    setUp: idSchema,
    base: z
      .enum(["good", "weak"])
      .default("good")
      .describe(
        "The bundled model, or an early stage of its pre-training (models/playground-qwen3-1m-early).",
      ),
    seeds: seedsSchema,
    arms: armsSchema,
    baseline: idSchema.describe("Arm whose final score the others are timed against."),
    target: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe("Held-out score that arms are timed against in place of the baseline's final one."),
    grpo: grpoSchema.default({}),
    judgeNoise: judgeNoiseSchema.optional(),
    flatWeight: flatWeightSchema.optional(),
    evaluateEvery: z.int().min(1).default(5).describe("Steps between two evaluations."),
    evaluationSamples: evaluationSamplesSchema.default(256),
    cells: z
      .array(cellSchema)
      .min(1)
      .refine((cells) => new Set(cells.map(({ id }) => id)).size === cells.length, "ids that differ")
      .optional()
      .describe("The same question under several settings; what a cell does not say is the experiment's."),
  })
  .superRefine(({ arms, baseline, cells = [] }, context) => {
    const places = [
      { path: ["baseline"], own: arms },
      ...cells.flatMap((cell, index) =>
        cell.arms === undefined ? [] : [{ path: ["cells", index, "arms"], own: cell.arms }],
      ),
    ];
    for (const { path, own } of places) {
      if (own.some(({ id }) => id === baseline)) continue;
      const known = own.map(({ id }) => `"${id}"`).join(", ");
      const message =
        path.length === 1 ? `an arm's id (${known})` : `the baseline "${baseline}" among the arms (${known})`;
      context.addIssue({ code: "custom", path, message });
    }
  });
export type Experiment = z.infer<typeof experimentSchema>;

/** The same as a JSON Schema; what only the parts together can break (the baseline among the arms) it cannot say. */
export function experimentJsonSchema(): object {
  return { title: "Experiment", ...z.toJSONSchema(experimentSchema, { io: "input", target: "draft-7" }) };
}
