/** All bundled scenarios; the first is the opening one. A new scenario is its file and one line here. */
import { customerReply } from "./customer-reply.ts";
import { healthNote } from "./health-note.ts";
import type { Scenario } from "./scenario.ts";
import { yourOwnPrompts } from "./your-own-prompts.ts";

export const scenarios = {
  "customer-reply": customerReply,
  "health-note": healthNote,
  "your-own-prompts": yourOwnPrompts,
} satisfies Record<string, Scenario>;
