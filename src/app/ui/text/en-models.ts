/** Texts of the model sheet: what can be loaded, what it costs, what runs where. */

type Engine = "kernels" | "wasm" | "webgpu";
type Setting = "storage" | "micro_batch_size" | "max_completion_length" | "num_generations" | "r";

export const enModels = {
  title: "Model",
  now: "Loaded",
  none: "none yet",
  open: (chip: string) => `${chip}. Choose another model`,
  choose: "Another model",
  kinds: {
    bundled: "The bundled model",
    hub: "From a hub",
    files: "From this computer",
    url: "From an address",
  },
  means: {
    bundled:
      "1 million parameters, trained on customer messages and short health notes alone. It learns in minutes on any machine.",
    hub: "Any Qwen3, Qwen2 or Llama type with safetensors or GGUF weights, by its id or the address of its page (whose revision then counts); one GGUF file as owner/name/file.gguf.",
    files:
      "The folder, or the files, that transformers saves (config.json, tokenizer.json, safetensors), or one GGUF file.",
    url: "The address of the folder that holds config.json, or of one GGUF file. Its server must allow other sites to read it (CORS).",
  },
  repo: "Model id",
  revision: "Revision",
  endpoint: "Hub address, or a mirror's",
  token: "Token, for models behind a gate",
  tokenMeans: "Sent to the hub alone; kept in memory until this page closes, never stored.",
  address: "Address",
  folder: "Choose a folder",
  files: "Choose files",
  drop: "… or drop them here",
  chosen: (count: number, size: string) => `${String(count)} ${count === 1 ? "file" : "files"}, ${size}`,
  storage: "Weights are held as",
  storages: { f32: "32-bit floats", q8: "8 bits", q4: "4 bits" },
  storageMeans: {
    f32: "as exact as they come; four bytes a parameter",
    q8: "a quarter of the room, answers next to the same",
    q4: "an eighth of the room, answers a little coarser",
  },
  thinking: "Let it think before it answers",
  thinkingMeans:
    "The template's enable_thinking: the thoughts count as tokens, so answers need far more room.",
  look: "What does it cost?",
  looking: "Reading its configuration …",
  beforeBytes: "No weights are fetched for this.",
  load: (size: string | null) => (size === null ? "Load it" : `Download ${size} and load it`),
  loadBundled: "Load the bundled model",
  isLoaded: "It is loaded",
  nowTrain: "Close this sheet and press Train.",
  loading: "Loading",
  cancel: "Cancel",
  rate: (perSecond: string) => `${perSecond}/s`,
  fresh: "A fresh run starts on it; the present run stays saved.",
  refused: "This model cannot be used",
  parameters: (count: string) => `${count} parameters`,
  shape: (layers: number, hidden: number, vocabulary: string) =>
    `${String(layers)} layers, width ${String(hidden)}, a vocabulary of ${vocabulary} tokens`,
  download: (size: string) => `${size} to download`,
  noDownload: "nothing to download",
  where: "What runs where",
  places: {
    kernels: (threads: number, cores: number) =>
      `Everything runs on the processor: WASM, this page's own kernels, ${threads === 1 ? "one thread" : `${String(threads)} threads`} of its ${String(cores)} cores.`,
    wasm: (threads: number, cores: number) =>
      `Everything runs on the processor: WASM, ${threads === 1 ? "one thread" : `${String(threads)} threads`} of its ${String(cores)} cores.`,
    webgpu: (adapter: string) =>
      `The graphics chip (${adapter}) samples and trains by WebGPU; the processor only prepares its work and checks the rubric.`,
  },
  held: (bits: string) => `Weights are held in ${bits}; what is computed with them is 32-bit.`,
  faster: "What would make it faster",
  fasterBy: {
    gpu: "a browser with WebGPU on a real graphics chip: this one offers none",
    softwareGpu: (adapter: string) => `a real graphics chip: ${adapter} is one in software`,
    isolation:
      "a page that may share memory between threads (COOP and COEP headers): this one computes on one thread",
    smaller: "a smaller model: time grows with the parameters",
    shorter: "shorter answers and smaller groups: max_completion_length, num_generations",
  },
  memory: "Memory of a run with the present settings",
  part: "Part",
  onGpu: "Graphics chip",
  onCpu: "Processor",
  total: "Together",
  parts: {
    weights: "weights",
    "kv-cache": "cache of the answers (KV)",
    activations: "activations of the update",
    head: "logits over the vocabulary",
    gradients: "gradients of the adapter",
    adamw: "AdamW and adapters",
    runtime: "the runtime itself",
  },
  partMeans: {
    weights: "The model's numbers as they are held while it runs.",
    "kv-cache":
      "What attention keeps of every token of the answers being written: grows with answers at a time and their length.",
    activations: "What an update keeps of the way forward for the way back: grows with micro_batch_size.",
    head: "A score for every token of the vocabulary, at the tokens that are sampled or trained on at a time.",
    gradients: "One number for each number of the adapter.",
    adamw: "The adapter of every arm, and AdamW's two moving averages of each of its numbers.",
    runtime: "What the engine takes before any model is there.",
  },
  estimate: "An estimate from the model's shape.",
  update: {
    whole: "The update is one graph of all layers.",
    layered: "The update goes layer by layer, which computes each layer twice and keeps far less.",
  },
  micro: (batch: number) => `${String(batch)} answers a gradient pass (micro_batch_size).`,
  chunks: {
    gpu: (rows: string) =>
      `Embedding and head are cut into pieces of ${rows} rows, for the graphics chip's binding limit.`,
    cpu: (rows: string) =>
      `Embedding and head are cut into pieces of ${rows} rows, so that one piece at a time stands in 32-bit numbers.`,
  },
  fits: "It fits.",
  tooBig: {
    "wasm-heap":
      "It does not fit: a page's WASM memory ends at 4 GB, that of the playground's own kernels at 2.",
    "device-memory": "It is likely not to fit: more than a usual graphics chip has to spare.",
    binding: "It does not fit: one tensor would be larger than this graphics chip lets a kernel read.",
  },
  changes: "What would take less:",
  change: (setting: Setting, to: string, saves: string) =>
    `${setting === "storage" ? "weights in" : setting} ${to}: ${saves} less`,
  fitted: (passes: string) => `micro_batch_size becomes ${passes}: larger gradient passes would not fit.`,
  step: (step: string, steps: number, run: string) =>
    `About ${step} a step at most, ${run} for ${String(steps)} steps, by the speed measured here; scoring held-out answers comes on top.`,
  shorterRun:
    "Fewer answers a prompt (num_generations), shorter ones (max_completion_length) and fewer held-out ones (evaluationSamples, in the set-up) make it shorter.",
  noStep: "A step's time is told once the model is loaded and measured.",
  decode: (perSecond: string) => `${perSecond} tokens/s sampled, all rows together.`,
  isKept: "kept in this browser: nothing to download",
  kept: "Kept in this browser",
  keptMeans: "As they are held in memory: loaded again without asking any server.",
  begun: "begun; loading it goes on from here",
  chooseKept: "Choose",
  chooseOf: (name: string) => `Choose ${name}`,
  chooseFile: "This id holds several models: choose one",
  commit: (commit: string) => `commit ${commit.slice(0, 8)}`,
  hashed: (files: number) =>
    `${files === 1 ? "1 file" : `${String(files)} files`} checked against the hub's hashes`,
  notHashed: "sizes checked; the server gives no hashes",
  fromStorage: "loaded from this browser, nothing was downloaded",
  isKeptNow: "kept in this browser for the next time",
  forget: "Delete",
  forgetOf: (name: string) => `Delete ${name}`,
  tokens: "What the model reads",
  tokensMeans: "The first prompt of this run with the model's own template, token by token.",
  tokensOf: (count: number) => `${String(count)} tokens`,
  showTokens: "Show the tokens",
  engineNames: { kernels: "WASM", wasm: "WASM", webgpu: "WebGPU" } as Readonly<Record<Engine, string>>,
};
