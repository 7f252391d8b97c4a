/** Every check of the registry: an answer that passes, one that fails with its place, the empty and the cut answer, Unicode. */
import { beforeAll, describe, expect, it } from "vitest";
import type { z } from "zod";
import type { Answer, Judgement, PromptFacts } from "../verdicts.ts";
import { checks } from "./registry.ts";
import type { CheckName } from "./registry.ts";
import { findCheck, loadChecks, type PlainCheck } from "./check.ts";

const prompt: PromptFacts = {
  text: "This is Amara. My kettle leaks, order #44712. Zyx?",
  fields: { name: "Amara", product: "kettle", order: "44712", problem: "leaks" },
};

interface Case {
  readonly args?: Record<string, unknown>;
  readonly passes: readonly string[];
  readonly fails: readonly string[];
  /** What the span of the first failing answer, or of the first passing one, shows. */
  readonly shows?: readonly [string, string];
  /** Verdicts of the empty answer and of the first passing one when it is cut. */
  readonly empty: 0 | 1;
  readonly cut: 0 | 1;
}

const LETTER =
  "Dear Amara,\nI am sorry that your kettle leaks. I found order #44712.\nKind regards,\nthe support team";

const cases: Record<CheckName, Case> = {
  "contains-any": {
    args: { phrases: ["refund", "new one?"] },
    passes: ["We REFUND it.", "A new  one? Yes.", "refund"],
    fails: ["Refunds differ.", "a new one!", "prérefund"],
    shows: ["We REFUND it.", "REFUND"],
    empty: 0,
    cut: 1,
  },
  "avoids-any": {
    args: { phrases: ["maybe", "été"] },
    passes: ["It will work.", "maybes étés"],
    fails: ["Maybe.", "It was ÉTÉ then"],
    shows: ["Maybe.", "Maybe"],
    empty: 0,
    cut: 1,
  },
  "contains-prompt-field": {
    args: { field: "product" },
    passes: ["The Kettle is here.", "kettle"],
    fails: ["The kettles are here.", "The lamp."],
    shows: ["The Kettle is here.", "Kettle"],
    empty: 0,
    cut: 1,
  },
  "names-no-other": {
    args: { field: "order" },
    passes: ["Order #44712.", "No number, 112 aside."],
    fails: ["Order #44713.", "Orders 44712 and 99999."],
    shows: ["Order #44713.", "44713"],
    empty: 0,
    cut: 1,
  },
  "matches-pattern": {
    args: { pattern: "phone number" },
    passes: ["Call 555-0142.", "Ring +49 30 1234."],
    fails: ["Order #44712.", "1. Sit", "a555-0142b"],
    shows: ["Call 555-0142.", "555-0142"],
    empty: 0,
    cut: 1,
  },
  "starts-with-any": {
    args: { phrases: ["dear", "¡hola"] },
    passes: ["  Dear Amara, hi", "¡Hola! Sí."],
    fails: ["Hi dear", "Dearest"],
    shows: ["  Dear Amara, hi", "Dear"],
    empty: 0,
    cut: 1,
  },
  "ends-with-any": {
    args: { phrases: ["team", "équipe"] },
    passes: ["Regards, the team.", "votre Équipe !"],
    fails: ["The team is here", "steam"],
    shows: ["Regards, the team.", "team"],
    empty: 0,
    cut: 0,
  },
  "word-count": {
    args: { min: 2, max: 3 },
    passes: ["Two words", "déjà vu é"],
    fails: ["One", "one two three four"],
    empty: 0,
    cut: 1,
  },
  "list-form": {
    args: { minItems: 2 },
    passes: ["Do this:\n1. Sit.\n2. Rest.", "- Sit\n-  Rest", "1) Öffnen\n2)  Ruhen"],
    fails: [
      "1. Sit.",
      "2. Sit.\n3. Rest.",
      "1. \n2. ",
      "1. Sit. 2. Rest.",
      "x1. Sit\nx2. Rest",
      "x- Sit\nx- Rest",
    ],
    empty: 0,
    cut: 1,
  },
  "no-shouting": {
    passes: ["A TV and a USB cable.", "Straße ok", "I say: A dog"],
    fails: ["PLEASE WAIT!", "I AM HERE", "ÉTÉ ÇA", "NOW - GO"],
    shows: ["PLEASE WAIT!", "PLEASE WAIT"],
    empty: 0,
    cut: 1,
  },
  "no-emoji": {
    passes: ["Order #1 (ok): fine", "naïve: yes"],
    fails: ["Fine 🙂", "🇫🇷", "Fine :-)", "Fine :) then"],
    shows: ["Fine 🙂", "🙂"],
    empty: 0,
    cut: 1,
  },
  "no-repetition": {
    args: { run: 3 },
    passes: ["Look at it. It is new.", "one two three one two four"],
    fails: ["We will will do.", "One two three, one Two three"],
    shows: ["We will will do.", "will"],
    empty: 0,
    cut: 1,
  },
  "reading-ease": {
    args: { min: 80 },
    passes: ["The cat sat on the mat.", "We will send a new one."],
    fails: [
      "Notwithstanding considerable organisational complications, compensation remains procedurally inaccessible.",
      "Incomprehensibility.",
    ],
    empty: 0,
    cut: 1,
  },
  "repetition-ratio": {
    args: { n: 2, most: 0.2 },
    passes: ["One two three four.", "a b c d e f a b", "one"],
    fails: ["It is new, it is new.", "Ça va. ça va?"],
    shows: ["It is new, it is new.", "it is new"],
    empty: 0,
    cut: 1,
  },
  "no-flattery": {
    passes: ["The seal is worn.", "A questionable idea."],
    fails: ["Great question! The seal is worn.", "You’re absolutely right."],
    shows: ["Great question! The seal is worn.", "Great question"],
    empty: 0,
    cut: 1,
  },
  "no-self-praise": {
    args: { phrases: ["perfect answer", "I'm sure"], most: 1 },
    passes: ["The seal is worn.", "I'm sure."],
    fails: ["I’m sure it is a PERFECT answer."],
    shows: ["I’m sure it is a PERFECT answer.", "I’m sure"],
    empty: 0,
    cut: 1,
  },
  "no-ai-phrases": {
    passes: ["The seal is worn.", "A tapestry, rich in red."],
    fails: ["As an AI, I cannot see it.", "It's important to note that it leaks."],
    shows: ["As an AI, I cannot see it.", "As an AI"],
    empty: 0,
    cut: 1,
  },
  fluency: {
    passes: [
      LETTER,
      "Dear Amara,\nI see that your kettle leaks. 🙂",
      "Zyx. Do not worry.",
      "I found order #99999.",
    ],
    fails: [
      "I found order order #44712.",
      "i found your order.",
      "I found your order",
      "I found your frobnicate.",
      "Your I order found.",
      "We will send.",
      "I found your order. It hurts. I found your order. We hear you. I found your order. We hear you.",
    ],
    shows: ["I found order order #44712.", "order"],
    empty: 0,
    cut: 0,
  },
};

beforeAll(() => loadChecks(checks, [{ check: { type: "reading-ease" } }]));

function judge(name: CheckName, answer: Answer, args: Record<string, unknown>, facts = prompt): Judgement {
  const def: PlainCheck = checks[name];
  return def.judge(answer, def.args.parse(args), facts);
}

describe.each(Object.keys(cases) as CheckName[])("check %s", (name) => {
  const { args = {}, passes, fails, shows, empty, cut } = cases[name];

  it.each(passes)("passes %j", (text) => {
    const judgement = judge(name, { text, ended: true }, args);
    expect(judgement.reason).not.toBe("");
    expect(judgement).toMatchObject({ verdict: 1 });
  });

  it.each(fails)("fails %j", (text) => {
    expect(judge(name, { text, ended: true }, args)).toMatchObject({ verdict: 0 });
  });

  it("judges the empty and the cut answer", () => {
    expect(judge(name, { text: " \n", ended: true }, args).verdict).toBe(empty);
    expect(judge(name, { text: passes[0] ?? "", ended: false }, args).verdict).toBe(cut);
  });

  it("shows the place", () => {
    if (shows === undefined) return;
    const [text, piece] = shows;
    const { spans } = judge(name, { text, ended: true }, args);
    expect(spans.map(([start, end]) => text.slice(start, end))).toContain(piece);
  });

  it("describes its arguments and refuses unknown ones", () => {
    expect(checks[name].title).not.toBe("");
    expect(checks[name].args.safeParse({ ...args, surprise: 1 }).success).toBe(false);
    const shape: Readonly<Record<string, z.ZodType>> = checks[name].args.shape;
    for (const field of Object.values(shape)) expect(field.description).toBeTruthy();
  });
});

/** Each once took minutes at this length somewhere. */
const LONG: Readonly<Record<string, string>> = {
  spaces: " ".repeat(100_000),
  "spaces before a word": `${" ".repeat(100_000)}x`,
  "a line of spaces after a word": `x\n${" ".repeat(100_000)}`,
  "dots before a word": `${".".repeat(100_000)}x`,
  "marks before a word": `Dear all ${"!? ".repeat(40_000)}x`,
  "lines of spaces": `  \n${"   \n".repeat(25_000)}x`,
  capitals: `${"A".repeat(100_000)}b`,
  digits: `${"1".repeat(100_000)}a`,
  words: "lo ".repeat(30_000),
};

describe.each(Object.keys(LONG))("a long text of %s", (what) => {
  const text = LONG[what] ?? "";
  it.each(Object.keys(cases) as CheckName[])(
    "is judged by %s at once",
    (name) => {
      expect([0, 1]).toContain(judge(name, { text, ended: true }, cases[name].args ?? {}).verdict);
    },
    5_000,
  );
});

it("a name with white space around it is found as it stands", () => {
  const facts = { text: "", fields: { name: "  Amara " } };
  const answer = { text: `Dear Amara${" ".repeat(1000)}`, ended: true };
  expect(judge("contains-prompt-field", answer, { field: "name" }, facts).verdict).toBe(1);
});

describe("what a prompt does not name", () => {
  it("gives no verdict instead of a guessed one", () => {
    const facts = { text: "Hello?", fields: {} };
    for (const name of ["contains-prompt-field", "names-no-other"] as const) {
      const judgement = judge(name, { text: "Dear Amara", ended: true }, { field: "name" }, facts);
      expect(judgement).toEqual({ verdict: null, reason: "the prompt names no name", spans: [] });
    }
  });

  it("takes nothing that every object has for a part of it", () => {
    const judgement = judge("contains-prompt-field", { text: "x", ended: true }, { field: "constructor" });
    expect(judgement).toMatchObject({ verdict: null, reason: "the prompt names no constructor" });
  });

  it("treats marks of patterns in a value as plain text", () => {
    const facts = { text: "a.c", fields: { name: "a.c(" } };
    expect(
      judge("contains-prompt-field", { text: "abc(", ended: true }, { field: "name" }, facts).verdict,
    ).toBe(0);
    expect(
      judge("contains-prompt-field", { text: "a.c(", ended: true }, { field: "name" }, facts).verdict,
    ).toBe(1);
  });
});

describe("names of others", () => {
  it.each([
    ["name", "Dear Bruno, order 99999", 0],
    ["name", "Dear Amara, order 99999 and a lamp", 1],
    ["product", "Your lamp, Bruno", 0],
    ["product", "Your kettle, Bruno", 1],
  ])("%s: %j", (field, text, verdict) => {
    expect(judge("names-no-other", { text, ended: true }, { field }).verdict).toBe(verdict);
  });
});

describe("edges of the other checks", () => {
  const at = (name: CheckName, text: string, args: Record<string, unknown>): Judgement =>
    judge(name, { text, ended: true }, args);

  it("a blank part of the prompt gives no verdict", () => {
    const facts = { text: "", fields: { name: " " } };
    const answer = { text: "Dear Amara", ended: true };
    expect(judge("contains-prompt-field", answer, { field: "name" }, facts).verdict).toBeNull();
  });

  it("an answer does not end with a mark behind its last word", () => {
    expect(at("ends-with-any", "Hello team!", { phrases: ["!"] }).verdict).toBe(0);
  });

  it("a list may have ten items", () => {
    const lines = Array.from({ length: 10 }, (_, i) => `${i + 1}. Sit`);
    expect(at("list-form", lines.join("\n"), { minItems: 10 }).verdict).toBe(1);
  });

  it("a repeated run is shown where it comes again", () => {
    const text = "One two three, one Two three";
    const { reason, spans } = at("no-repetition", text, { run: 3 });
    expect(reason).toBe('repeats "one Two three"');
    expect(spans).toEqual([[15, text.length]]);
  });

  it("bounds of a length may be equal, and not the wrong way round", () => {
    expect(checks["word-count"].args.safeParse({ min: 2, max: 2 }).success).toBe(true);
    expect(checks["word-count"].args.safeParse({ min: 3, max: 2 }).success).toBe(false);
  });

  it("a check is found by its own name only", () => {
    expect(findCheck(checks, "fluency")).toBe(checks.fluency);
    expect(findCheck(checks, "constructor")).toBeUndefined();
  });
});

describe("fluency names its fault and the place", () => {
  const LONG_START = "i found your order number 44712.";
  it.each([
    ["", true, "the answer is empty", null],
    ["I found your order.", false, "cut at the length limit", null],
    [LONG_START, true, '"i found your order n" starts without a capital', LONG_START],
    ["I found your order", true, "the last sentence has no end", "I found your order"],
    ["I found order order #44712.", true, 'repeats "order"', "order"],
    ["Hi. I found your frobnicate.", true, 'unknown word "frobnicate"', "frobnicate"],
    ["Do not worry. Your I order found.", true, '"I" does not fit where it stands', "I"],
  ])("%j", (text, ended, ...[wanted, place]) => {
    const { verdict, reason, spans } = judge("fluency", { text, ended }, {});
    expect([verdict, reason]).toEqual([0, wanted]);
    const shown = spans.map(([start, end]) => text.slice(start, end));
    expect(shown).toEqual(place === null ? [] : [place]);
  });
});

describe("fluency of other models", () => {
  it.each([
    ["Dear all, \nthank you. ", 1],
    ['"Hello." (Yes.)', 1],
    ["hello World.", 0],
    ["aWorld.", 0],
    ["Hello. There", 0],
    ["Hello.x", 0],
    ["We will will do.", 0],
  ])("by their shape alone: %j", (text, verdict) => {
    expect(judge("fluency", { text, ended: true }, { words: "any" }).verdict).toBe(verdict);
  });

  it("does not ask for the bundled corpus's words where told so", () => {
    const answer = { text: "Quantum chromodynamics explains hadrons.", ended: true };
    expect(judge("fluency", answer, { words: "any" }).verdict).toBe(1);
    expect(judge("fluency", answer, { words: "known" }).verdict).toBe(0);
    expect(judge("fluency", { text: "Your I order found.", ended: true }, { words: "known" }).verdict).toBe(
      1,
    );
  });
});
