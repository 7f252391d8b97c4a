/** The entry of the simulator's worker: takes the newest job and works through it step by step. */
import { toFaultMessage } from "../../base/errors.ts";
import { jobSteps } from "./job-steps.ts";
import type { FromSimulator, ToSimulator } from "./messages.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;
const post = (message: FromSimulator): void => {
  scope.postMessage(message);
};

let current = 0;

scope.onmessage = ({ data }: MessageEvent<ToSimulator>) => {
  const { id, job } = data;
  current = id;
  const steps = jobSteps(job, () => performance.now());
  const advance = (): void => {
    // a newer job came in between
    if (current !== id) return;
    try {
      const { done, value } = steps.next();
      if (done === true) return;
      if (value !== null) post({ id, progress: value });
    } catch (error) {
      post({ id, fault: toFaultMessage(error, "simulator") });
      return;
    }
    setTimeout(advance, 0);
  };
  advance();
};
