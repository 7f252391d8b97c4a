/** Reads on which provider onnxruntime placed the nodes of each session, line by line from its verbose log. */

/** Nodes by provider, e.g. { WebGpuExecutionProvider: 12 }. */
export type Placement = Readonly<Record<string, number>>;

export interface PlacementLog {
  /** Takes a line of the log. */
  read(line: string): void;
  /** The placements of the sessions made since the last call, in order. */
  take(): readonly Placement[];
}

export function placementLog(): PlacementLog {
  let placements: Record<string, number>[] = [];
  return {
    read(line) {
      if (line.includes("VerifyEachNodeIsAssignedToAnEp] Node placements")) placements.push({});
      const match = /placed on \[(\w+)\]\. Number of nodes: (\d+)/.exec(line);
      const current = placements.at(-1);
      if (match?.[1] !== undefined && current) current[match[1]] = Number(match[2]);
    },
    take() {
      const taken = placements;
      placements = [];
      return taken;
    },
  };
}
