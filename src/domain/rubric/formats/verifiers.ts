/**
 * verifiers' rubric: `criteria` with name, text and weight, each answered with one of `choices`. Only yes/no criteria can be
 * taken: how other choices score is not in the file.
 */
import { z } from "zod";
import { numberSchema, textSchema } from "./draft.ts";
import { isRecord, listHas, tellUnknown, type RubricFormat } from "./format.ts";
import { below } from "./problems.ts";

const choicesSchema = z.array(z.string()).refine(
  (choices) =>
    choices
      .map((each) => each.toLowerCase())
      .sort()
      .join() === "no,yes",
  "the two choices yes and no: how others score is not in the file",
);

const fileSchema = z.looseObject({
  title: z.string().min(1).optional(),
  criteria: z
    .array(
      z.strictObject({
        name: textSchema,
        text: textSchema,
        weight: numberSchema.default(1),
        choices: choicesSchema.optional(),
      }),
    )
    .min(1),
});

export const verifiers: RubricFormat = {
  title: "verifiers criteria",
  fits: (document) =>
    document.kind === "value"
      ? isRecord(document.value) && listHas(document.value["criteria"], "name")
      : document.kind === "rows" &&
        listHas(
          document.rows.map(({ value }) => value),
          "name",
        ) &&
        listHas(
          document.rows.map(({ value }) => value),
          "text",
        ),
  read: (document, problems) => {
    const value =
      document.kind === "value" ? document.value : { criteria: document.rows.map((row) => row.value) };
    const file = problems.read(fileSchema, value, "");
    if (isRecord(value)) tellUnknown(value, ["criteria", "title"], "", problems);
    const criteria = (file?.criteria ?? []).map(({ name, text, weight }, i) => ({
      where: below("", `criteria[${i}]`),
      id: name,
      text,
      points: weight,
    }));
    return { title: file?.title, rows: [{ where: "", messages: null, criteria }] };
  },
};
