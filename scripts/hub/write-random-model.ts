/** `npm run write-model -- SHAPE FOLDER`: a model of random weights at a real model's shape, for `npm run hub` to serve. */
import { resolve } from "node:path";
import { argv, exit } from "node:process";
import { parseArgs } from "node:util";
import { isModelShape, MODEL_SHAPES } from "./model-shapes.ts";
import { writeRandomModel } from "./random-model.ts";

const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: {
    shards: { type: "string", default: "1" },
    seed: { type: "string", default: "1" },
    layers: { type: "string" },
    vocab: { type: "string" },
  },
});
const [shape, folder] = positionals;
if (shape === undefined || folder === undefined || !isModelShape(shape)) {
  console.error(
    `npm run write-model -- ${Object.keys(MODEL_SHAPES).join("|")} FOLDER [--shards N] [--seed N] [--layers N] [--vocab N]`,
  );
  exit(1);
}
const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
const bytes = writeRandomModel({
  shape,
  folder: resolve(folder),
  seed: Number(values.seed),
  shards: Number(values.shards),
  cut: { layers: numberOf(values.layers), vocabSize: numberOf(values.vocab) },
});
console.log(
  `${folder}: ${(bytes / 1e6).toFixed(1)} MB of BF16 weights at the shape of ${shape}, random (seed ${values.seed})`,
);
