"""The bundled demo corpus: a neighbourhood newsletter's inbox in five topics, and mail that belongs to none of them.

Both files are JSON lines with the fields id, title, text and label. Mail of the off-topic kinds (automatic replies,
parcel notices, spam, legal notices, ...) is hidden among the documents under the label "off-topic"; the second file
holds other mail of the same kinds, to serve as the Universum.
"""

from importlib.resources import files
from pathlib import Path

__all__ = ["documents_path", "off_topic_path"]


def documents_path() -> Path:
    """Return the path of the documents to cluster: five topics with some off-topic mail among them.

    Examples
    --------
    >>> documents_path().name
    'documents.jsonl'
    """
    return _path("documents.jsonl")


def off_topic_path() -> Path:
    """Return the path of the off-topic examples, none of which is among the documents.

    Examples
    --------
    >>> off_topic_path().name
    'off_topic.jsonl'
    """
    return _path("off_topic.jsonl")


def _path(name: str) -> Path:
    # Installed packages lie unpacked on disk, so the resource is a file of its own.
    return Path(str(files(__name__) / name))
