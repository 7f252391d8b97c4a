/**
 * `npm run check:gpu`: what only a machine with a GPU can show, in headless Chromium. Progress lines, then one line of
 * JSON; the exit code is 1 when something is off, in a plain sentence. `-- --software` runs a reduced form on the software
 * adapter, where lift and speed say nothing and are not judged.
 */
import { parseArgs } from "node:util";
import { messageOf } from "../../src/engine/runtime/ort.ts";
import { type CheckPages, openCheckPages } from "./browser.ts";
import { checkBundled } from "./bundled-part.ts";
import { checkModel } from "./model-part.ts";
import { REAL_MODELS } from "../hub/serve-model.ts";
import { brief, say, seconds } from "./report.ts";
import { faultsOf, type Findings, type ModelFindings } from "./verdict.ts";

const USAGE = `npm run check:gpu -- [options]
  --software      a reduced form on the software adapter
  --models A,B    of ${REAL_MODELS.join(", ")} (all unless given; none with --software) and tiny
  --models-only   not the bundled model
  --steps N       GRPO steps of a model (5; 1 with --software)
  --layers N      so many layers of a random model, at its widths`;

const { values } = parseArgs({
  options: {
    software: { type: "boolean", default: false },
    models: { type: "string" },
    "models-only": { type: "boolean", default: false },
    steps: { type: "string" },
    layers: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const { software } = values;
const numberOf = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text);
const names = values.models?.split(",") ?? (software ? [] : REAL_MODELS);

async function modelsOn(pages: CheckPages): Promise<ModelFindings[]> {
  const found: ModelFindings[] = [];
  for (const name of names) {
    const one = await checkModel(pages, {
      name,
      software,
      steps: numberOf(values.steps) ?? (software ? 1 : 5),
      layers: numberOf(values.layers),
    });
    if (one !== null) found.push(one);
  }
  return found;
}

async function findings(): Promise<Findings | string> {
  const pages = await openCheckPages(software);
  try {
    const { check, close } = await pages.open();
    const adapter = await check.adapter(null).catch(messageOf);
    await close();
    if (typeof adapter === "string") return `There is no GPU adapter in this browser: ${adapter}`;
    const { report, limits } = adapter;
    say(`adapter: ${report.description}${report.software ? " (software)" : ""}`);
    say(`limits: ${brief(limits)}`);
    if (report.software && !software) {
      return `There is no GPU here: the only adapter is software (${report.description}). The reduced form runs on it: npm run check:gpu -- --software`;
    }
    const bundled = values["models-only"] ? null : await checkBundled(pages, software);
    const models = await modelsOn(pages);
    return { software, adapter: report, limits, bundled, models, seconds: seconds() };
  } finally {
    await pages.close();
  }
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else {
  const found = await findings().catch(messageOf);
  const faults = typeof found === "string" ? [found] : faultsOf(found);
  for (const fault of faults) process.stdout.write(`FAULT: ${fault}\n`);
  const body = typeof found === "string" ? {} : found;
  process.stdout.write(`${brief({ check: "gpu", ok: faults.length === 0, faults, ...body })}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
