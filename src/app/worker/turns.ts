/**
 * Lets the worker hear the page while it computes: runs on WASM end within microtasks, so without a turn of the event
 * loop before each of them no message (pause, chat) would arrive until training is over.
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

/** The engine with a turn of the event loop before every run. */
export function withTurns(engine: Engine): Engine {
  return {
    info: engine.info,
    compile: async (graph, options) => withTurnsIn(await engine.compile(graph, options)),
    upload: (tensor) => engine.upload(tensor),
    download: (tensor) => engine.download(tensor),
    release: (tensor) => {
      engine.release(tensor);
    },
    liveBuffers: () => engine.liveBuffers(),
    dispose: () => engine.dispose(),
  };
}

function withTurnsIn(session: Session): Session {
  return {
    name: session.name,
    run: async (feeds, bind) => {
      await nextTurn();
      return bind === undefined ? session.run(feeds) : session.run(feeds, bind);
    },
    dispose: () => session.dispose(),
  };
}
