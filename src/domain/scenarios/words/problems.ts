/** What can be wrong with a product, as it follows "my kettle ...", and the usual cause, as it follows "a ...". */
export interface Problem {
  readonly text: string;
  readonly cause: string;
}

export const problems: readonly Problem[] = [
  { text: "leaks", cause: "worn seal" },
  { text: "does not start", cause: "blown fuse" },
  { text: "stopped working", cause: "burnt wire" },
  { text: "arrived broken", cause: "rough transport" },
  { text: "is very loud", cause: "loose screw" },
  { text: "smells of smoke", cause: "melted wire" },
  { text: "has a crack", cause: "hard fall" },
  { text: "gets too hot", cause: "blocked vent" },
  { text: "has no power", cause: "dead battery" },
  { text: "keeps beeping", cause: "faulty sensor" },
  { text: "shows an error", cause: "software bug" },
  { text: "turns off alone", cause: "weak contact" },
  { text: "has a loose cable", cause: "broken clip" },
  { text: "is missing a screw", cause: "packing mistake" },
  { text: "came without a plug", cause: "packing gap" },
  { text: "has a broken switch", cause: "cheap spring" },
  { text: "shakes a lot", cause: "bent shaft" },
  { text: "came in the wrong color", cause: "label mix" },
  { text: "is full of scratches", cause: "thin box" },
  { text: "makes a grinding noise", cause: "dry bearing" },
  { text: "does not respond", cause: "frozen chip" },
  { text: "starts very slowly", cause: "dirty filter" },
  { text: "gives small shocks", cause: "bare cable" },
  { text: "lost its display", cause: "cracked panel" },
];
