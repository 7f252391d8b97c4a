/** What a run of these settings costs: adapters to train, and the time it takes at the speed measured last. */
import { grpoConfigSchema } from "../../../domain/grpo/config.ts";
import { useApp } from "../app-context.ts";
import { duration } from "../format.ts";
import { useText } from "../text/text-context.ts";
import { runFieldsSchema, type Draft } from "./draft.ts";

export function CostLine({ draft }: { readonly draft: Draft }) {
  const text = useText().armsEditor;
  const msPerAnswer = useApp((state) => state.msPerAnswer);
  const run = runFieldsSchema.safeParse(draft.run);
  const grpo = grpoConfigSchema.omit({ lora: true }).safeParse(draft.grpo);
  if (!run.success || !grpo.success) return null;
  const { prompts_per_step, num_generations, max_steps } = grpo.data;
  const answers = draft.arms.length * run.data.seeds * max_steps * prompts_per_step * num_generations;
  return (
    <p className="soft" role="status">
      {text.cost(draft.arms.length, run.data.seeds)}{" "}
      {msPerAnswer === null ? text.noTime : text.time(duration(msPerAnswer * answers))}
    </p>
  );
}
