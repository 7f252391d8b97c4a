"""Sentence embeddings as sentence-transformers makes them: mean of the last layer over the real tokens, length 1. In: {folder, texts}; out: vectors."""

import json
import sys

import torch
from transformers import AutoModel, AutoTokenizer

ask = json.load(sys.stdin)
tokenizer = AutoTokenizer.from_pretrained(ask["folder"])
model = AutoModel.from_pretrained(ask["folder"]).eval()
given = tokenizer(ask["texts"], padding=True, truncation=True, max_length=256, return_tensors="pt")
with torch.no_grad():
    hidden = model(**given).last_hidden_state
mask = given["attention_mask"].unsqueeze(-1)
mean = (hidden * mask).sum(1) / mask.sum(1)
json.dump(torch.nn.functional.normalize(mean, dim=1).tolist(), sys.stdout)
