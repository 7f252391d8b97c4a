"""Turns the corpus into token rows for training.

    python scripts/model/encode_corpus.py [--corpus .cache/corpus] [--model models/playground-qwen3-1m]

For each of full, rich, base and held-out it writes `<name>.bin` beside `<name>.jsonl`, and one `manifest.json`.

`<name>.bin`: unsigned 16-bit little-endian, `rows` rows of `2 + rowLength` values:
    [replyStart, length, id_0 ... id_{rowLength-1}]
ids 0 .. length-1 are the chat in full (prompt, reply and `<|im_end|>`, without the line break after it); the rest is
`padId`. The loss is taken where a token of the reply or its end is predicted: targets at positions replyStart ..
length-1, so logits at replyStart-1 .. length-2. Rows stand in training order and need no further shuffling.

`manifest.json`: {"rowLength", "padId", "eosId", "vocabSize", "phases": [{"name", "file", "rows", "tokens",
"replyTokens"}], "heldOut": {the same}}; phases in training order, `tokens` without padding.
"""

import argparse
import json
from pathlib import Path

import numpy as np
from transformers import AutoTokenizer

PHASES = ("full", "rich", "base")


def encode(tokenizer, file: Path) -> tuple[list[int], list[list[int]]]:
    starts, rows = [], []
    lines = [json.loads(line) for line in file.open(encoding="utf-8")]
    prompts = [
        tokenizer.apply_chat_template(
            [{"role": "user", "content": line["prompt"]}], tokenize=False, add_generation_prompt=True
        )
        for line in lines
    ]
    prompt_ids = tokenizer(prompts, add_special_tokens=False)["input_ids"]
    reply_ids = tokenizer([line["reply"] for line in lines], add_special_tokens=False)["input_ids"]
    for prompt, reply in zip(prompt_ids, reply_ids, strict=True):
        starts.append(len(prompt))
        rows.append(prompt + reply + [tokenizer.eos_token_id])
    return starts, rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=Path(".cache/corpus"))
    parser.add_argument("--model", type=Path, default=Path("models/playground-qwen3-1m"))
    args = parser.parse_args()
    tokenizer = AutoTokenizer.from_pretrained(args.model)
    encoded = {name: encode(tokenizer, args.corpus / f"{name}.jsonl") for name in (*PHASES, "held-out")}
    row_length = max(len(row) for _, rows in encoded.values() for row in rows)
    entries = {}
    for name, (starts, rows) in encoded.items():
        table = np.full((len(rows), 2 + row_length), tokenizer.pad_token_id, dtype="<u2")
        for i, (start, row) in enumerate(zip(starts, rows, strict=True)):
            table[i, 0], table[i, 1] = start, len(row)
            table[i, 2 : 2 + len(row)] = row
        (args.corpus / f"{name}.bin").write_bytes(table.tobytes())
        tokens = sum(len(row) for row in rows)
        entries[name] = {
            "name": name,
            "file": f"{name}.bin",
            "rows": len(rows),
            "tokens": tokens,
            "replyTokens": tokens - sum(starts),
        }
    manifest = {
        "rowLength": row_length,
        "padId": tokenizer.pad_token_id,
        "eosId": tokenizer.eos_token_id,
        "vocabSize": len(tokenizer),
        "phases": [entries[name] for name in PHASES],
        "heldOut": entries["held-out"],
    }
    (args.corpus / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(manifest))


if __name__ == "__main__":
    main()
