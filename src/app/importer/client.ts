/** The page's end of the importer's worker: a worker a file, ended with its answer or when nobody waits for it any more. */
import type { FromImporter, ImportJob } from "./messages.ts";

/**
 * Starts reading; answers come until the imported rubric or a fault. Returns what ends it early.
 * @param workerUrl the script's address
 */
export function startImport(
  workerUrl: string,
  job: ImportJob,
  onAnswer: (answer: FromImporter) => void,
): () => void {
  const worker = new Worker(workerUrl, { type: "module" });
  worker.onmessage = ({ data }: { readonly data: FromImporter }) => {
    if (!("progress" in data)) worker.terminate();
    onAnswer(data);
  };
  worker.onerror = ({ message }) => {
    const why = message === "" ? "its script could not be loaded" : message;
    worker.terminate();
    onAnswer({ fault: { code: "worker-failed", message: `importer: ${why}`, where: job.name } });
  };
  worker.postMessage(job);
  return () => {
    worker.terminate();
  };
}
