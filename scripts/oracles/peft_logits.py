"""Logits of models with adapters as PEFT loads them.

In: [{model, adapter: folders, inputIds}]; out: [logits], each flat [B, T, V]. A missing key, of which PEFT only warns, fails.
"""

import json
import sys
import warnings

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


def logits(ask: dict) -> list[float]:
    base = AutoModelForCausalLM.from_pretrained(ask["model"], dtype=torch.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        model = PeftModel.from_pretrained(base, ask["adapter"]).eval()
    with torch.no_grad():
        return model(torch.tensor(ask["inputIds"])).logits.reshape(-1).tolist()


json.dump([logits(ask) for ask in json.load(sys.stdin)], sys.stdout)
