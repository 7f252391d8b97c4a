/** The families of the corpus: a new one is its file and one line here; shares need not sum to one. */
import { customerReplies } from "./customer-replies.ts";
import type { Family } from "./family.ts";
import { healthNotes } from "./health-notes.ts";

export const families = {
  "customer-replies": customerReplies,
  "health-notes": healthNotes,
} satisfies Record<string, Family>;
