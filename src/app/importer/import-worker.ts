/** The entry of the importer's worker: one file, one answer. */
import { toFaultMessage } from "../../base/errors.ts";
import type { FromImporter, ImportJob } from "./messages.ts";
import { readFile } from "./read-file.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: FromImporter): void => {
  scope.postMessage(message);
};

scope.onmessage = ({ data }: MessageEvent<ImportJob>) => {
  readFile(data, (progress) => {
    post({ progress });
  }).then(
    (imported) => {
      post({ imported });
    },
    (error: unknown) => {
      post({ fault: toFaultMessage(error, data.name) });
    },
  );
};
