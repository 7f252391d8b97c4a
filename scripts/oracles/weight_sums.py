"""What transformers loads from model folders.

In: [folder]; out: [{endTokenIds, tensors: {name: {shape, sum, sumOfSquares}}}], sums in float64 of float32 values.
"""

import json
import sys

import torch
from transformers import AutoModelForCausalLM


def read(folder: str) -> dict:
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    tensors = {
        name: dict(shape=list(p.shape), sum=p.double().sum().item(), sumOfSquares=p.double().square().sum().item())
        for name, p in model.named_parameters()
    }
    eos = model.generation_config.eos_token_id
    return dict(endTokenIds=eos if isinstance(eos, list) else [eos], tensors=tensors)


json.dump([read(folder) for folder in json.load(sys.stdin)], sys.stdout)
