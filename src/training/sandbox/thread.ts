/** A sandbox's thread: closes itself, then does what its host asks, each text's result as soon as it is there. */
import type { SandboxResult } from "../../domain/rubric/sandbox.ts";
import { lockDown } from "./lock-down.ts";
import type { FromSandbox, ToSandbox } from "./messages.ts";
import { performerOf, type MakeFunction } from "./perform.ts";

/** The thread's own means, taken before it loses them. */
export interface ThreadMeans {
  readonly post: (message: FromSandbox) => void;
  readonly listen: (handle: (message: ToSandbox) => void) => void;
  /** Calls back when everything now waiting has been done. */
  readonly afterwards: (callback: () => void) => void;
}

export function runSandboxThread(scope: object, { post, listen, afterwards }: ThreadMeans): void {
  // running what people write is what this thread is for
  const make: MakeFunction = (...parts) => new Maker(...parts) as ReturnType<MakeFunction>;
  const left = lockDown(scope);
  listen(({ task, texts }) => {
    let perform: (text: string) => SandboxResult;
    try {
      perform = performerOf(task, make);
    } catch (error) {
      perform = () => ({ kind: "none", reason: said(error) });
    }
    for (const text of texts) post({ kind: "result", result: attempt(perform, text) });
    afterwards(() => {
      post({ kind: "done" });
    });
  });
  post({ kind: "ready", left });
}

const Maker = Function;

function attempt(perform: (text: string) => SandboxResult, text: string): SandboxResult {
  try {
    return perform(text);
  } catch (error) {
    return { kind: "none", reason: said(error) };
  }
}

/** Somebody's code may throw anything, also what cannot be said. */
function said(error: unknown): string {
  try {
    return error instanceof Error
      ? `${error.name}: ${error.message}`.slice(0, 300)
      : String(error).slice(0, 300);
  } catch {
    return "an error that cannot be said";
  }
}
