/**
 * The page's end of the worker: requests as promises, events to one listener set. Knows the messages and nothing
 * of what they mean; an error of the worker itself fails every open request and is told as an `internal` fault. One that
 * never came to life is a `worker-failed` fault, one that is gone a `worker-ended` one, and the next request makes a new one.
 */
import { toFaultMessage, type ErrorCode, type FaultMessage } from "../../base/errors.ts";
import type { FromWorker, Params, RequestName, Result, ToWorker, WorkerEvent } from "./messages.ts";

/** What the client needs of a Worker; tests put a fake here. */
export interface WorkerPort {
  postMessage(message: ToWorker): void;
  terminate(): void;
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

/** Resolves when the Web Lock is free, that is, when the worker that held it is gone. */
export type AwaitLock = (name: string) => Promise<void>;

interface OpenRequest {
  readonly resolve: (result: never) => void;
  readonly reject: (error: RequestError) => void;
}

const ENDED: FaultMessage = {
  code: "worker-ended",
  message: "worker: expected it to live, got its end. The run goes on from its last checkpoint.",
  where: "worker",
};

const yes = (): boolean => true;
/** Site data is blocked: nothing can be told from the lock. */
const no = (): boolean => false;

function notStarted(script: string, why: string): FaultMessage {
  return { code: "worker-failed", message: `${script}: ${why}`, where: script };
}

function broken(message: string): FaultMessage {
  return { code: "internal", message: `worker: ${message}`, where: "worker" };
}

/** The requests that wait for an answer. */
function openRequests() {
  const open = new Map<number, OpenRequest>();
  let lastId = 0;
  const take = (id: number): OpenRequest | undefined => {
    const request = open.get(id);
    open.delete(id);
    return request;
  };
  return {
    add: (request: OpenRequest): number => {
      open.set(++lastId, request);
      return lastId;
    },
    take,
    rejectAll: (fault: FaultMessage): void => {
      for (const id of [...open.keys()]) take(id)?.reject(new RequestError(fault));
    },
  };
}

/**
 * Makes the worker at the first request and takes over its `onmessage` and `onerror`.
 * @param script the worker's script, as messages name it
 * @param awaitLock null where there are no Web Locks: a worker that ends without a word stays unseen
 */
export function createWorkerClient(
  makeWorker: () => WorkerPort,
  script: string,
  awaitLock: AwaitLock | null = null,
): WorkerClient {
  const { add, take, rejectAll } = openRequests();
  const listeners = new Set<(event: WorkerEvent) => void>();
  let worker: WorkerPort | null = null;
  const emit = (event: WorkerEvent): void => {
    for (const listener of listeners) listener(event);
  };
  const failAll = (fault: FaultMessage): void => {
    rejectAll(fault);
    emit({ kind: "fault", fault });
  };
  const watch = async (made: WorkerPort, lock: string): Promise<void> => {
    const ended = awaitLock === null ? false : await awaitLock(lock).then(yes, no);
    if (!ended || worker !== made) return;
    worker = null;
    made.terminate();
    failAll(ENDED);
    emit({ kind: "ended" });
  };
  const connect = (): WorkerPort => {
    const made = makeWorker();
    let alive = false;
    made.onmessage = ({ data }) => {
      alive = true;
      if (worker !== made) return; // the last words of one that was ended
      if (data.kind === "event" && data.event.kind === "alive") void watch(made, data.event.lock);
      else if (data.kind === "event") emit(data.event);
      else if (data.kind === "error") take(data.id)?.reject(new RequestError(data.fault));
      else take(data.id)?.resolve(data.result as never);
    };
    made.onerror = ({ message = "it, or a script that it needs, could not be loaded" }) => {
      if (worker !== made) return;
      if (!alive) worker = null;
      failAll(alive ? broken(message) : notStarted(script, message));
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
        const id = add({ resolve, reject });
        worker.postMessage({ id, name, params } as ToWorker);
      }),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
