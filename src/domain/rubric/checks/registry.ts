/** All programmatic checks by the name that a criterion's `check.type` holds: a new check is its file and one line here. */
import { avoidsAny } from "./avoids-any.ts";
import type { CheckDef, PlainCheck } from "./check.ts";
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
import { ownExpression } from "./own-expression.ts";
import { ownPattern } from "./own-pattern.ts";
import { promptfooChecks } from "./promptfoo/registry.ts";
import { similar } from "./similar.ts";
import { startsWithAny } from "./starts-with-any.ts";
import { noAiPhrases } from "./style/no-ai-phrases.ts";
import { noFlattery } from "./style/no-flattery.ts";
import { noSelfPraise } from "./style/no-self-praise.ts";
import { readingEase } from "./style/reading-ease.ts";
import { repetitionRatio } from "./style/repetition-ratio.ts";
import { wordCount } from "./word-count.ts";

const wordChecks = {
  "contains-any": containsAny,
  "avoids-any": avoidsAny,
  "starts-with-any": startsWithAny,
  "ends-with-any": endsWithAny,
  "matches-pattern": matchesPattern,
} satisfies Record<string, PlainCheck>;

const promptChecks = {
  "contains-prompt-field": containsPromptField,
  "names-no-other": namesNoOther,
} satisfies Record<string, PlainCheck>;

const formChecks = {
  "word-count": wordCount,
  "list-form": listForm,
  "no-shouting": noShouting,
  "no-emoji": noEmoji,
  "no-repetition": noRepetition,
  fluency,
} satisfies Record<string, PlainCheck>;

const styleChecks = {
  "reading-ease": readingEase,
  "repetition-ratio": repetitionRatio,
  "no-flattery": noFlattery,
  "no-self-praise": noSelfPraise,
  "no-ai-phrases": noAiPhrases,
} satisfies Record<string, PlainCheck>;

/** Run in the sandbox. */
const writtenChecks = {
  "own-pattern": ownPattern,
  "own-expression": ownExpression,
} satisfies Record<string, CheckDef>;

const referenceChecks = { similar } satisfies Record<string, CheckDef>;

/** As the editor's list shows them. */
export const checkGroups = {
  words: wordChecks,
  prompt: promptChecks,
  form: formChecks,
  style: styleChecks,
  written: writtenChecks,
  reference: referenceChecks,
  promptfoo: promptfooChecks,
  ifeval: ifevalChecks,
} satisfies Record<string, Record<string, CheckDef>>;
export type CheckGroup = keyof typeof checkGroups;

export const checks = {
  ...wordChecks,
  ...promptChecks,
  ...formChecks,
  ...styleChecks,
  ...writtenChecks,
  ...referenceChecks,
  ...promptfooChecks,
  ...ifevalChecks,
} satisfies Record<string, CheckDef>;

/** The checks of our own making that decide at once. */
export type CheckName = keyof (typeof wordChecks &
  typeof promptChecks &
  typeof formChecks &
  typeof styleChecks);
