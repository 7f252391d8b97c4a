"""What huggingface_hub, the hub's own client, makes of the server at $HF_ENDPOINT.

In: {folder, repos}; out: by repository either {commit, files: {path: sha256}} of its snapshot or {error}, the exception's name.
"""

import hashlib
import json
import os
import sys

from huggingface_hub import HfApi, snapshot_download


def read(repo: str, folder: str) -> dict:
    try:
        place = snapshot_download(repo, cache_dir=folder)
        commit = HfApi().model_info(repo).sha
    except Exception as error:  # its name is the answer
        return dict(error=type(error).__name__)
    files = {}
    for where, _, names in os.walk(place):
        for name in names:
            path = os.path.join(where, name)
            files[os.path.relpath(path, place)] = hashlib.sha256(open(path, "rb").read()).hexdigest()
    return dict(commit=commit, files=files)


asked = json.load(sys.stdin)
json.dump({repo: read(repo, asked["folder"]) for repo in asked["repos"]}, sys.stdout)
