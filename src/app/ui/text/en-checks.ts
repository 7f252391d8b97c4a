/** Texts of the list of checks and of trying a rubric on an answer. */
import type { CheckGroup } from "../../../domain/rubric/checks/registry.ts";

export const enChecks = {
  find: "Find a check",
  search: "Search the checks",
  count: (shown: number, all: number) =>
    shown === all ? `${String(all)} checks` : `${String(shown)} of ${String(all)} checks`,
  noneFound: "No check has these words. Free words of your own need a judge.",
  groups: {
    words: { title: "Words and forms", help: "Whole words, ignoring case" },
    prompt: { title: "The prompt's own", help: "Compared with parts of the prompt" },
    form: { title: "Shape", help: "Length, lists, endings, repetition" },
    style: { title: "Style", help: "How it reads; lists of phrases can be edited" },
    written: {
      title: "Your own pattern or expression",
      help: "Run in a worker without network or page, ended after a quarter of a second",
    },
    reference: { title: "Like a reference", help: "By words, or by a model's embeddings" },
    promptfoo: { title: "promptfoo's", help: "Letter by letter, as promptfoo decides" },
    ifeval: { title: "IFEval's", help: "The 25 instructions, strict or loose" },
  } satisfies Record<CheckGroup, { title: string; help: string }> as Readonly<
    Record<CheckGroup, { readonly title: string; readonly help: string }>
  >,
  model: {
    title: "all-MiniLM-L6-v2",
    why: "Compares what texts mean. Until it is loaded, this check gives no verdict. A fetched one is kept by this browser and loaded anew at each visit.",
    loaded: "all-MiniLM-L6-v2 is loaded: this check compares meanings.",
    fallback: "Until it loads, this check gives no verdict. “Words alone” needs no model.",
    byWords: "Compare by words alone",
    source: (id: string) => `It is fetched as ${id}.`,
    host: "Hub to fetch it from",
    fetch: "Fetch it (90 MB)",
    useFiles: "Use these files",
    loading: "Loading all-MiniLM-L6-v2",
  },
  takeAnswer: "Take an answer of the run",
  ownAnswer: "the one below",
  answerOf: (arm: string, rank: number, of: number, start: string) =>
    `${arm}, answer ${String(rank)} of ${String(of)}: ${start}`,
  marked: (criterion: string) => `What decided “${criterion}” in the answer`,
  mark: "Mark it in the answer",
  nothingMarked: "No one place of the answer decided it.",
};
