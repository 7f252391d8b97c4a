import { expect, test } from "vitest";
import { Graph } from "../../engine/graph/ir.ts";
import type { Engine, Session } from "../../engine/runtime/engine.ts";
import { withTurns } from "./turns.ts";

/** The order in which a message that was sent after the first run and four runs of so many milliseconds happen. */
async function orderOf(took: number, turns: boolean): Promise<string[]> {
  let clock = 0;
  const order: string[] = [];
  const session: Session = {
    name: "busy",
    run: () => {
      order.push("run");
      clock += took;
      return Promise.resolve({});
    },
    dispose: () => Promise.resolve(),
  };
  const engine = { compile: () => Promise.resolve(session) } as unknown as Engine;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => order.push("message");
  const on = turns ? withTurns(engine, () => clock) : engine;
  const busy = await on.compile(new Graph("busy"), { name: "busy" });
  for (let i = 0; i < 4; i++) {
    await busy.run({});
    if (i === 0) port2.postMessage(null);
  }
  port1.close();
  return order;
}

test.each([
  ["long runs: before the next one", 20, ["run", "message", "run", "run", "run"]],
  ["short runs: after a few of them", 4, ["run", "run", "run", "message", "run"]],
])("a message is heard between %s", async (_name, took, heard) => {
  expect(await orderOf(took, true)).toEqual(heard);
});

test("without turns no message comes through", async () => {
  expect(await orderOf(20, false)).toEqual(["run", "run", "run", "run"]);
});
