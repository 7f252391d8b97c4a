/** The map's other half, by real training: read from the experiment's committed results where the build has them. */
import { mapDataSchema, type MapData } from "../../../domain/experiment/map-data.ts";

const FILES = import.meta.glob<unknown>("/experiments/results/pow3r-map/map.json", { import: "default" });

/** null where it was not made yet. @throws ZodError for a file of another form */
export async function loadTrainedMap(): Promise<MapData | null> {
  const [load] = Object.values(FILES);
  return load === undefined ? null : mapDataSchema.parse(await load());
}
