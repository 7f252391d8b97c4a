/** What can go wrong, by code, and what to do. */
export const enFaults = {
  title: "Something went wrong",
  dismiss: "Dismiss",
  details: "Details",
  lastGood: (step: number) => `The run stands at step ${String(step)}; nothing before it is lost.`,
  retry: "Try again",
  reload: "Load the model again",
  choose: "Choose that model",
  slower: "Go on with half the learning rate",
  part: "This part of the page could not be loaded: the connection failed, or the page was updated meanwhile. What trains goes on; reload the page to have this part, and the run is offered again.",
  codes: {
    internal:
      "A defect of the playground. Reload the page; a saved run is offered again. Please report the details.",
    "worker-failed":
      "The part of the page that computes could not be started. Look at the connection and at what the browser blocks, then try again.",
    "worker-ended":
      "The part of the page that computes ended, most likely because memory ran out. It is started again from the last checkpoint.",
    "graph-invalid":
      "The model's computation could not be built. Choose another engine in the set-up, or report the details.",
    "model-unsupported": "This kind of model is not supported. Qwen2, Qwen3 and Llama types are.",
    "model-broken": "The model's files are damaged or incomplete. Reload the page to fetch them again.",
    "model-other":
      "This run was made on another model, named below, which this browser does not keep. Load that one (the model's name in the header opens the choice), then open the run again.",
    "model-file-choice": "This id holds several models. Choose one of its files in the model's sheet.",
    "model-fetch-failed": "The model could not be fetched. Look at the connection, then try again.",
    "adapter-refused": "This adapter cannot be gone on with; the details say which part of it.",
    "tokenizer-broken": "The model's tokenizer could not be read. Reload the page to fetch it again.",
    "rubric-invalid":
      "This rubric cannot be trained on. Change what the details name; the run keeps the last valid one.",
    "judge-refused":
      "This model cannot be the judge. Choose an endpoint or a real model under Judge; the details say why.",
    "judge-silent":
      "The judge gave no verdict, so the step changed nothing. Look at its address, its key and its model under Judge, then go on.",
    "judge-spent":
      "The judge's budget is used up, so the run waits. Raise it under Judge, then go on; verdicts it gave are not asked for again.",
    "config-invalid": "A setting cannot be used. Change what the details name in the set-up.",
    "run-state": "That is not possible right now. Wait for the present work to end, then try again.",
    "not-finite":
      "Loss or gradient stopped being a number. Go on with half the learning rate from the last good step (at the same rate it often ends the same way).",
    diverged:
      "Loss or gradient grew beyond its bound, so the run stopped before that step changed anything. Go on with half the learning rate.",
    "out-of-memory":
      "Memory ran out in the middle of a step, which changed nothing. Close other tabs, or choose a smaller micro_batch_size or max_completion_length in the set-up; then load the model again.",
    "run-elsewhere": "This run is open in another tab. Go on with it there, or close that tab and try again.",
    "webgpu-missing":
      "This browser offers no WebGPU here. Choose WASM in the set-up: it trains on the processor.",
    "webgpu-limits": "The graphics chip is too small for this model. Choose WASM in the set-up.",
    "webgpu-lost":
      "The graphics chip went away. Load the model again to go on, or choose WASM in the set-up.",
    "session-failed": "The engine could not run the model. Choose another engine in the set-up.",
    "storage-failed":
      "The browser's storage is full, closed, or owned by a newer build of this page. Training goes on, but a reload forgets what is new.",
    "storage-full":
      "This site's share of the browser's storage is full. Training goes on, but nothing new is kept: delete saved runs, or free space on the disk.",
    "record-invalid": "Something kept from an earlier visit could not be read, and was not used.",
    aborted: "Stopped on request.",
  },
};
