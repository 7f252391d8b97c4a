import { describe, expect, test } from "vitest";
import { parseRunSpec } from "../../domain/run/parse-run-spec.ts";
import { customerReply } from "../../domain/scenarios/customer-reply.ts";
import { ownPrompts } from "../../domain/scenarios/own-prompts.ts";
import { yourOwnPrompts } from "../../domain/scenarios/your-own-prompts.ts";
import { freshSpec, ownPromptsOf, setUpIdOf } from "./fresh-spec.ts";
import { armOf, buildSpec, settingsFromSpec, settingsOf } from "./set-up.ts";

const [heavy, mild] = customerReply.setUps;
const settings = settingsOf(heavy);
const rubric = heavy.rubric;
const spec = buildSpec({ scenario: customerReply, setUpId: heavy.id, settings, rubric, prompts: null });

test.each([1, 3, 4, 5, 7, 8, 9])("%i typed prompts come back in their order", (count) => {
  const prompts = ownPrompts(Array.from({ length: count }, (_, i) => `Hello ${String(i)}`).join("\n"));
  const built = buildSpec({ scenario: yourOwnPrompts, setUpId: "mild", settings, rubric, prompts });
  expect(ownPromptsOf(built, yourOwnPrompts)).toEqual(prompts);
});

test("a scenario's own prompts are none of a person's", () => {
  expect(ownPromptsOf(spec, customerReply)).toBeNull();
});

describe("a fresh run", () => {
  const arms = [0.2, 0.8].map((lambda) => ({
    id: `lambda-${String(lambda)}`,
    rule: "pow3r",
    pow3r: { lambda },
  }));
  const file = parseRunSpec({ ...spec, arms, rubricEdits: [{ fromStep: 4, rubric }] });
  const shown = {
    spec: file,
    setUpId: heavy.id,
    seeds: [1, 2],
    settings: settingsFromSpec(file, [1, 2]),
    rubric: { ...rubric, title: "New" },
    prompts: null,
  };

  test("keeps what a file held beyond the page's settings, with the present rubric and no planned edits", () => {
    expect(freshSpec(shown, customerReply)).toEqual({ ...file, rubric: shown.rubric, rubricEdits: [] });
  });

  test("follows the page where something was set there", () => {
    const changed = { ...shown, settings: { ...shown.settings, arms: [armOf("pow3r", heavy)], seeds: [5] } };
    expect(freshSpec(changed, customerReply)).toMatchObject({
      seed: 5,
      setUpId: heavy.id,
      judgeNoise: heavy.judgeNoise,
    });
  });
});

test("the set-up is known by its id, whatever the noise was set to; older records by their noise", () => {
  expect(setUpIdOf({ ...spec, judgeNoise: 0 }, customerReply)).toBe(heavy.id);
  expect(setUpIdOf({ ...spec, judgeNoise: 0, setUpId: null }, customerReply)).toBe(mild?.id);
});
