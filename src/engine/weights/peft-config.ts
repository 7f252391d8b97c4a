/**
 * Reads an adapter_config.json of PEFT (0.21's fields) as the LoRA that our graphs compute: y = W x + scale B A x on any of
 * the seven linears of every layer. Whatever else a field asks for is refused by the field's name, also a field that this build
 * does not know: PEFT itself passes over some of them in silence. What only mattered while the adapter was made is left aside.
 */
import { z } from "zod";
import { PlaygroundError } from "../../base/errors.ts";
import { LORA_MODULES, type LoraModule, type LoraSettings } from "../nn/lora.ts";

export interface PeftConfig {
  readonly r: number;
  readonly lora_alpha: number;
  readonly use_rslora: boolean;
  /** null where the config names them by a pattern: then the file's tensors say it. */
  readonly target_modules: readonly LoraModule[] | null;
  /** base_model_name_or_path: a name to show, never a proof. */
  readonly baseModel: string | null;
  /** Of its earlier training; ours has none. */
  readonly dropout: number;
}

/** Largest rank that is read. */
const MOST_RANK = 1024;

const settingsSchema = z.looseObject({
  peft_type: z.string(),
  r: z.int().min(1).max(MOST_RANK).default(8),
  lora_alpha: z.number().positive().max(4096).default(8),
  lora_dropout: z.number().min(0).max(1).default(0),
  use_rslora: z.boolean().nullish(),
  target_modules: z.union([z.string(), z.array(z.string()).min(1)]).nullish(),
  base_model_name_or_path: z.string().nullish(),
});

/** Fields whose values change nothing of what a finished adapter computes. */
const HARMLESS: readonly string[] = [
  ...Object.keys(settingsSchema.shape),
  "auto_mapping",
  "corda_config",
  "ensure_weight_tying",
  "eva_config",
  "inference_mode",
  "layers_pattern",
  "loftq_config",
  "lora_ga_config",
  "megatron_core",
  "peft_version",
  "qalora_group_size",
  "revision",
  "runtime_config",
  "task_type",
];

/** What our graphs do not compute, by field. */
const REFUSED: Readonly<Record<string, string>> = {
  use_dora: "plain LoRA: DoRA rescales the weights",
  modules_to_save: "adapters alone: whole modules were trained too",
  rank_pattern: "one rank for all modules",
  alpha_pattern: "one lora_alpha for all modules",
  layers_to_transform: "an adapter on every layer",
  exclude_modules: "an adapter on every layer",
  layer_replication: "the base model's own layers",
  lora_bias: "adapters without bias",
  fan_in_fan_out: "weights stored [out, in]",
  target_parameters: "adapters on linears",
  trainable_token_indices: "an embedding as it was",
  alora_invocation_tokens: "an adapter that is always on",
  use_qalora: "plain LoRA",
  use_bdlora: "plain LoRA",
  megatron_config: "a model on one machine",
};

/** Ways to make the first A and B that leave the base weights as they are; PiSSA, OLoRA, CorDA, LoftQ and LoRA-GA change them. */
const PLAIN_STARTS: readonly unknown[] = [true, false, null, undefined, "gaussian", "orthogonal", "eva"];

/**
 * `config` is the parsed file.
 * @throws PlaygroundError `adapter-refused` naming the field
 */
export function readPeftConfig(config: unknown, where: string): PeftConfig {
  const file = `${where}/adapter_config.json`;
  const parsed = settingsSchema.safeParse(config);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join(".") ?? "";
    throw refusedAdapter(
      field === "" ? file : `${file}: ${field}`,
      "a value that LoRA takes",
      issue?.message ?? "another",
    );
  }
  const { data } = parsed;
  if (data.peft_type !== "LORA") throw refusedAdapter(`${file}: peft_type`, "LORA", data.peft_type);
  refuseOther(data, file);
  return {
    r: data.r,
    lora_alpha: data.lora_alpha,
    use_rslora: data.use_rslora ?? false,
    target_modules: readTargets(data.target_modules, file),
    baseModel: data.base_model_name_or_path ?? null,
    dropout: data.lora_dropout,
  };
}

/** The same as settings, with the modules that the tensors are of. */
export function loraSettingsOf(config: PeftConfig, modules: readonly LoraModule[]): Required<LoraSettings> {
  const { r, lora_alpha, use_rslora } = config;
  return {
    r,
    lora_alpha,
    target_modules: LORA_MODULES.filter((module) => modules.includes(module)),
    use_rslora,
  };
}

function refuseOther(config: Readonly<Record<string, unknown>>, file: string): void {
  for (const [field, value] of Object.entries(config)) {
    if (HARMLESS.includes(field)) continue;
    if (field === "init_lora_weights") {
      if (!PLAIN_STARTS.includes(value))
        throw refusedAdapter(`${file}: ${field}`, "a start that leaves the base weights alone", say(value));
    } else if (field === "bias") {
      if (value !== "none" && value != null)
        throw refusedAdapter(`${file}: ${field}`, "none: biases are not trained", say(value));
    } else if (asks(value)) {
      throw refusedAdapter(`${file}: ${field}`, REFUSED[field] ?? "a field known here", say(value));
    }
  }
}

/** False for what switches a field off: null, false, empty. */
function asks(value: unknown): boolean {
  if (value == null || value === false || value === "") return false;
  return typeof value !== "object" || Object.keys(value).length > 0;
}

/** PEFT matches a module by its name or by the end of its path. */
function readTargets(
  targets: string | readonly string[] | null | undefined,
  file: string,
): readonly LoraModule[] | null {
  if (targets == null || typeof targets === "string") return null;
  const isModule = (name: string): name is LoraModule => (LORA_MODULES as readonly string[]).includes(name);
  return targets.map((target) => {
    const name = target.split(".").at(-1) ?? "";
    if (isModule(name)) return name;
    throw refusedAdapter(`${file}: target_modules`, `some of ${LORA_MODULES.join(", ")}`, target);
  });
}

function say(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Why an adapter cannot be gone on with. */
export function refusedAdapter(where: string, expected: string, got: string): PlaygroundError {
  return new PlaygroundError({
    code: "adapter-refused",
    where,
    expected,
    got,
    next: "Choose a LoRA adapter of the loaded model, as PEFT saves it.",
  });
}
