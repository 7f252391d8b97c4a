/** Reads from onnxruntime's verbose log on which provider the nodes of each session were placed. Browser tests only. */
import { vi } from "vitest";

/** Nodes by provider, e.g. { WebGpuExecutionProvider: 12 }. */
export type Placement = Readonly<Record<string, number>>;

/**
 * Starts listening; call it before a file's first engine is opened (with `verbose: true`), since the runtime binds
 * the console when it loads. `take` returns the placements of the sessions made since the last call, in order.
 */
export function listenForPlacements(): { take(): readonly Placement[] } {
  let placements: Record<string, number>[] = [];
  vi.spyOn(console, "error").mockImplementation((...parts: readonly unknown[]) => {
    const line = parts.join(" ");
    if (line.includes("VerifyEachNodeIsAssignedToAnEp] Node placements")) placements.push({});
    const match = /placed on \[(\w+)\]\. Number of nodes: (\d+)/.exec(line);
    const current = placements.at(-1);
    if (match?.[1] !== undefined && current) current[match[1]] = Number(match[2]);
  });
  return {
    take() {
      const taken = placements;
      placements = [];
      return taken;
    },
  };
}
