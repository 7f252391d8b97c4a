/** Opens an engine on the kernels in a page or worker, from our own origin. */
import { PlaygroundError } from "../../base/errors.ts";
import type { Engine } from "../runtime/engine.ts";
import { createKernelEngine } from "./kernel-engine.ts";
import plainUrl from "./kernels.wasm?url";
import relaxedUrl from "./kernels-relaxed.wasm?url";
import { hasRelaxedSimd } from "./module.ts";

/** @throws PlaygroundError `worker-failed` naming the file when it cannot be fetched */
export async function openKernelEngine(): Promise<Engine> {
  const url = hasRelaxedSimd() ? relaxedUrl : plainUrl;
  const response = await fetch(url).catch((cause: unknown) => cause);
  if (response instanceof Response && response.ok) return createKernelEngine(await response.arrayBuffer());
  throw new PlaygroundError({
    code: "worker-failed",
    where: url,
    expected: "the module of the WASM kernels",
    got: response instanceof Response ? `HTTP ${response.status}` : String(response),
    next: "Look at the connection and at what stands on the server, then try again.",
  });
}
