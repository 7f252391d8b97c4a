"""Logits of models as transformers loads them, with adapters as PEFT loads them.

In: [{model, adapter: folders (adapter null = none), inputIds}]; out: [logits], each flat [B, T, V]. A key that is missing or not
expected, of which both only warn, fails.
"""

import json
import sys
import warnings

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM


def logits(ask: dict) -> list[float]:
    model, info = AutoModelForCausalLM.from_pretrained(ask["model"], dtype=torch.float32, output_loading_info=True)
    wrong = {kind: list(info[kind]) for kind in ("missing_keys", "unexpected_keys", "mismatched_keys") if info[kind]}
    if wrong:
        raise ValueError(f"{ask['model']}: {wrong}")
    if ask["adapter"] is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            model = PeftModel.from_pretrained(model, ask["adapter"])
    with torch.no_grad():
        return model.eval()(torch.tensor(ask["inputIds"])).logits.reshape(-1).tolist()


json.dump([logits(ask) for ask in json.load(sys.stdin)], sys.stdout)
