"""Whole GRPO steps by TRL's GRPOTrainer with PEFT on the CPU, for `npm run bench -- step`.

First line in: {model, content, group, tokens, threads}; out: {promptTokens}. Every later line is one step; out: {seconds,
completionTokens}: from on_step_begin to on_step_end, that is generation, rewards, loss, gradient and optimizer, without the
data loader. Generation settings are ours: temperature 1, no top_k, no top_p, and as many tokens in every row.
"""

import json
import sys
import tempfile
import time

import torch
from datasets import Dataset
from peft import LoraConfig
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

MODULES = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
out = sys.stdout
sys.stdout = sys.stderr  # the trainer prints its logs
generated: list[int] = []


def write(answer: dict) -> None:
    print(json.dumps(answer), file=out, flush=True)


class Asked(TrainerCallback):
    """Waits for a line before each step and answers after it."""

    def on_step_begin(self, args, state, control, **kwargs):
        if not sys.stdin.readline():
            sys.exit(0)
        self.start = time.perf_counter()

    def on_step_end(self, args, state, control, **kwargs):
        write({"seconds": time.perf_counter() - self.start, "completionTokens": generated[-1]})


def reward(completions, completion_ids, **kwargs) -> list[float]:
    """Cheap and different within the group: the length in characters."""
    generated.append(sum(len(ids) for ids in completion_ids))
    return [float(len(completion[-1]["content"])) for completion in completions]


def config(ask: dict) -> GRPOConfig:
    return GRPOConfig(
        output_dir=tempfile.mkdtemp(),
        use_cpu=True,
        bf16=False,
        gradient_checkpointing=False,
        per_device_train_batch_size=ask["group"],
        num_generations=ask["group"],
        gradient_accumulation_steps=1,
        max_completion_length=ask["tokens"],
        temperature=1.0,
        top_k=0,
        top_p=1.0,
        generation_kwargs={"min_new_tokens": ask["tokens"]},
        beta=0.0,
        loss_type="dapo",
        learning_rate=1e-4,
        lr_scheduler_type="constant",
        max_steps=1_000_000,
        save_strategy="no",
        logging_strategy="no",
        report_to="none",
        disable_tqdm=True,
    )


def main() -> None:
    ask = json.loads(sys.stdin.readline())
    torch.set_num_threads(ask["threads"])
    tokenizer = AutoTokenizer.from_pretrained(ask["model"])
    prompt = [{"role": "user", "content": ask["content"]}]
    ids = tokenizer.apply_chat_template(prompt, add_generation_prompt=True, return_dict=False)
    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(ask["model"], dtype=torch.float32),
        processing_class=tokenizer,
        args=config(ask),
        reward_funcs=reward,
        train_dataset=Dataset.from_list([{"prompt": prompt}] * 64),
        peft_config=LoraConfig(r=8, lora_alpha=16, lora_dropout=0.0, target_modules=MODULES),
        callbacks=[Asked()],
    )
    write({"promptTokens": len(ids)})
    trainer.train()


main()
