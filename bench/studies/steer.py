"""`python -m bench steer people|pairs|answerer ...`: does steering lift the groups?

`people` plays persons who answer questions or label documents, `pairs` answers about pairs, and `answerer` the checked
answers of a model; `--help` after the word explains it.
"""

from __future__ import annotations

from functools import lru_cache
from importlib import import_module

import numpy as np

from bench.data.collections import CASES
from outgroup.session import Session, Version

PARTS = ("people", "pairs", "answerer")


@lru_cache(maxsize=1)
def begun(name: str, draw: int, most: int | None = None, k: int | None = None) -> tuple[Session, np.ndarray, Version]:
    """Return a session on at most `most` random documents, their classes, and the first version: by default a group for
    each class.
    """
    case = CASES[name]()
    some = np.sort(np.random.default_rng(0).permutation(len(case.texts))[:most])
    vectors = None if case.embeddings is None else case.embeddings[some]
    session = Session([case.texts[i] for i in some], n_clusters=k or case.k, embeddings=vectors, random_state=draw)
    return session, np.unique(np.asarray(case.y)[some], return_inverse=True)[1], session.fit()


def main(argv: list[str]) -> None:
    """Run the part that the first word names."""
    if not argv or argv[0] not in PARTS:
        raise SystemExit(f"usage: python -m bench steer {{{','.join(PARTS)}}} ...")
    import_module(f"bench.studies.steer_{argv[0]}").main(argv[1:])
