/** Where a text stops being JSON, and what should stand there: engines word and place their own errors differently, some not at all. */

export interface JsonFault {
  /** Offset of the first character that does not fit; the text's length where it breaks off. */
  readonly at: number;
  readonly expected: string;
}

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  /[{}[\],:]|"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)/y;

/** What may come next. */
type State =
  "value" | "first entry" | "first field" | "field" | "colon" | "after entry" | "after field" | "end";

const EXPECTED: Readonly<Record<State, string>> = {
  value: "a value",
  "first entry": "a value or ]",
  "first field": "a field name in double quotes or }",
  field: "a field name in double quotes",
  colon: "a colon",
  "after entry": "a comma or ]",
  "after field": "a comma or }",
  end: "nothing more",
};

/** The first fault; null where the text is JSON. */
export function jsonFault(text: string): JsonFault | null {
  const open: string[] = [];
  let state: State = "value";
  let at = 0;
  for (;;) {
    at = after(SPACE, text, at) ?? at;
    if (at >= text.length) return state === "end" ? null : { at, expected: EXPECTED[state] };
    const end = after(TOKEN, text, at);
    const next: State | null = end === null ? null : nextState(state, text.slice(at, end), open);
    if (end === null || next === null) return { at, expected: EXPECTED[state] };
    state = next;
    at = end;
  }
}

/** Where a match that begins at `at` ends. */
function after(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

type Kind = "{" | "[" | "}" | "]" | "," | ":" | "string" | "other";
/** Beside a state: a bracket opens, the innermost one closes, or a whole value was read. */
type Turn = State | "opens" | "closes" | "is whole";

const VALUE = { "{": "opens", "[": "opens", string: "is whole", other: "is whole" } as const;
const NEXT: Readonly<Record<State, Readonly<Partial<Record<Kind, Turn>>>>> = {
  value: VALUE,
  "first entry": { ...VALUE, "]": "closes" },
  "first field": { string: "colon", "}": "closes" },
  field: { string: "colon" },
  colon: { ":": "value" },
  "after entry": { ",": "value", "]": "closes" },
  "after field": { ",": "field", "}": "closes" },
  end: {},
};

function kindOf(token: string): Kind {
  if (token.startsWith('"')) return "string";
  return /^[{}[\],:]/.test(token) ? (token as Kind) : "other";
}

/** @param open the brackets that are not closed yet, the innermost last; changed */
function nextState(state: State, token: string, open: string[]): State | null {
  const turn = NEXT[state][kindOf(token)] ?? null;
  if (turn === "opens") {
    open.push(token);
    return token === "{" ? "first field" : "first entry";
  }
  if (turn === "closes") open.pop();
  return turn === "closes" || turn === "is whole" ? afterValue(open) : turn;
}

function afterValue(open: readonly string[]): State {
  const inner = open.at(-1);
  if (inner === undefined) return "end";
  return inner === "{" ? "after field" : "after entry";
}
