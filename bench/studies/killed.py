"""Programs killed at random moments: the documents that they work on, and the loop around them."""

from __future__ import annotations

import json
import os
import random
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

KITCHEN = ["bread", "butter", "knife", "oven", "flour", "crust", "yeast", "dough", "salt", "pan"]
TRAINS = ["train", "town", "station", "ticket", "platform", "railway", "driver", "signal", "track", "coach"]


def documents(path: Path) -> None:
    """Write 200 documents of two topics."""
    rng = random.Random(0)
    texts = [" ".join(rng.choices(words, k=9)) for words in (KITCHEN, TRAINS) * 100]
    path.write_text("".join(json.dumps({"id": i, "text": text}) + "\n" for i, text in enumerate(texts)))


def tell(argv: list[str], kills: Callable[[int], Counter[str]], held: str) -> None:
    """Kill so many programs, 200 by default, in a folder of their own, and print what was met and what always held."""
    count = int(argv[0]) if argv else 200
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        documents(Path("docs.jsonl"))
        for what, times in sorted(kills(count).items()):
            print(f"{times:5}  {what}")
    print(f"{count} kills: {held}")
