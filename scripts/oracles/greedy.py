"""Greedy answers by transformers' own generate(), with or without an adapter as PEFT loads it.

In: [{model, adapter: folder or null, maxTokens, prompts: [ids], completions: [ids]}]; out, for each, a list by prompt:
{tokens: with the end token where one came, gaps: top logit minus the second at each of them, logProbs: of the given
completion's tokens}. A missing key of an adapter, of which PEFT only warns, fails.
"""

import json
import sys
import warnings

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


def load(ask: dict):
    model = AutoModelForCausalLM.from_pretrained(ask["model"], dtype=torch.float32)
    if ask["adapter"] is None:
        return model.eval()
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        return PeftModel.from_pretrained(model, ask["adapter"]).eval()


def answer(model, prompt: list[int], completion: list[int], max_tokens: int) -> dict:
    ids = torch.tensor([prompt])
    out = model.generate(
        input_ids=ids,
        attention_mask=torch.ones_like(ids),
        do_sample=False,
        max_new_tokens=max_tokens,
        return_dict_in_generate=True,
        output_logits=True,
    )
    best = torch.cat(out.logits).topk(2).values  # [T, 2]
    given = torch.tensor(completion)
    logits = model(torch.tensor([prompt + completion])).logits[0, len(prompt) - 1 : -1]  # [T, V]
    return dict(
        tokens=out.sequences[0, len(prompt) :].tolist(),
        gaps=(best[:, 0] - best[:, 1]).tolist(),
        logProbs=logits.log_softmax(-1).gather(1, given[:, None])[:, 0].tolist(),
    )


@torch.no_grad()
def answers(ask: dict) -> list[dict]:
    model = load(ask)
    pairs = zip(ask["prompts"], ask["completions"], strict=True)
    return [answer(model, prompt, completion, ask["maxTokens"]) for prompt, completion in pairs]


json.dump([answers(ask) for ask in json.load(sys.stdin)], sys.stdout)
