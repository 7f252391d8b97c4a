/** The run's state machine, a pure reducer used on both sides of the worker's edge. */
import type { FaultMessage } from "../../base/errors.ts";

export type RunPhase = "idle" | "loading" | "running" | "pausing" | "paused" | "stopped" | "failed";

export interface RunState {
  readonly phase: RunPhase;
  /** Finished GRPO steps. */
  readonly step: number;
  readonly maxSteps: number;
  /** Why the run failed, and the last good step it stands at. */
  readonly fault: FaultMessage | null;
}

export type RunEvent =
  | { readonly type: "load" }
  | { readonly type: "ready"; readonly step: number; readonly maxSteps: number }
  | { readonly type: "start" }
  | { readonly type: "stepped"; readonly step: number }
  | { readonly type: "pause" }
  | { readonly type: "halted" }
  | { readonly type: "stop" }
  | { readonly type: "fail"; readonly fault: FaultMessage };

export const initialRunState: RunState = { phase: "idle", step: 0, maxSteps: 0, fault: null };

/** Which events each phase takes; others leave the state as it is. */
const ACCEPTS: Readonly<Record<RunPhase, readonly RunEvent["type"][]>> = {
  idle: ["load", "ready", "start", "fail"],
  loading: ["ready", "fail"],
  running: ["stepped", "pause", "halted", "stop", "fail"],
  pausing: ["stepped", "halted", "stop", "fail"],
  paused: ["load", "ready", "start", "stop", "fail"],
  stopped: ["load", "ready", "fail"],
  failed: ["load", "ready", "start", "stop"],
};

/** True when the event changes something in this phase. */
export function accepts(state: RunState, type: RunEvent["type"]): boolean {
  return ACCEPTS[state.phase].includes(type);
}

/** What each event makes of the state, given that the phase takes it. */
const CHANGES: {
  readonly [Type in RunEvent["type"]]: (
    state: RunState,
    event: Extract<RunEvent, { readonly type: Type }>,
  ) => RunState;
} = {
  load: (state) => ({ ...state, phase: "loading", fault: null }),
  ready: (_, { step, maxSteps }) => ({ phase: step === 0 ? "idle" : "paused", step, maxSteps, fault: null }),
  start: (state) => ({ ...state, phase: "running", fault: null }),
  stepped: (state, { step }) => ({ ...state, step }),
  pause: (state) => ({ ...state, phase: "pausing" }),
  halted: (state) => ({
    ...state,
    phase: state.step >= state.maxSteps && state.maxSteps > 0 ? "stopped" : "paused",
  }),
  stop: (state) => ({ ...state, phase: "stopped" }),
  fail: (state, { fault }) => ({ ...state, phase: "failed", fault }),
};

export function reduceRun(state: RunState, event: RunEvent): RunState {
  if (!accepts(state, event.type)) return state;
  const change = CHANGES[event.type] as (state: RunState, event: RunEvent) => RunState;
  return change(state, event);
}
