"""Gradient + AdamW by PyTorch eager and PEFT on the CPU, for `npm run bench -- train` and `train-rows`.

First line in: {model, adapter: folder, attention, groups: [{prompt, completions: [{tokens, advantage, oldLogProbs}]}]}; all rows
have one length. Every later line is one update; out: {seconds, gradNorm, loss}. The loss is TRL's dapo with epsilon 0.2 and
beta 0, logits for completions only (logits_to_keep), rows of prompt and completion as every PyTorch script has them: the
prompt is not shared.
"""

import json
import sys
import time

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

EPSILON = 0.2


def read() -> dict:
    return json.loads(sys.stdin.readline())


def write(answer: dict) -> None:
    print(json.dumps(answer), flush=True)


def tensors(groups: list[dict]) -> tuple[torch.Tensor, ...]:
    """ids [B, Tp + Tc], completions [B, Tc], advantages [B, 1], old log-probs [B, Tc]."""
    rows = [(group["prompt"], row) for group in groups for row in group["completions"]]
    return (
        torch.tensor([prompt + row["tokens"] for prompt, row in rows]),
        torch.tensor([row["tokens"] for _, row in rows]),
        torch.tensor([[row["advantage"]] for _, row in rows]),
        torch.tensor([row["oldLogProbs"] for _, row in rows]),
    )


def loss_of(model, ids, tokens, advantages, old) -> torch.Tensor:
    keep = tokens.shape[1]
    mask = torch.ones_like(ids)
    logits = model(input_ids=ids, attention_mask=mask, logits_to_keep=keep + 1, use_cache=False).logits
    logits = logits[:, :-1]  # [B, Tc, V]
    chosen = logits.gather(-1, tokens[..., None])[..., 0] - logits.logsumexp(-1)
    ratio = (chosen - old).exp()
    clipped = ratio.clamp(1 - EPSILON, 1 + EPSILON)
    return -torch.min(ratio * advantages, clipped * advantages).sum() / tokens.numel()


def main() -> None:
    ask = read()
    torch.set_num_threads(ask["threads"])
    base = AutoModelForCausalLM.from_pretrained(
        ask["model"], dtype=torch.float32, attn_implementation=ask["attention"]
    )
    model = PeftModel.from_pretrained(base, ask["adapter"], is_trainable=True)
    model.train()
    trained = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        trained, lr=1e-4, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.0, fused=True
    )
    data = tensors(ask["groups"])
    write({"threads": torch.get_num_threads(), "parameters": sum(p.numel() for p in trained)})
    for _ in sys.stdin:
        start = time.perf_counter()
        loss = loss_of(model, *data)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        seconds = time.perf_counter() - start
        write({"seconds": seconds, "gradNorm": norm.item(), "loss": loss.item()})


main()
