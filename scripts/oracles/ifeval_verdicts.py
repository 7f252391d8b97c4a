"""What lm-eval's IFEval code says. In: a list of [instruction, kwargs, text]; out: strict and loose verdict of each."""

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures"))
from ifeval_reference import judge  # noqa: E402

json.dump([judge(*each) for each in json.load(sys.stdin)], sys.stdout)
