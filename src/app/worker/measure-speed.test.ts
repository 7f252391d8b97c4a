/** The three numbers of a forecast, on a policy whose times are known. */
import { expect, test } from "vitest";
import { fakeCodec, createFakePolicy } from "../../testing/fake-policy.ts";
import { packedRows } from "../../training/planner.ts";
import type { Policy } from "../../training/policy.ts";
import { measureSpeed } from "./measure-speed.ts";

const TOKEN_MS = 20;
const ROW_MS = 3;
const UPDATE_ROW_MS = 7;
/** Of a trial completion. */
const TOKENS = 8;

test("a token, a token of one more row and a row of the update are told apart", async () => {
  let clock = 0;
  const fake = createFakePolicy();
  const policy: Policy = {
    ...fake,
    rollout: (request) => {
      clock += request.maxTokens * (TOKEN_MS + request.groupSize * ROW_MS);
      return fake.rollout(request);
    },
    gradient: (groups, ...rest) => {
      const [{ prompt, completions } = { prompt: [], completions: [] }] = groups;
      clock += UPDATE_ROW_MS * packedRows(prompt.length, completions.length, TOKENS);
      return fake.gradient(groups, ...rest);
    },
  };
  const tries: string[] = [];
  const speed = await measureSpeed({
    policy,
    codec: fakeCodec,
    now: () => clock,
    onTry: (done, total) => tries.push(`${done} of ${total}`),
  });
  expect(speed.decodeTokenMs).toBeCloseTo(TOKEN_MS, 9);
  expect(speed.decodeRowMs).toBeCloseTo(ROW_MS, 9);
  expect(speed.updateRowMs).toBeCloseTo(UPDATE_ROW_MS, 9);
  expect(tries).toEqual(["1 of 3", "2 of 3", "3 of 3"]);
});
