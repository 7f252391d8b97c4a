/** All programmatic checks by the name that a criterion's `check.type` holds: a new check is its file and one line here. */
import { avoidsAny } from "./avoids-any.ts";
import type { CheckDef } from "./check.ts";
import { containsAny } from "./contains-any.ts";
import { containsPromptField } from "./contains-prompt-field.ts";
import { endsWithAny } from "./ends-with-any.ts";
import { fluency } from "./fluency.ts";
import { ifevalChecks } from "./ifeval/registry.ts";
import { listForm } from "./list-form.ts";
import { matchesPattern } from "./matches-pattern.ts";
import { namesNoOther } from "./names-no-other.ts";
import { noEmoji } from "./no-emoji.ts";
import { noRepetition } from "./no-repetition.ts";
import { noShouting } from "./no-shouting.ts";
import { startsWithAny } from "./starts-with-any.ts";
import { wordCount } from "./word-count.ts";

const ownChecks = {
  "contains-any": containsAny,
  "avoids-any": avoidsAny,
  "contains-prompt-field": containsPromptField,
  "names-no-other": namesNoOther,
  "matches-pattern": matchesPattern,
  "starts-with-any": startsWithAny,
  "ends-with-any": endsWithAny,
  "word-count": wordCount,
  "list-form": listForm,
  "no-shouting": noShouting,
  "no-emoji": noEmoji,
  "no-repetition": noRepetition,
  fluency,
} satisfies Record<string, CheckDef>;

export const checks = { ...ownChecks, ...ifevalChecks } satisfies Record<string, CheckDef>;

/** The checks of our own making. */
export type CheckName = keyof typeof ownChecks;
