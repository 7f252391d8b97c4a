/**
 * Tensors that only models outside the supported family have, so that a file is refused for what it is and not for a name that
 * is missing: fused projections (Phi, GPT), mixtures of experts, RoPE by tables. Names of Hugging Face and of GGUF.
 */
import { unsupportedConfig } from "./config-faults.ts";

const FOREIGN: readonly (readonly [RegExp, expected: string])[] = [
  [/\.(qkv_proj|query_key_value|Wqkv|c_attn|attn_qkv)\./, "q, k and v projected apart, not fused"],
  [/\.(gate_up_proj|ffn_gate_up)\./, "the MLP's gate and up projected apart, not fused"],
  [
    /\.experts?\.|\.router\.|_exps?\.|\.ffn_gate_inp\.|\.mlp\.gate\.weight$/,
    "one MLP a layer, not a mixture of experts",
  ],
  [/^rope_factors_/, "rope scaled by linear, llama3 or yarn, not longrope"],
];

/** @throws PlaygroundError `model-unsupported` with the first such tensor's name */
export function refuseForeignTensors(names: Iterable<string>, where: string): void {
  for (const name of names) {
    const found = FOREIGN.find(([pattern]) => pattern.test(name));
    if (found) throw unsupportedConfig(where, found[1], name);
  }
}
