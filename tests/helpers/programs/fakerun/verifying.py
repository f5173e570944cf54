"""In the place of trainer/verifying.py: says that a fake model is good."""

from __future__ import annotations

import json
from pathlib import Path


def main(argv: list[str]) -> int:
    text = (Path(argv[0]) / "saved_model.pb").read_text()
    signature = {"inputs": "x"}
    answer = {"ok": True, "max_difference": 1e-9, "signature": signature, "size_bytes": len(text)}
    print(json.dumps(answer))
    return 0
