/**
 * SmolLM2-135M-Instruct as the local judge: its chances are those of one long forward pass a question, and its agreement with the
 * programmatic checks on answers whose verdicts are known is told, whatever it is.
 */
import { afterAll, beforeAll, expect, it } from "vitest";
import { agreementOf, calibrationOf, type RatedPair } from "../../domain/rubric/agreement.ts";
import { checks } from "../../domain/rubric/checks/registry.ts";
import { criterionSchema, type Criterion } from "../../domain/rubric/schema.ts";
import { loraConfigSchema } from "../../domain/grpo/config.ts";
import { localJudgeSchema } from "../../domain/run/judge-spec.ts";
import type { Engine } from "../../engine/runtime/engine.ts";
import { openNodeEngine } from "../../engine/runtime/ort-node.ts";
import { createTextCodec } from "../../engine/text/tokenizer.ts";
import { loadModel } from "../../engine/weights/load-model.ts";
import { createFolderSource } from "../../headless/folder-source.ts";
import { judgeOne } from "../../testing/judge-one.ts";
import { describeWithOracle } from "../../testing/oracle.ts";
import { SMOLLM2, smollm2Missing } from "../../testing/smollm2.ts";
import { judgeAnswers } from "../judging.ts";
import type { Policy } from "../policy.ts";
import { createModelPolicy } from "../model-policy/create.ts";
import { yesNoPrompt } from "./grader-prompt.ts";
import { createJudgeMeter } from "./judge-meter.ts";
import { createLocalJudge, type JudgeModel } from "./local-judge.ts";

const MOST_POSITIONS = 1024;
const criterion = (id: string, text: string, type: string, args: object): Criterion =>
  criterionSchema.parse({ id, text, category: "all", weight: 1, check: { type, args } });
const CRITERIA = [
  criterion("sorry", "The response says sorry.", "contains-any", { phrases: ["sorry", "apologise"] }),
  criterion("refund", "The response offers a refund.", "contains-any", { phrases: ["refund", "money back"] }),
  criterion("short", "The response has at most ten words.", "word-count", { max: 10 }),
  criterion("thanks", "The response thanks the customer.", "contains-any", {
    phrases: ["thank you", "thanks"],
  }),
  criterion("greets", "The response begins with “Dear”.", "starts-with-any", { phrases: ["Dear"] }),
  criterion("emoji", "The response is written without emoji.", "no-emoji", {}),
];
const PROMPT = { id: "p", text: "My kettle arrived broken. What will you do about it?", fields: {} };
const ANSWERS = [
  "We are sorry. You will get a refund.",
  "Thank you for writing. Please send us a photo of the kettle and its box, and we will look at what happened.",
  "No.",
  "Dear customer, we are so sorry that your kettle is broken. We will send a new one by Friday.",
  "Thanks! 🎉",
  "Dear Anna, thank you for your message. We give you your money back at once.",
  "The kettle is a fine kettle. It has been made with care for many years and people everywhere like it very much.",
  "Sorry about that 😟 we will refund your order today.",
  "Please unplug it.",
  "We apologise for the trouble, thank you for your patience, and a refund is on its way to your account today.",
  "Kettles break.",
  "Dear sir or madam, please read the manual again.",
].map((text) => ({ text, ended: true }));

let engine: Engine;
let model: JudgeModel;
let policy: Policy;
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now();
  await work();
  return (performance.now() - from) / 1000;
};

describeWithOracle(
  "SmolLM2-135M-Instruct as the judge",
  () => {
    beforeAll(async () => {
      const loaded = await loadModel(createFolderSource(SMOLLM2.folder));
      const codec = await createTextCodec(loaded.tokenizerFiles, loaded.endTokenIds);
      engine = openNodeEngine(2);
      const lora = loraConfigSchema.parse({});
      policy = createModelPolicy({ engine, model: loaded, lora, maxPositions: MOST_POSITIONS });
      model = { name: loaded.name, policy, codec, maxPositions: MOST_POSITIONS };
    }, 600_000);
    afterAll(() => engine.dispose());

    const judgeOf = () =>
      createLocalJudge(localJudgeSchema.parse({ kind: "local" }), {
        model: () => Promise.resolve(model),
        meter: createJudgeMeter(),
      });

    it("tells the chances of a forward pass a question, without anything shared", async () => {
      const [answer] = ANSWERS;
      const judged = await judgeOne(judgeOf(), CRITERIA, ANSWERS.slice(0, 1), PROMPT);
      for (const [i, { text }] of CRITERIA.entries()) {
        const prompt = model.codec.encodePrompt(
          yesNoPrompt({ prompt: PROMPT, answer: answer?.text ?? "" }, text),
        );
        const words = ["Yes", "No"].map((word) => model.codec.encodeText(word).slice(0, 1));
        const [direct] = await policy.logProbs([{ prompt, completions: words }], null, 1);
        const [yes, no] = (direct ?? []).map((row) => Math.exp(row[0] ?? NaN));
        expect(judged[i]?.[0]?.pYes).toBeCloseTo((yes ?? NaN) / ((yes ?? NaN) + (no ?? NaN)), 3);
      }
    });

    it("is faster than a run of the model a question", async () => {
      const some = ANSWERS.slice(0, 3);
      const shared = (): Promise<unknown> => judgeOne(judgeOf(), CRITERIA, some, PROMPT);
      const apart = async (): Promise<void> => {
        for (const answer of some)
          for (const criterion of CRITERIA) await judgeOne(judgeOf(), [criterion], [answer], PROMPT);
      };
      await shared(); // its graphs are built
      await apart();
      const [together, single] = [await timed(shared), await timed(apart)];
      process.stdout.write(
        `${3 * CRITERIA.length} questions: ${together.toFixed(1)} s, one by one ${single.toFixed(1)} s\n`,
      );
      expect(together).toBeLessThan(single);
    });

    it("agrees with the checks as far as is told here", async () => {
      const [truth] = await judgeAnswers({ checks }, CRITERIA, [{ prompt: PROMPT, answers: ANSWERS }]);
      const judged = await judgeOne(judgeOf(), CRITERIA, ANSWERS, PROMPT);
      const pairs = CRITERIA.map(({ id }, j) => ({
        id,
        rated: ANSWERS.map((_, g): RatedPair => {
          const own = judged[j]?.[g];
          return {
            judge: own?.verdict ?? null,
            truth: truth?.[g]?.[j]?.verdict ?? null,
            pYes: own?.pYes ?? null,
          };
        }),
      }));
      const all = pairs.flatMap(({ rated }) => rated);
      for (const { id, rated } of [...pairs, { id: "all", rated: all }]) {
        const { n, accuracy, kappa } = agreementOf(rated);
        process.stdout.write(
          `${id}: n ${n}, accuracy ${accuracy?.toFixed(2) ?? "-"}, kappa ${kappa?.toFixed(2) ?? "-"}\n`,
        );
      }
      const calibration = calibrationOf(all);
      process.stdout.write(
        `calibration error ${calibration?.error.toFixed(2) ?? "-"}; best threshold ${calibration?.bestThreshold.toFixed(2) ?? "-"} (${calibration?.bestAccuracy.toFixed(2) ?? "-"})\n`,
      );
      expect(agreementOf(all)).toMatchObject({ n: CRITERIA.length * ANSWERS.length, missing: 0 });
    });
  },
  smollm2Missing(),
);
