/** Writes public/rubric.schema.json, which editors check a rubric's file with, from the fields in the code. */
import { writeFileSync } from "node:fs";
import { rubricJsonSchema } from "../src/domain/rubric/formats/rubric-set.ts";

writeFileSync("public/rubric.schema.json", `${JSON.stringify(rubricJsonSchema(), null, 2)}\n`);
