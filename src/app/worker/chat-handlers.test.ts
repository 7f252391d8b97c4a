/** The chat on the real loader, engine and policy with a tiny random model: texts on the way, a stop, and a run that is not touched. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { fakeChecks, fakeSpec } from "../../testing/fake-run.ts";
import { createRandomModelSource } from "../../testing/random-model.ts";
import { createRunRecord, type RunRecord } from "../../training/run-record.ts";
import { Trainer } from "../../training/trainer.ts";
import type { ChatEvent } from "../protocol/chat-messages.ts";
import { chatHandlers } from "./chat-handlers.ts";
import { openModel, type LoadedModelHost } from "./loaded-model.ts";
import { createLock } from "./lock.ts";
import { withTurns } from "./turns.ts";

const spec = fakeSpec({}, { lora: { r: 2, target_modules: ["q_proj"] }, max_completion_length: 12 });
const messages = [{ role: "user" as const, content: "Hello there" }];

let host: LoadedModelHost;
let record: RunRecord;
beforeAll(async () => {
  let now = 0;
  host = await openModel({
    source: createRandomModelSource(),
    choice: "wasm",
    machine: { cores: 2, crossOriginIsolated: false, threads: 1, gpu: null },
    // every run lets the page's messages in
    openEngine: () => Promise.resolve(withTurns(openNodeEngine(1), () => (now += 100))),
    now: () => 0,
    onProgress: () => undefined,
  });
  record = createRunRecord("r", spec, await host.policyFor(spec.grpo.lora));
});
afterAll(() => host.dispose());

function open(lock = createLock(), onEvent: (event: ChatEvent) => void = () => undefined) {
  const events: ChatEvent[] = [];
  const session = { record };
  const handlers = chatHandlers({
    model: () => host,
    session,
    lock,
    emit: (event) => {
      if (event.kind !== "chat") return;
      events.push(event);
      onEvent(event);
    },
  });
  return { ...handlers, events, session };
}

const ask = (id: number, arms: readonly (string | null)[], seed = 3, maxTokens = 24) => ({
  id,
  chats: arms.map((arm) => ({ arm, messages })),
  temperature: 1,
  seed,
  maxTokens,
});

test("tells each answer as it grows, and gives the same one for the same seed", async () => {
  const { chat, events } = open();
  const { answers } = await chat(ask(1, [null, "pow3r"]));
  expect(answers.map(({ arm }) => arm)).toEqual([null, "pow3r"]);
  for (const { arm, text, end } of answers) {
    const texts = events.filter((event) => event.arm === arm).map((event) => event.text);
    expect(texts.length).toBeGreaterThan(2);
    expect(end).not.toBe("stopped");
    texts.forEach((shorter, i) => {
      expect(texts[i + 1] ?? text, "each goes on from the one before").toContain(shorter);
    });
  }
  expect((await chat(ask(2, [null, "pow3r"]))).answers).toEqual(answers);
  expect((await chat(ask(3, [null], 4))).answers[0]?.text).not.toBe(answers[0]?.text);
});

test("a stop keeps what is written, and begins no other answer", async () => {
  const whole = (await open().chat(ask(1, [null], 3, 60))).answers[0]?.text ?? "";
  const { chat, stopChat } = open(createLock(), () => void stopChat({ id: 5 }));
  const { answers } = await chat(ask(5, [null, "pow3r"], 3, 60));
  expect(answers).toHaveLength(1);
  expect(answers[0]?.end).toBe("stopped");
  const text = answers[0]?.text ?? "";
  expect(text.length).toBeGreaterThan(0);
  expect(text.length).toBeLessThan(whole.length);
  expect(whole.startsWith(text)).toBe(true);
});

test("it waits for the step at hand, answers with what that step taught, and changes no number of the run", async () => {
  const train = async (talk: boolean): Promise<RunRecord> => {
    const lock = createLock();
    const policy = await host.policyFor(spec.grpo.lora);
    const trainer = new Trainer({ policy, codec: host.codec, checks: fakeChecks, now: () => 0 }, record);
    const { chat, session } = open(lock);
    const talks: Promise<unknown>[] = [];
    for (let step = 1; step <= 3; step++) {
      const stepped = lock(async () => {
        await trainer.step();
        session.record = trainer.record;
      });
      if (talk) talks.push(chat(ask(step, [null, "pow3r"])));
      await stepped;
    }
    await Promise.all(talks);
    return trainer.record;
  };
  const plain = await train(false);
  const talked = await train(true);
  expect(talked.arms).toEqual(plain.arms);
  expect(talked.rows).toEqual(plain.rows);
});

test("an arm that the run does not have, and a conversation that is too long, are refused", async () => {
  const { chat } = open();
  await expect(chat(ask(1, ["nobody"]))).rejects.toMatchObject({ code: "run-state" });
  await expect(chat(ask(2, [null], 1, 500))).rejects.toMatchObject({ code: "config-invalid" });
});
