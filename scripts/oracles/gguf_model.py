"""What transformers says of a GGUF model, on the weights as the `gguf` package dequantises them, in float32.

In: {folder, file, pre (of the split that tokenizer.ggml.pre names), texts, chats: [messages], maxTokens, tails: [[ids]]}; out:
  texts    ids of each text       chats   ids of each chat with the generation prompt
  tails    for each, logits after its last token, float32 in base64
  greedy   for each chat {tokens, gaps: top logit minus the second at each}
The tokenizer is transformers' fast one over the file's vocabulary and merges, split as the model's own tokenizer.json does:
transformers' loader of GGUF files ignores tokenizer.ggml.pre.
"""

import base64
import json
import sys

import torch
from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

CONTROL = 3


def splits(pre):
    """Of the models' own tokenizer.json: SmolLM2."""
    if pre != "smollm":
        raise ValueError(f"no tokenizer.json known for {pre}")
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])


def tokenizer_of(reader, pre):
    field = lambda key: reader.get_field(f"tokenizer.{key}").contents()
    tokens, merges, types = field("ggml.tokens"), field("ggml.merges"), field("ggml.token_type")
    if field("ggml.pre") != pre:
        raise ValueError(f"expected {pre}, got {field('ggml.pre')}")
    core = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, [tuple(merge.split(" ")) for merge in merges]))
    core.pre_tokenizer = splits(pre)
    core.decoder = decoders.ByteLevel()
    special = [AddedToken(token, special=True, normalized=False) for token, kind in zip(tokens, types) if kind == CONTROL]
    core.add_special_tokens(special)
    return PreTrainedTokenizerFast(tokenizer_object=core, chat_template=field("chat_template"))


@torch.no_grad()
def greedy(model, ids, max_tokens, end):
    out = model.generate(
        input_ids=torch.tensor([ids]),
        attention_mask=torch.ones(1, len(ids), dtype=torch.long),
        do_sample=False,
        max_new_tokens=max_tokens,
        eos_token_id=end,
        return_dict_in_generate=True,
        output_logits=True,
    )
    best = torch.cat(out.logits).topk(2).values
    return dict(tokens=out.sequences[0, len(ids) :].tolist(), gaps=(best[:, 0] - best[:, 1]).tolist())


@torch.no_grad()
def last_logits(model, ids):
    logits = model(torch.tensor([ids])).logits[0, -1]
    return base64.b64encode(logits.float().numpy().tobytes()).decode()


def main():
    ask = json.load(sys.stdin)
    reader = GGUFReader(f"{ask['folder']}/{ask['file']}")
    tokenizer = tokenizer_of(reader, ask["pre"])
    chats = [tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=True, return_dict=False) for chat in ask["chats"]]
    model = AutoModelForCausalLM.from_pretrained(ask["folder"], gguf_file=ask["file"], dtype=torch.float32).eval()
    end = int(reader.get_field("tokenizer.ggml.eos_token_id").contents())
    answer = dict(
        texts=[tokenizer(text, add_special_tokens=False)["input_ids"] for text in ask["texts"]],
        chats=chats,
        greedy=[greedy(model, ids, ask["maxTokens"], end) for ids in chats],
        tails=[last_logits(model, ids) for ids in ask["tails"]],
    )
    json.dump(answer, sys.stdout)


main()
