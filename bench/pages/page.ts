/** Starts the worker that the address names: ?worker=engine (ours) or ?worker=transformers (the peer of `rollouts`). */
const asked = new URLSearchParams(location.search).get("worker");
if (asked === "transformers") {
  new Worker(new URL("./transformers-worker.ts", import.meta.url), { type: "module" });
} else {
  new Worker(new URL("./engine-worker.ts", import.meta.url), { type: "module" });
}
