/** What a rubric's schema cannot see: checks that do not exist, and arguments that do not fit them. */
import type { CheckDef } from "./checks/check.ts";
import { checks } from "./checks/registry.ts";
import type { Rubric } from "./schema.ts";
import { problemsOf, type Problem } from "./schema-problems.ts";

const table: Readonly<Record<string, CheckDef | undefined>> = checks;

/** @param path where the rubric stands in what is read; "" for the whole */
export function checkMisfits(rubric: Rubric, path: string): Problem[] {
  return rubric.criteria.flatMap(({ check }, i): Problem[] => {
    if (check === null) return [];
    const at = `${path === "" ? "" : `${path}.`}criteria[${i}].check`;
    const def = Object.hasOwn(checks, check.type) ? table[check.type] : undefined;
    if (def === undefined) {
      const expected = `one of ${Object.keys(checks).join(", ")}`;
      return [{ path: `${at}.type`, expected, got: `"${check.type}"` }];
    }
    const result = def.args.safeParse(check.args);
    if (result.success) return [];
    return problemsOf(result.error, check.args).map((problem) => ({
      ...problem,
      path: problem.path === "" ? `${at}.args` : `${at}.args.${problem.path}`,
    }));
  });
}
