/**
 * Lets the worker hear the page while it computes: runs on WASM end within microtasks, so without a turn of the event
 * loop now and then no message (pause, chat) would arrive until training is over.
 */
import type { Engine, Session } from "../../engine/runtime/engine.ts";

/** Resolves after the messages that are waiting now; unlike `setTimeout` it is not held back by 4 ms. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/** Milliseconds that runs may follow each other without a turn: a token of the small model takes two. */
const WITHOUT_TURN = 10;

/** The engine with a turn of the event loop before a run, where the last one is a while ago. */
export function withTurns(engine: Engine, now: () => number): Engine {
  let last = -Infinity;
  const turn = async (): Promise<void> => {
    if (now() - last < WITHOUT_TURN) return;
    await nextTurn();
    last = now();
  };
  return {
    info: engine.info,
    compile: async (graph, options) => withTurnsIn(await engine.compile(graph, options), turn),
    upload: (tensor) => engine.upload(tensor),
    download: (tensor) => engine.download(tensor),
    release: (tensor) => {
      engine.release(tensor);
    },
    ...(engine.hold && { hold: engine.hold }),
    liveBuffers: () => engine.liveBuffers(),
    dispose: () => engine.dispose(),
  };
}

function withTurnsIn(session: Session, turn: () => Promise<void>): Session {
  return {
    name: session.name,
    run: async (feeds, bind) => {
      await turn();
      return bind === undefined ? session.run(feeds) : session.run(feeds, bind);
    },
    dispose: () => session.dispose(),
  };
}
