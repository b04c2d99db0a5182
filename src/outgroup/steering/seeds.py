"""What a user says belongs together: names, documents and words, from a file or from mappings, to arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from numbers import Integral
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..storage.toml import read_toml

_LIGHTEST, _HEAVIEST = 1e-6, 1e6  # of a weight
_EXAMPLE = 'such as [clusters."my topic"] with documents = ["an-id"] and words = ["a-word"]'


@dataclass(frozen=True)
class Cluster:
    """The seeds of one cluster: ids of documents, words, and how much they weigh beside other clusters' seeds."""

    documents: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True)
class Seeds:
    """Clusters by name, in the order of their numbers, and the ids of documents that belong to none.

    Parameters
    ----------
    clusters : dict of str to `Cluster`, default {}
        The labelled documents and words of each cluster, and what they weigh.
    off_topic : tuple of str, default ()
        The ids of the documents that belong to no cluster.

    Raises
    ------
    InputError
        A document is labelled twice, or nothing is labelled at all.

    Examples
    --------
    >>> seeds = Seeds.of({"bread": ["d1", ("d2", ["oven"])]}, {"trains": ["rail"]})
    >>> seeds.clusters["bread"]
    Cluster(documents=('d1', 'd2'), words=('oven',), weight=1.0)
    >>> list(seeds.clusters)
    ['bread', 'trains']
    """

    clusters: dict[str, Cluster] = field(default_factory=dict)
    off_topic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not any(cluster.documents or cluster.words for cluster in self.clusters.values()) and not self.off_topic:
            raise InputError(f"the seeds label nothing; give some, {_EXAMPLE}, or leave them out")
        homes: dict[str, str] = {}
        for name, cluster in [*self.clusters.items(), ("off_topic", Cluster(self.off_topic))]:
            for document in dict.fromkeys(cluster.documents):
                if document in homes:
                    raise InputError(f"document {document!r} is labelled twice, for {homes[document]!r} and {name!r}")
                homes[document] = name

    @classmethod
    def of(cls, documents: Mapping[str, Any] | None = None, words: Mapping[str, Iterable[str]] | None = None) -> Seeds:
        """Return the seeds of two mappings, name -> documents and name -> words.

        Parameters
        ----------
        documents : mapping, default None
            Name of a cluster -> its labelled documents. Each is an id (a number stands for itself as text), or (id,
            words) with the words that were highlighted in it: they count for its cluster.
        words : mapping, default None
            Name of a cluster -> its labelled words.

        Returns
        -------
        Seeds

        Raises
        ------
        InputError
            A document is labelled twice, nothing is labelled, or something is no name, id or word.
        """
        names = dict.fromkeys([*_mapping(documents, "seeds"), *_mapping(words, "word_seeds")])
        given = {
            name: {"documents": (documents or {}).get(name, ()), "words": (words or {}).get(name, ())} for name in names
        }
        return cls({str(name): _cluster(parts, f"the seeds of {name!r}") for name, parts in given.items()})


def read_seeds(path: str | os.PathLike[str]) -> Seeds:
    r"""Read a seeds.toml file.

    A table `[clusters."name"]` for each cluster with `documents` (ids, or `{id = "...", words = [...]}` with words
    highlighted in the document), `words`, and `weight` (default 1); and `[off_topic]` with `documents`.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    Seeds

    Raises
    ------
    InputError
        The file cannot be read, is not TOML, or says something else; the message names the place.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "seeds.toml")
    ...     written = path.write_text('[clusters.bread]\nwords = ["oven"]\n')
    ...     read_seeds(path).clusters["bread"].words
    ('oven',)
    """
    return seeds_of_tables(read_toml(Path(path)), str(path))


def seeds_of_tables(content: Mapping[str, Any], where: str) -> Seeds:
    """Return the seeds that a file's tables hold; raises InputError, naming the place, for anything else."""
    _only(content, ("clusters", "off_topic"), where)
    clusters, off_topic = content.get("clusters", {}), content.get("off_topic", {})
    for name, table in {"clusters": clusters, "off_topic": off_topic}.items():
        if not isinstance(table, dict):
            raise InputError(f"{where}: {name} must be a table, {_EXAMPLE}")
    _only(off_topic, ("documents",), f"{where}, off_topic")
    try:
        found = {_named(name): _cluster(table, f"cluster {name!r}") for name, table in clusters.items()}
        return Seeds(found, _cluster({"words": (), **off_topic}, "off_topic").documents if off_topic else ())
    except InputError as error:
        raise InputError(f"{where}: {error}") from error


def _named(name: str) -> str:
    if name.strip().isdecimal():
        raise InputError(
            f"[clusters.{name}] would be a cluster with the name {name!r}; was group {int(name)} of an earlier result "
            f'meant? Then write [[decision]] with kind = "belongs", document = "an-id" and group = {int(name)}, and '
            "else give it another name"
        )
    return name


def _mapping(given: Any, name: str) -> Mapping[str, Any]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InputError(f"{name} must map names of clusters to lists, and not be a {type(given).__name__}")
    return given


def _cluster(table: Any, where: str) -> Cluster:
    if not isinstance(table, Mapping):
        raise InputError(f"{where} must be a table with documents and words, {_EXAMPLE}")
    _only(table, ("documents", "words", "weight"), where)
    documents = [_document(each, where) for each in _list(table.get("documents", ()), f"the documents of {where}")]
    words = [word for _, highlighted in documents for word in highlighted]
    words += _strings(table.get("words", ()), f"the words of {where}")
    if not documents and not words:
        raise InputError(f"no document and no word in {where}; give some, or leave it out")
    weight = table.get("weight", 1.0)
    if not is_weight(weight):
        raise InputError(f"the weight of {where} is {shortly(weight)}; give a number from 1e-6 to 1e6")
    identities = tuple(dict.fromkeys(identity for identity, _ in documents))
    return Cluster(identities, tuple(dict.fromkeys(words)), float(weight))


def is_weight(given: Any) -> bool:
    """Return whether a value can weigh labels: a number that leaves the others' weight in the sums."""
    return isinstance(given, int | float) and not isinstance(given, bool) and _LIGHTEST <= given <= _HEAVIEST


def shortly(given: Any) -> str:
    """Return a value for a message; a number may have more digits than are shown, or than Python writes."""
    try:
        return f"{given!r:.60}"
    except ValueError:
        return "a number of thousands of digits"


def _document(given: Any, where: str) -> tuple[str, list[str]]:
    """Return a document's id and its highlighted words."""
    if isinstance(given, str | Integral) and not isinstance(given, bool):  # NumPy's numbers, too
        return str(given), []
    if isinstance(given, Mapping):
        _only(given, ("id", "words"), f"a document of {where}")
        given = (given.get("id"), given.get("words", ()))
    if not isinstance(given, tuple) or len(given) != 2 or not isinstance(given[0], str | Integral):
        raise InputError(f'a document of {where} is {given!r:.60}; give an id, or {{id = "an-id", words = ["a-word"]}}')
    return str(given[0]), _strings(given[1], f"the words highlighted in {given[0]!r}")


def _list(given: Any, where: str) -> list[Any]:
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise InputError(f"{where} must be a list, not {given!r:.60}")
    return list(given)


def _strings(given: Any, where: str) -> list[str]:
    found = _list(given, where)
    wrong = [each for each in found if not isinstance(each, str)]
    if wrong:
        raise InputError(f"{where} must be strings, not {wrong[0]!r:.60}")
    return found


def _only(table: Mapping[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            near = get_close_matches(str(key), known, 1)
            meant = f"did you mean {near[0]!r}?" if near else f"it may have {', '.join(known)}"
            raise InputError(f"{where}: unknown key {key!r}; {meant}")
