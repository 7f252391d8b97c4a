/** Reads the JS heap of a page's worker over the DevTools protocol, which Playwright itself does not offer for workers. */
import type { Page } from "playwright";

export interface WorkerInspector {
  /** Bytes in use after a forced collection. */
  heapBytes(): Promise<number>;
}

interface Reply {
  readonly id?: number;
  readonly result?: Readonly<Record<string, number>>;
  readonly error?: { readonly message: string };
}

/** Attaches to the page's one worker. */
export async function attachToWorker(page: Page): Promise<WorkerInspector> {
  const session = await page.context().newCDPSession(page);
  const waiting = new Map<number, (reply: Reply) => void>();
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const reply = JSON.parse(message) as Reply;
    if (reply.id !== undefined) waiting.get(reply.id)?.(reply);
  });
  const attached = new Promise<string>((resolve) => {
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") resolve(sessionId);
    });
  });
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  const sessionId = await attached;
  let last = 0;
  const send = async (method: string): Promise<Readonly<Record<string, number>>> => {
    const id = ++last;
    const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve));
    await session.send("Target.sendMessageToTarget", { sessionId, message: JSON.stringify({ id, method }) });
    const { result, error } = await reply;
    waiting.delete(id);
    if (error) throw new Error(`${method}: ${error.message}`);
    return result ?? {};
  };
  return {
    async heapBytes() {
      await send("HeapProfiler.collectGarbage");
      const { usedSize = NaN } = await send("Runtime.getHeapUsage");
      return usedSize;
    },
  };
}
