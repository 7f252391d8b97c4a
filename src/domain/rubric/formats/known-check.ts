/** Which of our checks does what a file asks for by another name. Without one the criterion stays in words and needs a judge. */
import { findCheck, type CheckTable } from "../checks/check.ts";
import { checks } from "../checks/registry.ts";
import type { CheckSpec } from "../schema.ts";
import type { Problems } from "./problems.ts";

/** Adds what is wrong with the arguments of that check, each with its field below `where`. */
export function tellMisfits(type: string, args: CheckSpec["args"], where: string, problems: Problems): void {
  const table: CheckTable = checks;
  const def = findCheck(table, type);
  if (def !== undefined) problems.read(def.args, args, where);
}

/** The check of that name where it exists and takes the arguments; else null. */
export function knownCheck(type: string, args: CheckSpec["args"], negate = false): CheckSpec | null {
  const table: CheckTable = checks;
  const def = findCheck(table, type);
  return def?.args.safeParse(args).success === true ? { type, args, negate } : null;
}
