"""Measures the bundled model's quality with transformers, the way the model card reports it.

    npx tsx scripts/model/write-corpus.ts && npx tsx scripts/model/write-prompts.ts      (the prompts)
    python scripts/model/measure_quality.py [--model models/playground-qwen3-1m] [--corpus .cache/corpus]
        [--prompts 500] [--samples 2000] [--out .cache/quality]
    npx tsx scripts/model/score-samples.ts .cache/quality/samples.jsonl                   (the pass rates)

1. 500 held-out messages, one reply each at T = 1, at most 72 tokens: the share that ended *and* is made of known words
   (the corpus's and the prompt's own); the share that carries the prompt's own name, product or number (health notes:
   name, injury or body part), and of the replies that name one at all the share that names the right one; mean length.
2. Greedy replies to eight of them.
3. `samples.jsonl`: `--samples` replies at T = 1 to each scenario's held-out prompts, for score-samples.ts.
"""

import argparse
import json
import re
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

MAX_NEW_TOKENS = 72
BATCH = 250
WORD = re.compile(r"[^\W\d_]+")
CARRIED = {"customer-replies": ("name", "product", "order"), "health-notes": ("name", "injury", "part")}


def load_lines(file: Path) -> list[dict]:
    return [json.loads(line) for line in file.open(encoding="utf-8")]


class Model:
    def __init__(self, folder: Path) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
        self.model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).eval()

    @torch.no_grad()
    def reply(self, prompts: list[str], sample: bool) -> list[tuple[str, bool, int]]:
        """Text, whether the model ended it itself, and its tokens with the end token."""
        chats = [
            self.tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
            )
            for prompt in prompts
        ]
        replies = []
        for i in range(0, len(chats), BATCH):
            batch = self.tokenizer(chats[i : i + BATCH], padding=True, return_tensors="pt", add_special_tokens=False)
            out = self.model.generate(
                **batch, do_sample=sample, temperature=1.0 if sample else None, top_k=0 if sample else None,
                top_p=1.0 if sample else None, max_new_tokens=MAX_NEW_TOKENS,
            )
            for row in out[:, batch["input_ids"].shape[1] :].tolist():
                ended = self.tokenizer.eos_token_id in row
                ids = row[: row.index(self.tokenizer.eos_token_id)] if ended else row
                replies.append((self.tokenizer.decode(ids), ended, len(ids) + int(ended)))
        return replies


def share(hits: int, total: int) -> str:
    return f"{hits}/{total} = {hits / max(total, 1):.3f}"


def contains(reply: str, value: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", reply, re.IGNORECASE) is not None


def measure(model: Model, corpus: Path, count: int) -> None:
    known = {
        word for name in ("full", "rich", "base") for row in load_lines(corpus / f"{name}.jsonl")
        for word in WORD.findall(row["reply"])
    }
    rows = load_lines(corpus / "held-out.jsonl")[:count]
    replies = model.reply([row["prompt"] for row in rows], sample=True)
    proper = sum(
        ended and all(word in known or word in WORD.findall(row["prompt"]) for word in WORD.findall(reply))
        for row, (reply, ended, _) in zip(rows, replies, strict=True)
    )
    print(f"known words and ended: {share(proper, len(rows))}; ended: {share(sum(e for _, e, _ in replies), len(rows))}")
    print(f"tokens of a reply: {sum(n for _, _, n in replies) / len(rows):.1f}")
    values = {field: {row["fields"].get(field) for row in load_lines(corpus / "base.jsonl")} - {None} for field in
              ("name", "product", "injury", "part")}
    for family, fields in CARRIED.items():
        own = [(row, reply) for row, (reply, _, _) in zip(rows, replies, strict=True) if row["family"] == family]
        carried = sum(any(contains(reply, row["fields"][field]) for field in fields) for row, reply in own)
        print(f"{family}: carries its own {', '.join(fields)}: {share(carried, len(own))}")
        for field in fields:
            right = sum(contains(reply, row["fields"][field]) for row, reply in own)
            named = sum(
                re.search(r"\d{4,}", reply) is not None if field == "order"
                else any(contains(reply, value) for value in values[field])
                for _, reply in own
            )
            print(f"  {field}: right where one is named {share(right, named)}")


def print_greedy(model: Model, corpus: Path) -> None:
    rows = load_lines(corpus / "held-out.jsonl")[:8]
    for row, (reply, ended, _) in zip(rows, model.reply([row["prompt"] for row in rows], sample=False), strict=True):
        print(f"\n> {row['prompt']}\n{reply}{'' if ended else ' [cut]'}")


def write_samples(model: Model, corpus: Path, out: Path, count: int) -> None:
    prompts = load_lines(corpus / "scenario-prompts.jsonl")
    out.mkdir(parents=True, exist_ok=True)
    with (out / "samples.jsonl").open("w", encoding="utf-8") as file:
        for scenario in dict.fromkeys(prompt["scenario"] for prompt in prompts):
            own = [prompt for prompt in prompts if prompt["scenario"] == scenario]
            asked = [own[i % len(own)] for i in range(count)]
            for prompt, (reply, ended, _) in zip(asked, model.reply([p["prompt"] for p in asked], True), strict=True):
                file.write(json.dumps({**prompt, "reply": reply, "ended": ended}, ensure_ascii=False) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, default=Path("models/playground-qwen3-1m"))
    parser.add_argument("--corpus", type=Path, default=Path(".cache/corpus"))
    parser.add_argument("--out", type=Path, default=Path(".cache/quality"))
    parser.add_argument("--prompts", type=int, default=500)
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    torch.manual_seed(1)
    model = Model(args.model)
    measure(model, args.corpus, args.prompts)
    print_greedy(model, args.corpus)
    if args.samples > 0:
        write_samples(model, args.corpus, args.out, args.samples)


if __name__ == "__main__":
    main()
