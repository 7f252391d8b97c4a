/** `Session` on onnxruntime: feeds, bound outputs, outputs that stay on the device, and errors with the session's name. */
import { PlaygroundError } from "../../base/errors.ts";
import type { HostTensor } from "../graph/tensor.ts";
import type { DeviceMemory } from "./device-memory.ts";
import type { DeviceTensor, LoadOptions, Session } from "./engine.ts";
import {
  fromOrtTensor,
  messageOf,
  toOrtTensor,
  type Ort,
  type OrtSession,
  type OrtSessionOptions,
  type OrtTensor,
} from "./ort.ts";

import { leaseSession, type SessionLease } from "./session-lease.ts";

type Tensors = Readonly<Record<string, HostTensor | DeviceTensor>>;
type Bindings = Readonly<Record<string, DeviceTensor>>;

/** What the sessions of one engine share. */
export interface SessionHost {
  readonly ort: Ort;
  readonly memory: DeviceMemory;
  readonly sessionOptions: OrtSessionOptions;
  readonly webgpu: boolean;
  /** Runs a task alone, on a living device. */
  enter<T>(task: () => Promise<T>): Promise<T>;
  /** Runs a task alone, whatever has happened to the device. */
  leave(task: () => Promise<void> | void): Promise<void>;
}

/** Compiles a graph; `onDispose` tells the engine that the session is gone. */
export async function openSession(
  host: SessionHost,
  onnx: Uint8Array,
  options: LoadOptions,
  onDispose: () => void,
): Promise<Session> {
  const where = `session ${options.name}`;
  const onDevice = new Set(options.deviceOutputs);
  const create = async (): Promise<SessionLease> =>
    leaseSession(await host.ort.InferenceSession.create(onnx, optionsFor(host, options.deviceOutputs ?? [])));
  let current: SessionLease | null = await host
    .enter(create)
    .catch(rethrow(where, "a graph that the runtime accepts"));
  // onnxruntime-web keeps the I/O binding of a failed run and would ignore the next run's feeds: rebuild then
  const rebuilds = host.webgpu && onDevice.size > 0;
  const runOnce = async (feeds: Tensors, bind: Bindings): ReturnType<Session["run"]> => {
    const lease = (current ??= await create());
    const ortFeeds = mapValues(feeds, (tensor) => toFeed(host, tensor));
    const fetches = fetchesFor(host, lease.session, bind);
    try {
      const results = await lease.session.run(ortFeeds, fetches);
      return mapValues(results as Record<string, OrtTensor>, (result, name) => {
        const bound = bind[name];
        if (!bound) return onDevice.has(name) ? host.memory.adopt(result, lease) : fromOrtTensor(result);
        host.memory.settle(bound, result);
        return bound;
      });
    } catch (error) {
      if (rebuilds) {
        current = null;
        await lease.end();
      }
      throw error;
    }
  };
  return {
    name: options.name,
    run: (feeds, bind = {}) =>
      host.enter(() => runOnce(feeds, bind)).catch(rethrow(where, "the run to finish")),
    async dispose() {
      onDispose();
      await host.leave(async () => {
        await current?.end();
        current = null;
      });
    },
  };
}

function optionsFor(host: SessionHost, deviceOutputs: readonly string[]): OrtSessionOptions {
  if (!host.webgpu || deviceOutputs.length === 0) return { ...host.sessionOptions };
  const preferredOutputLocation = Object.fromEntries(
    deviceOutputs.map((name) => [name, "gpu-buffer" as const]),
  );
  return { ...host.sessionOptions, preferredOutputLocation };
}

function toFeed(host: SessionHost, tensor: HostTensor | DeviceTensor): OrtTensor {
  return "device" in tensor ? host.memory.feed(tensor) : toOrtTensor(host.ort, tensor);
}

/** Every output of the session, bound ones with their tensor. @throws Error when a binding does not fit the output. */
function fetchesFor(
  host: SessionHost,
  session: OrtSession,
  bind: Bindings,
): Record<string, OrtTensor | null> {
  for (const [name, tensor] of Object.entries(bind)) {
    const output = session.outputMetadata.find((metadata) => metadata.name === name);
    if (!output?.isTensor) throw new Error(`no output "${name}" to bind`);
    const fits = output.shape.every((dim, i) => typeof dim === "string" || dim === tensor.dims[i]);
    if (output.type !== tensor.dtype || output.shape.length !== tensor.dims.length || !fits) {
      const wanted = `${output.type} [${output.shape.join(", ")}]`;
      throw new Error(
        `output "${name}" is ${wanted}, the bound tensor ${tensor.dtype} [${tensor.dims.join(", ")}]`,
      );
    }
  }
  const entry = (name: string): [string, OrtTensor | null] => {
    const bound = bind[name];
    return [name, bound ? host.memory.fetch(bound) : null];
  };
  return Object.fromEntries(session.outputNames.map(entry));
}

function mapValues<A, B>(
  record: Readonly<Record<string, A>>,
  map: (value: A, name: string) => B,
): Record<string, B> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

/** Turns whatever the runtime throws into `session-failed`; our own errors pass. */
function rethrow(where: string, expected: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof PlaygroundError) throw error;
    const next = "Change the settings and try again; nothing before this was lost.";
    throw new PlaygroundError(
      { code: "session-failed", where, expected, got: messageOf(error), next },
      { cause: error },
    );
  };
}
