/** Texts of runs that are kept. */
export const enSaved = {
  named: (name: string, model: string | null) => `“${name}”${model === null ? "" : ` on ${model}`}`,
  offer: (run: string, step: number, max: number, when: string) =>
    `A run of ${run} stands at step ${String(step)} of ${String(max)}, saved ${when}.`,
  elsewhere: "It is open in another tab: go on with it there, or close that tab.",
  all: "All saved runs",
  title: "Saved runs",
  place: {
    files:
      "Kept in this browser, with their newest checkpoints; of each scenario the newest ten runs stay. Opening an earlier checkpoint makes a run of its own.",
    database:
      "This browser gives the page no files of its own, so only the newest checkpoint of a run is kept, and the newest five runs of each scenario.",
  },
  room: (used: string, most: string) => `This site uses ${used} of the ${most} that the browser grants it.`,
  persist: "Ask the browser to keep them",
  persisted: "The browser has promised to keep them when its disk runs full.",
  refused: "The browser may delete them when its disk runs full.",
  none: "No run is kept yet: one is after its first few steps, and when it is paused.",
  at: (step: number, max: number) => `step ${String(step)} of ${String(max)}`,
  checkpoints: (count: number) => (count === 1 ? "1 checkpoint" : `${String(count)} checkpoints`),
  seeds: (count: number) => `${String(count)} seeds`,
  startedFrom: (adapter: string) => `from the adapter ${adapter}`,
  now: "the run on this page",
  earlier: "Earlier checkpoints",
  openAt: (step: number) => `Open at step ${String(step)}`,
  wentOn: {
    ended: "The part of the page that computes had ended and was started again.",
    loaded: "The model was loaded again.",
    opened: "",
  },
  from: (step: number) => `The run goes on from step ${String(step)}.`,
  again: (steps: number) =>
    steps <= 0
      ? "Nothing is lost."
      : `${steps === 1 ? "1 step is" : `${String(steps)} steps are`} taken again, with the same numbers.`,
  fine: "Fine",
  goOn: "Go on with it",
  discard: "Discard",
  later: "Not now",
};
