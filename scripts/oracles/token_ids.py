"""What transformers' tokenizer says. In: {folder, texts, chats, decodes}; out: {texts, chats: ids each, decodes: texts}."""

import json
import sys

from transformers import AutoTokenizer

ask = json.load(sys.stdin)
tokenizer = AutoTokenizer.from_pretrained(ask["folder"])
json.dump(
    dict(
        texts=[tokenizer(text, add_special_tokens=False)["input_ids"] for text in ask["texts"]],
        chats=[
            tokenizer.apply_chat_template(chat, add_generation_prompt=True, tokenize=True, return_dict=False)
            for chat in ask["chats"]
        ],
        decodes=[tokenizer.decode(ids, skip_special_tokens=True) for ids in ask["decodes"]],
    ),
    sys.stdout,
)
