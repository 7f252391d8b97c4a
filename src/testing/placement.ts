/** Listens to onnxruntime's verbose log for the placements of nodes. Browser tests only. */
import { vi } from "vitest";
import { placementLog, type PlacementLog } from "./placement-log.ts";

/**
 * Starts listening; call it before a file's first engine is opened (with `verbose: true`), since the runtime binds
 * the console when it loads.
 */
export function listenForPlacements(): Pick<PlacementLog, "take"> {
  const log = placementLog();
  vi.spyOn(console, "error").mockImplementation((...parts: readonly unknown[]) => {
    log.read(parts.join(" "));
  });
  return log;
}
