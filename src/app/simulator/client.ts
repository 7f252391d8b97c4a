/** The page's end of the simulator's worker: one job at a time, whose answers go to whoever asked last. */
import type { FaultMessage } from "../../base/errors.ts";
import type { FromSimulator, SimulatorJob, SimulatorProgress, ToSimulator } from "./messages.ts";

/** What the client needs of a Worker; tests put a fake here. */
export interface SimulatorPort {
  postMessage(message: ToSimulator): void;
  terminate(): void;
  onmessage: ((event: { readonly data: FromSimulator }) => void) | null;
  /** Without a message when the script could not be had. */
  onerror: ((event: { readonly message?: string }) => void) | null;
}

export interface JobListener {
  readonly onProgress: (progress: SimulatorProgress) => void;
  readonly onFault: (fault: FaultMessage) => void;
}

export interface SimulatorClient {
  /** Starts a job in place of the one before; that one's answers are heard no more. */
  readonly start: (job: SimulatorJob, listener: JobListener) => void;
  /** Ends the worker; the next job makes a new one. */
  readonly close: () => void;
}

export function createSimulatorClient(makePort: () => SimulatorPort): SimulatorClient {
  let port: SimulatorPort | null = null;
  let lastId = 0;
  let listener: JobListener | null = null;
  const connect = (): SimulatorPort => {
    const made = makePort();
    made.onmessage = ({ data }) => {
      if (data.id !== lastId) return;
      if ("fault" in data) listener?.onFault(data.fault);
      else listener?.onProgress(data.progress);
    };
    made.onerror = ({ message = "its script could not be loaded" }) => {
      port = null;
      listener?.onFault({ code: "worker-failed", message: `simulator: ${message}`, where: "simulator" });
    };
    return made;
  };
  return {
    start: (job, next) => {
      listener = next;
      port ??= connect();
      port.postMessage({ id: ++lastId, job });
    },
    close: () => {
      listener = null;
      port?.terminate();
      port = null;
    },
  };
}
