"""The bundled demo corpus: the inbox of a neighbourhood newsletter, with five topics and off-topic mail.

Both files are JSON lines with the fields id, title, text and label. Mail of the off-topic kinds (automatic replies,
parcel notices, spam, legal notices, ...) is mixed into the documents with the label "off-topic"; the second file
holds other mail of the same kinds, for the Universum. Further files hold made-up tickets, replies, survey answers and
abstracts for the examples of the documentation.
"""

import json
from importlib.resources import files
from pathlib import Path

__all__ = ["documents_path", "off_topic_path", "records"]


def documents_path() -> Path:
    """Return the path of the demo documents: five topics and some off-topic mail.

    Examples
    --------
    >>> documents_path().name
    'documents.jsonl'
    """
    return _path("documents.jsonl")


def off_topic_path() -> Path:
    """Return the path of the demo's off-topic examples; none is among the documents.

    Examples
    --------
    >>> off_topic_path().name
    'off_topic.jsonl'
    """
    return _path("off_topic.jsonl")


def records(name: str) -> list[dict[str, str]]:
    """Return a bundled collection as records with id, text and label; most have a title, those of the survey a wave.

    Parameters
    ----------
    name : {"documents", "off_topic", "tickets", "replies", "survey", "papers"}

    Returns
    -------
    list of dict
        284 documents, 62 off-topic examples, 184 tickets, 20 automatic replies, 200 answers, or 180 abstracts.

    Raises
    ------
    FileNotFoundError
        No bundled collection has this name.

    Examples
    --------
    >>> len(records("tickets"))
    184
    """
    return [json.loads(line) for line in _path(f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def _path(name: str) -> Path:
    # Packages are installed unpacked, so the resource is a file.
    return Path(str(files(__name__) / name))
