import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { experimentJsonSchema } from "./experiment-schema.ts";

test("the JSON Schema that editors read is the one of these fields (npm run -s experiment -- --schema)", () => {
  const published: unknown = JSON.parse(readFileSync("public/experiment.schema.json", "utf8"));
  expect(published).toEqual(experimentJsonSchema());
});

test("it describes settings by their own bounds and asks for none of them", () => {
  expect(experimentJsonSchema()).toMatchObject({
    required: ["name", "question", "scenario", "setUp", "seeds", "arms", "baseline"],
    additionalProperties: false,
    properties: {
      arms: {
        maxItems: 6,
        items: { properties: { pow3r: { properties: { lambda: { minimum: 0, maximum: 1 } } } } },
      },
      cells: { items: { required: ["id"], properties: { judgeNoise: { maximum: 0.5 } } } },
      grpo: {
        additionalProperties: false,
        properties: { scale_rewards: { enum: ["group", "batch", "none"] } },
      },
    },
  });
});
