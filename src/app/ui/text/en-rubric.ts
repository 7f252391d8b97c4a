/** Texts of the rubric's editor: moving, sliding, source, templates, notes. */

const answers = (count: number): string => (count === 1 ? "1 answer" : `${String(count)} answers`);

export const enRubricEditor = {
  redo: "Redo",
  undoHow: "Takes the last edit back (Ctrl Z in the rubric).",
  redoHow: "Does again what was taken back (Ctrl Shift Z in the rubric).",
  move: (name: string) => `Move “${name}”`,
  moveHow:
    "Drag it to another place or category. By keys: ↑ ↓ move it, ← → take it to the category before or after.",
  moved: (name: string, category: string, at: number, of: number) =>
    `“${name}” is now ${String(at)} of ${String(of)} in ${category}.`,
  slideWeight: (name: string) => `Slide the weight of ${name}`,
  source: {
    open: "Source",
    title: "The rubric's source",
    label: "Source of the rubric",
    forms: { json: "JSON", yaml: "YAML" },
    form: "Written as",
    formWaits: "Mend the source first: only a whole rubric can be written in another form.",
    checkedBy: "Checked as you type against",
    schema: "the schema of this form",
    apply: "Use this source",
    applied: "One edit, which one undo takes back.",
    same: "This is the rubric in use.",
    discard: "Discard the changes",
    fine: "Nothing is wrong with it.",
    problems: (count: number) =>
      `${count === 1 ? "One thing is" : `${String(count)} things are`} wrong; the rubric in use stays as it is.`,
    problem: (expected: string, got: string) => `expected ${expected}, got ${got}`,
    atLine: (line: number, problem: string) => `Line ${String(line)}: ${problem}`,
    kept: "Your changes of last time.",
  },
  templates: {
    open: "Templates",
    title: "Start from a rubric",
    hint: "It takes the place of the rubric in use, which one undo brings back.",
    own: "The original",
    ownTeaches: "The rubric that this scenario and set-up begin with.",
    size: (criteria: number, categories: number) =>
      `${criteria === 1 ? "1 criterion" : `${String(criteria)} criteria`} in ${categories === 1 ? "1 category" : `${String(categories)} categories`}`,
    use: (title: string) => `Use “${title}”`,
    inUse: "in use",
  },
  notes: {
    open: "Notes",
    count: (count: number) =>
      count === 1 ? "1 note on this rubric" : `${String(count)} notes on this rubric`,
    title: "Notes on this rubric",
    none: "Nothing stands out: no two criteria are alike in words, check or verdicts, none exclude each other, and none was met by all answers.",
    few: (seen: number, least: number) =>
      `${answers(seen)} seen so far. What verdicts show is told from ${String(least)} on.`,
    seen: (seen: number) => `By ${answers(seen)} seen on this page, all arms, before judge noise.`,
    edit: (name: string) => `Edit “${name}”`,
    more: (count: number) => `and ${String(count)} more`,
    "same-check": (a: string, b: string) =>
      `“${a}” and “${b}” are decided by the same check with the same arguments, so one thing counts twice.`,
    "same-words": (a: string, b: string, likeness: string) =>
      `“${a}” and “${b}” ask in nearly the same words (likeness ${likeness}). If they mean the same, it counts twice.`,
    "same-meaning": (a: string, b: string, likeness: string, by: string) =>
      `“${a}” and “${b}” mean nearly the same (likeness ${likeness} by ${by}). If they do, it counts twice.`,
    likeness: {
      title: "How likeness is told",
      why: "By words alone, without a model: criteria that ask the same in other words are not found. all-MiniLM-L6-v2 compares what they mean. A fetched one is kept by this browser and loaded anew at each visit.",
      loaded: "By words, and by what all-MiniLM-L6-v2 says that they mean.",
      fallback: "Likeness is told by words alone until it loads.",
    },
    "same-verdicts": (a: string, b: string, seen: number, met: number) =>
      `“${a}” and “${b}” got the same verdict on each of ${answers(seen)} (${String(met)} met both). One of them tells nothing new.`,
    excluding: (a: string, b: string, seen: number, chance: string) =>
      `None of ${answers(seen)} met both ${a} and ${b}; by chance about ${chance} would have. They may exclude each other.`,
    metBy: (name: string, met: number) => `“${name}” (met by ${String(met)})`,
    "cannot-fail": (a: string, seen: number) =>
      `“${a}” was met by all of ${answers(seen)}: it sets none apart, so it teaches nothing.`,
  },
};
