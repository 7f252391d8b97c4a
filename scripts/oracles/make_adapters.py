"""Adapters that PEFT makes and saves, B not zero, and what it computes from them.

In: [{model, adapter: folders, settings: LoraConfig's fields, seed, inputIds}]; out: [logits], each flat [B, T, V].
"""

import json
import sys
from pathlib import Path

import torch

sys.path.append(str(Path(__file__).resolve().parents[1] / "fixtures"))
from make_peft_fixtures import make_adapter, save_adapter  # noqa: E402


def make(ask: dict) -> list[float]:
    model = make_adapter(Path(ask["model"]), ask["settings"], torch.float32, ask["seed"])
    with torch.no_grad():
        logits = model(torch.tensor(ask["inputIds"])).logits.reshape(-1).tolist()
    save_adapter(model, Path(ask["adapter"]), torch.float32, ask["model"])
    return logits


json.dump([make(ask) for ask in json.load(sys.stdin)], sys.stdout)
