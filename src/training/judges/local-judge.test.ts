/** The local judge against PyTorch: its chances are those of a direct forward pass, whatever the questions share. */
import { afterEach, describe, expect, test } from "vitest";
import { defined } from "../../base/assert.ts";
import { criterionSchema } from "../../domain/rubric/schema.ts";
import { localJudgeSchema } from "../../domain/run/judge-spec.ts";
import { judgeOne } from "../../testing/judge-one.ts";
import { FIXTURE_MODELS, readModelFixture, type FixtureModel } from "../../testing/model-fixtures.ts";
import { NODE_ENGINES } from "../../testing/node-engines.ts";
import { createModelPolicy } from "../model-policy/create.ts";
import { createJudgeMeter } from "./judge-meter.ts";
import { createLocalJudge, type JudgeModel } from "./local-judge.ts";

const YES = 3;
const NO = 5;
const answers = [{ text: "an answer", ended: true }];
const prompt = { id: "p", text: "a question", fields: {} };
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** Criteria whose question is so many of the fixture's ids. */
const criteriaOf = (lengths: readonly number[]) =>
  lengths.map((length) =>
    criterionSchema.parse({
      id: `c${String(length)}`,
      text: `#${String(length)}#`,
      category: "all",
      weight: 1,
    }),
  );

async function tinyJudge(name: FixtureModel, open: (typeof NODE_ENGINES)[number][1]) {
  const { config, weights, lora, inputIds, logits } = readModelFixture(name);
  const engine = await open();
  const policy = createModelPolicy({
    engine,
    model: { config, weights, endTokenIds: [0] },
    lora,
    maxPositions: 48,
  });
  closing.push(async () => {
    await policy.dispose();
    await engine.dispose();
  });
  const ids = defined(inputIds[0], "ids");
  const asked: number[] = [];
  let tokensRun = 0;
  const model: JudgeModel = {
    name,
    policy: {
      nextTokens: (groups, words) => {
        asked.push(...groups.map(({ completions }) => completions.length));
        for (const { prompt: shared, completions } of groups)
          tokensRun += completions.reduce((sum, { length }) => sum + length, shared.length);
        return policy.nextTokens(groups, words);
      },
    },
    codec: {
      encodePrompt: (messages) => {
        const length = Number(/#(\d+)#/.exec(messages.at(-1)?.content ?? "")?.[1]);
        return ids.slice(0, length);
      },
      encodeText: (text) => Int32Array.of(text === "Yes" ? YES : NO),
    },
    maxPositions: 48,
  };
  const expected = (length: number): number => {
    const row = (logits.data as Float32Array).subarray(
      (length - 1) * config.vocabSize,
      length * config.vocabSize,
    );
    return 1 / (1 + Math.exp((row[NO] ?? 0) - (row[YES] ?? 0)));
  };
  const meter = createJudgeMeter();
  const judge = (threshold = 0.5) =>
    createLocalJudge(localJudgeSchema.parse({ kind: "local", threshold }), {
      model: () => Promise.resolve(model),
      meter,
    });
  return { judge, expected, asked, tokensRun: () => tokensRun, meter, longest: ids.length, model, policy };
}

describe.each(NODE_ENGINES)("on %s", (_, open) => {
  test.each(FIXTURE_MODELS)("%s: every criterion's chance is PyTorch's, in one batch", async (name) => {
    const { judge, expected, asked, meter, longest } = await tinyJudge(name, open);
    const lengths = [longest, 3, longest - 2];
    const judged = await judgeOne(judge(), criteriaOf(lengths), answers, prompt);
    lengths.forEach((length, i) => {
      expect(judged[i]?.[0]?.pYes).toBeCloseTo(expected(length), 4);
      expect(judged[i]?.[0]?.verdict).toBe(expected(length) >= 0.5 ? 1 : 0);
    });
    expect(asked).toEqual([lengths.length]); // one group, a completion a criterion
    expect(meter.usage).toMatchObject({ verdicts: 3, missing: 0, calls: 0 });
  });
});

describe("the local judge", () => {
  const open = defined(NODE_ENGINES[0], "engine")[1];
  test("what questions share runs once: conversation and answer for all criteria, or the conversation for all answers", async () => {
    const { judge, tokensRun, model, policy } = await tinyJudge("qwen3", open);
    // a token a letter: system prompt and conversation are 12, an answer and a criterion as long as they are
    const letters = (text: string): number[] =>
      Array.from(text, (letter) => 10 + (letter.charCodeAt(0) % 20));
    const head = letters("conversation");
    const long = "abcdefghijkl";
    const asking = {
      encodePrompt: (messages: readonly { readonly content: string }[]) => {
        const [, answer = "", criterion = ""] =
          /# Response\n"(.*)"\n\n# Criterion\n"(.*)"/.exec(messages.at(-1)?.content ?? "") ?? [];
        return Int32Array.from([...head, ...letters(answer), ...letters(criterion), 1]);
      },
    };
    Object.assign(model.codec, asking);
    const ask = async (texts: readonly string[], names: readonly string[]) => {
      const before = tokensRun();
      const own = names.map((text) => criterionSchema.parse({ id: text, text, category: "all", weight: 1 }));
      const given = texts.map((text) => ({ text, ended: true }));
      const judged = await judgeOne(judge(), own, given, prompt);
      return { judged, tokens: tokensRun() - before };
    };
    // by answer: 2 x (12 + 12 + 3 x 2)
    const many = await ask([long, `x${long.slice(1)}`], ["p", "q", "r"]);
    expect(many.tokens).toBe(2 * (12 + 12 + 3 * 2));
    // by conversation: 12 + 4 x (2 + 2)
    const short = await ask(["ab", "cd", "ef", "gh"], ["p"]);
    expect(short.tokens).toBe(12 + 4 * (2 + 2));
    // each chance is that of its own question alone
    for (const [g, text] of ["ab", "cd", "ef", "gh"].entries()) {
      const whole = Int32Array.from([...head, ...letters(text), ...letters("p"), 1]);
      const [alone] = await policy.logProbs(
        [{ prompt: whole, completions: [Int32Array.of(YES), Int32Array.of(NO)] }],
        null,
        1,
      );
      const [yes = NaN, no = NaN] = (alone ?? []).map((row) => Math.exp(row[0] ?? NaN));
      expect(short.judged[0]?.[g]?.pYes).toBeCloseTo(yes / (yes + no), 5);
    }
  });

  test("one criterion alone has the same chance; a threshold between decides", async () => {
    const { judge, expected, longest } = await tinyJudge("qwen3", open);
    const chance = expected(longest);
    const verdict = async (threshold: number) =>
      (await judgeOne(judge(threshold), criteriaOf([longest]), answers, prompt))[0]?.[0];
    expect((await verdict(chance - 0.01))?.verdict).toBe(1);
    expect((await verdict(chance + 0.01))?.verdict).toBe(0);
    expect((await verdict(chance + 0.01))?.pYes).toBeCloseTo(chance, 4);
  });

  test("equal answers are asked once, known ones never again", async () => {
    const { judge, asked, meter } = await tinyJudge("llama", open);
    const own = judge();
    const twice = [...answers, ...answers];
    await judgeOne(own, criteriaOf([3]), twice, prompt);
    const again = await judgeOne(own, criteriaOf([3]), twice, prompt);
    expect(again[0]?.length).toBe(2);
    expect(asked.length).toBe(1);
    expect(meter.usage.cached).toBe(1);
  });

  test("what is too long for the model is missing with the reason", async () => {
    const { judge, model } = await tinyJudge("qwen2", open);
    Object.assign(model, { maxPositions: 3 });
    const judged = await judgeOne(judge(), criteriaOf([3]), answers, prompt);
    expect(judged[0]?.[0]).toMatchObject({ verdict: null, failed: true });
    expect(judged[0]?.[0]?.reason).toContain("4 of 3 tokens");
  });

  test("chances that are no numbers are missing, and a tokenizer that cannot tell the words is refused", async () => {
    const { judge, model } = await tinyJudge("qwen2", open);
    const broken = { nextTokens: () => Promise.resolve([[Float32Array.of(NaN, NaN)]]) };
    Object.assign(model, { policy: broken });
    expect((await judgeOne(judge(), criteriaOf([3]), answers, prompt))[0]?.[0]?.verdict).toBeNull();
    const sure = { nextTokens: () => Promise.resolve([[Float32Array.of(-0.0001, -20)]]) };
    Object.assign(model, { policy: sure });
    const [[certain] = []] = await judgeOne(judge(), criteriaOf([3]), answers, prompt);
    expect(certain?.reason).toBe(
      "the judge says met: Yes 100 %, No under 0.001 %, 100 % for Yes against 50 %",
    );
    Object.assign(model.codec, { encodeText: () => Int32Array.of(YES) });
    await expect(judgeOne(judge(), criteriaOf([3]), answers, prompt)).rejects.toMatchObject({
      code: "judge-refused",
    });
  });

  test("a run that is stopped asks nothing more", async () => {
    const { judge, asked } = await tinyJudge("qwen2", open);
    const stop = new AbortController();
    stop.abort();
    await expect(judgeOne(judge(), criteriaOf([3]), answers, prompt, stop.signal)).rejects.toMatchObject({
      code: "aborted",
    });
    expect(asked).toEqual([]);
  });
});
