/**
 * The page's end of the worker: requests as promises, events to one listener set. Knows the messages and nothing
 * of what they mean; a crash of the worker itself fails every open request and is told as an `internal` fault.
 */
import { toFaultMessage, type ErrorCode, type FaultMessage } from "../../base/errors.ts";
import type { FromWorker, Params, RequestName, Result, ToWorker, WorkerEvent } from "./messages.ts";

/** What the client needs of a Worker; tests put a fake here. */
export interface WorkerPort {
  postMessage(message: ToWorker): void;
  onmessage: ((event: { readonly data: FromWorker }) => void) | null;
  onerror: ((event: { readonly message: string }) => void) | null;
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

/** Takes over the port's `onmessage` and `onerror`. */
export function createWorkerClient(worker: WorkerPort): WorkerClient {
  const open = new Map<number, OpenRequest>();
  const listeners = new Set<(event: WorkerEvent) => void>();
  let lastId = 0;
  const emit = (event: WorkerEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const take = (id: number): OpenRequest | undefined => {
    const request = open.get(id);
    open.delete(id);
    return request;
  };

  worker.onmessage = ({ data }) => {
    if (data.kind === "event") emit(data.event);
    else if (data.kind === "error") take(data.id)?.reject(new RequestError(data.fault));
    else take(data.id)?.resolve(data.result as never);
  };
  worker.onerror = ({ message }) => {
    const fault: FaultMessage = { code: "internal", message: `worker: ${message}`, where: "worker" };
    for (const id of [...open.keys()]) take(id)?.reject(new RequestError(fault));
    emit({ kind: "fault", fault });
  };
  return {
    request: (name, params) =>
      new Promise((resolve, reject) => {
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
