/** The page of the GPU check: a worker, as on the product's own page. */
new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
