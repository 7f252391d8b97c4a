/** Which of our checks does what a file asks for by another name. Without one the criterion stays in words and needs a judge. */
import { findCheck, type CheckTable } from "../checks/check.ts";
import { checks } from "../checks/registry.ts";
import type { CheckSpec } from "../schema.ts";

/** What is wrong with the arguments; nothing where they fit or no check has that name. */
export function misfitsOf(type: string, args: CheckSpec["args"]): readonly { readonly message: string }[] {
  const table: CheckTable = checks;
  return findCheck(table, type)?.args.safeParse(args).error?.issues ?? [];
}

/** The check of that name where it exists and takes the arguments; else null. */
export function knownCheck(type: string, args: CheckSpec["args"], negate = false): CheckSpec | null {
  const table: CheckTable = checks;
  const def = findCheck(table, type);
  return def?.args.safeParse(args).success === true ? { type, args, negate } : null;
}
