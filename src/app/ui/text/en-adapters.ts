/** Texts of adapters that come from elsewhere and of models that leave with one. */
export const enAdapters = {
  start: {
    title: "Start from an adapter",
    means:
      "A LoRA adapter of the loaded model, as PEFT saves it: adapter_config.json with adapter_model.safetensors, their folder, or a zip that this page saved. Every arm starts from it, step 0 is its answers, and KL is to it.",
    now: (name: string) => `The present run starts from “${name}”.`,
    none: "Start from a fresh adapter instead",
    reading: "Reading it …",
    found: "Adapters found",
    rank: (r: number, alpha: number) => `rank ${String(r)}, alpha ${String(alpha)}`,
    rslora: "rank-stabilised",
    allModules: "all seven linears",
    madeFor: (base: string) => `made for ${base}`,
    dropout: (share: number) => `its dropout of ${String(share)} is not used here`,
    refused: "cannot be used:",
    go: "Start a fresh run from it",
    fresh: "The present run stays saved.",
    settings: (name: string) =>
      `Rank, alpha and modules are those of “${name}”, which this run starts from. Another choice: Files, “An adapter to start from”.`,
    chip: "adapter",
    chipMeans: (name: string) => `Started from the adapter “${name}”.`,
  },
  merged: {
    title: "Save a merged model",
    means:
      "The model with what an arm learned added into its weights, W + s·B·A: one zip of config.json, the tokenizer and model.safetensors, whose folder transformers loads by from_pretrained. Training goes on meanwhile, from the last finished step.",
    blocks:
      "This model's weights are held in blocks of fewer bits: merged are the numbers that it was trained with, not those of its files.",
    arm: "Arm",
    seed: (seed: number) => `of seed ${String(seed)}, the one in focus`,
    dtype: "Numbers",
    dtypes: { loaded: "as the model was loaded", F32: "F32", BF16: "BF16" },
    go: "Save it",
    writing: "Writing it …",
  },
};
