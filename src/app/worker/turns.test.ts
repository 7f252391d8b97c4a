import { expect, test } from "vitest";
import { Graph } from "../../engine/graph/ir.ts";
import type { Engine, Session } from "../../engine/runtime/engine.ts";
import { withTurns } from "./turns.ts";

test("a message that came during a run is heard before the next one", async () => {
  const order: string[] = [];
  const session: Session = {
    name: "busy",
    run: () => {
      order.push("run");
      return Promise.resolve({});
    },
    dispose: () => Promise.resolve(),
  };
  const engine = { compile: () => Promise.resolve(session) } as unknown as Engine;
  const train = async (on: Engine): Promise<string[]> => {
    order.length = 0;
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => order.push("message");
    const busy = await on.compile(new Graph("busy"), { name: "busy" });
    port2.postMessage(null);
    for (let i = 0; i < 3; i++) await busy.run({});
    port1.close();
    return [...order];
  };
  expect(await train(engine)).toEqual(["run", "run", "run"]);
  expect(await train(withTurns(engine))).toEqual(["message", "run", "run", "run"]);
});
