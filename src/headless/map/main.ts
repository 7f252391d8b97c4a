/** Draws a map's data: `npx tsx src/headless/map/main.ts [map.json] [map.svg]`. */
import { readFile, writeFile } from "node:fs/promises";
import { argv } from "node:process";
import { toFaultMessage } from "../../base/errors.ts";
import { parseMapData } from "../../domain/experiment/map-data.ts";
import { mapSvg } from "./map-svg.ts";

const [source = "experiments/results/pow3r-map/map.json", target = "docs/pow3r-map.svg"] = argv.slice(2);
try {
  await writeFile(target, mapSvg(parseMapData(await readFile(source, "utf8"), source)));
  console.log(target);
} catch (error) {
  console.error(toFaultMessage(error, source).message);
  process.exitCode = 1;
}
