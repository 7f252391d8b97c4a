/** The rubrics to start from, by scenario: a new one is an entry of its scenario's file. */
import type { scenarios } from "../registry.ts";
import { customerReplyTemplates } from "./customer-reply.ts";
import { healthNoteTemplates } from "./health-note.ts";
import type { RubricTemplate } from "./template.ts";
import { ownPromptTemplates } from "./your-own-prompts.ts";

export const templates = {
  "customer-reply": customerReplyTemplates,
  "health-note": healthNoteTemplates,
  "your-own-prompts": ownPromptTemplates,
} satisfies Record<keyof typeof scenarios, readonly RubricTemplate[]>;
