/**
 * The page's end of the worker: requests as promises, events to one listener set. Knows the messages and nothing
 * of what they mean; a crash of the worker itself fails every open request and is told as an `internal` fault. One that
 * never came to life is a `worker-failed` fault, and the next request makes a new one.
 */
import { toFaultMessage, type ErrorCode, type FaultMessage } from "../../base/errors.ts";
import type { FromWorker, Params, RequestName, Result, ToWorker, WorkerEvent } from "./messages.ts";

/** What the client needs of a Worker; tests put a fake here. */
export interface WorkerPort {
  postMessage(message: ToWorker): void;
  onmessage: ((event: { readonly data: FromWorker }) => void) | null;
  /** Without a message when the script could not be had. */
  onerror: ((event: { readonly message?: string }) => void) | null;
}

/** A fault that came back for a request; carries the code the page switches on. */
export class RequestError extends Error {
  readonly code: ErrorCode;
  readonly where: string;

  constructor(fault: FaultMessage) {
    super(fault.message);
    this.name = "RequestError";
    this.code = fault.code;
    this.where = fault.where;
  }
}

/** Any thrown value as a fault, keeping the code of a failed request. */
export function requestFault(error: unknown, where: string): FaultMessage {
  if (error instanceof RequestError) return { code: error.code, message: error.message, where: error.where };
  return toFaultMessage(error, where);
}

export interface WorkerClient {
  /** @throws RequestError with the worker's fault. */
  request<Name extends RequestName>(name: Name, params: Params<Name>): Promise<Result<Name>>;
  /** Calls back for every event until the returned function is called. */
  onEvent(listener: (event: WorkerEvent) => void): () => void;
}

interface OpenRequest {
  readonly resolve: (result: never) => void;
  readonly reject: (error: RequestError) => void;
}

function notStarted(script: string, why: string): FaultMessage {
  return { code: "worker-failed", message: `${script}: ${why}`, where: script };
}

/**
 * Makes the worker at the first request and takes over its `onmessage` and `onerror`.
 * @param script the worker's script, as messages name it
 */
export function createWorkerClient(makeWorker: () => WorkerPort, script: string): WorkerClient {
  const open = new Map<number, OpenRequest>();
  const listeners = new Set<(event: WorkerEvent) => void>();
  let lastId = 0;
  let worker: WorkerPort | null = null;
  const emit = (event: WorkerEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const take = (id: number): OpenRequest | undefined => {
    const request = open.get(id);
    open.delete(id);
    return request;
  };

  const failAll = (fault: FaultMessage): void => {
    for (const id of [...open.keys()]) take(id)?.reject(new RequestError(fault));
    emit({ kind: "fault", fault });
  };
  const connect = (): WorkerPort => {
    const made = makeWorker();
    let alive = false;
    made.onmessage = ({ data }) => {
      alive = true;
      if (data.kind === "event") emit(data.event);
      else if (data.kind === "error") take(data.id)?.reject(new RequestError(data.fault));
      else take(data.id)?.resolve(data.result as never);
    };
    made.onerror = ({ message = "it, or a script that it needs, could not be loaded" }) => {
      if (!alive) worker = null;
      failAll(
        alive
          ? { code: "internal", message: `worker: ${message}`, where: "worker" }
          : notStarted(script, message),
      );
    };
    return made;
  };
  return {
    request: (name, params) =>
      new Promise((resolve, reject) => {
        try {
          worker ??= connect();
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          reject(new RequestError(notStarted(script, why)));
          return;
        }
        const id = ++lastId;
        open.set(id, { resolve, reject });
        worker.postMessage({ id, name, params } as ToWorker);
      }),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
