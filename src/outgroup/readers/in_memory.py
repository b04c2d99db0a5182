"""Convert documents in memory to a corpus: lists of texts, columns, tables of any library, records."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np

from ..errors import InputError, quoted, warn
from ..text.collection import Inputs
from ..text.texts import MISSING, is_missing, is_table, refuse_unordered
from .corpus import corpus_of
from .documents import Corpus, Document, Skip
from .fields import Fields, document, value_of
from .markup import has_tags
from .non_answers import why_no_answer

# --- Documents in memory

_WANTED = "give a list of texts, a DataFrame, or a list of records such as {'text': ...}"


def texts_of(
    documents: Any,
    *,
    text: str = "text",
    id: str = "id",
    title: str = "title",
    label: str = "label",
    join_title: bool = True,
    html: str = "text",
    missing: str = "error",
    name: str = "documents",
) -> Corpus:
    """Return documents as a corpus with a text per row, in order.

    Parameters
    ----------
    documents : sequence of str, column, DataFrame, or sequence of mappings
        A column or DataFrame of any library that narwhals supports (pandas, polars, pyarrow, Modin ...). Plain texts
        stay unchanged; texts of records or rows are built as by `read_corpus`.
    text, id, title, label : str
        The fields of a record, by default "text", "id", "title" and "label". Fields separated by commas are joined to
        one text. The default id is the row number, from 0. All other fields become `columns`.
    join_title : bool, default True
        Whether to prepend the title of a record to its text.
    html : {"text", "keep"}, default "text"
        "text" removes tags and entities from the text and title of records, and warns with their number.
    missing : {"error", "skip"}, default "error"
        The policy for a row without a text (None, NaN): raise an error, or use an empty text and add it to
        `skipped`.
    name : str, default "documents"
        The name of the argument in messages.

    Raises
    ------
    InputError
        The documents are of another type or empty, a field does not exist, or a text is missing.
    MissingExtraError
        A table is given, and narwhals is not installed.

    Examples
    --------
    >>> corpus = texts_of([{"subject": "Tea", "body": "Boil water.", "stars": 5}], text="subject,body")
    >>> corpus.texts, corpus.columns
    (['Tea\\n\\nBoil water.'], {'stars': ['5']})
    >>> texts_of(["tea", None], missing="skip").texts
    ['tea', '']
    """
    if missing not in MISSING:
        raise InputError(f"missing is {missing!r}; give 'error' or 'skip'")
    if isinstance(documents, Corpus):
        return documents
    fields = Fields(text, id, title, label, join_title, html)
    rows = _rows(documents, fields, name)
    if not rows:
        raise InputError(f"{name} is empty; give at least one document")
    items = [_item(row, number, fields, name) for number, row in enumerate(rows)]
    if not all(isinstance(row, str) or is_missing(row) for row in rows):
        fields.require(dict.fromkeys(str(key) for row in rows if isinstance(row, Mapping) for key in row), name)
    _warn_of_tags(rows)
    _warn_of_non_answers(items)
    return _corpus(items, missing, name)


def holds_fields(documents: Any) -> bool:
    """Return whether documents are a table, records or a corpus, with the texts in a field.

    Examples
    --------
    >>> holds_fields([{"text": "tea"}]), holds_fields(["tea"])
    (True, False)
    """
    if isinstance(documents, Corpus) or is_table(documents):
        return True
    return isinstance(documents, list | tuple) and any(isinstance(row, Mapping) for row in documents[:1])


def vectors_of(documents: Any, vectors: Any) -> Any:
    """Return the embeddings of documents: the vectors in the field `vectors` of a table or of records; else `vectors`.

    Raises InputError for a field without vectors of equal length.

    Examples
    --------
    >>> vectors_of([{"text": "tea", "vector": [1, 2]}], "vector")
    array([[1., 2.]])
    """
    if not isinstance(vectors, str) or isinstance(documents, Corpus) or not holds_fields(documents):
        return vectors
    rows = _rows(documents, Fields(), "documents")
    if not all(isinstance(row, Mapping) and vectors in row for row in rows):
        return vectors  # the path of a file
    try:
        array = np.array([row[vectors] for row in rows], dtype=np.float64)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.ndim != 2:
        raise InputError(f"the field {vectors!r:.60} has no embeddings: give each document a vector of the same length")
    return array


def _rows(documents: Any, fields: Fields, name: str) -> list[Any]:
    """Return the documents as a list of texts, mappings or other values."""
    if documents is None or isinstance(documents, str | bytes | Mapping):
        kind = "a single text" if isinstance(documents, str) else f"a {type(documents).__name__}"
        raise InputError(f"{name} is {kind}; {_WANTED}")
    refuse_unordered(documents, name)
    if hasattr(documents, "__dataframe__") or hasattr(documents, "__arrow_c_stream__") or hasattr(documents, "collect"):
        return _of_table(documents, fields, name)
    if getattr(documents, "ndim", 1) != 1:
        raise InputError(f"{name} is an array with {documents.ndim} dimensions; {_WANTED}")
    if not isinstance(documents, Iterable):
        raise InputError(f"{name} is a {type(documents).__name__}; {_WANTED}")
    # iteration over arrow would give scalars
    return documents.to_pylist() if hasattr(documents, "to_pylist") else list(documents)


def _of_table(documents: Any, fields: Fields, name: str) -> list[Any]:
    import narwhals as nw

    documents = _of_different_names(_no_batch(documents), fields, name)
    try:
        table = nw.from_native(documents, eager_only=True, allow_series=True)
    except TypeError as error:
        raise InputError(f"{name} is a {type(documents).__name__}; collect it first, or {_WANTED}") from error
    if isinstance(table, nw.Series):
        return list(table.to_list())
    columns = [table[column].to_list() for column in table.columns]
    names = fields.unambiguous([str(column) for column in table.columns], name)
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def _no_batch(documents: Any) -> Any:
    """Return an Arrow record batch as a table, which has the same methods in all versions of Arrow."""
    arrow = sys.modules.get("pyarrow")
    return arrow.Table.from_batches([documents]) if arrow and isinstance(documents, arrow.RecordBatch) else documents


def _of_different_names(table: Any, fields: Fields, name: str) -> Any:
    """Return a pandas or Arrow table with unique column names; duplicates are numbered as in files.

    Joins the levels of a pandas MultiIndex by full stops.
    """
    if hasattr(table, "rename_columns"):
        names, renamed = list(table.schema.names), table.rename_columns
    elif hasattr(table, "set_axis") and hasattr(table, "columns"):
        names, renamed = list(map(_one_name, table.columns)), partial(table.set_axis, axis=1)
    else:
        return table
    levels = getattr(getattr(table, "columns", None), "nlevels", 1)
    return table if levels == 1 and len(set(names)) == len(names) else renamed(fields.unambiguous(names, name))


def _one_name(column: Any) -> str:
    return ".".join(filter(None, map(str, column))) if isinstance(column, tuple) else str(column)


def _item(row: Any, number: int, fields: Fields, name: str) -> Document | Skip:
    if isinstance(row, str):
        return Document(str(number), str(number), str(row), "", None)
    if is_missing(row):
        return Skip(str(number), "no text")
    if not isinstance(row, Mapping):
        raise InputError(f"{name} has a value of type {type(row).__name__} in row {number}; {_WANTED}")
    known = {str(key): None if is_missing(value) else value for key, value in row.items()}
    item = document(known, number, "row", fields)
    if isinstance(item, Skip) or item.whole:
        return item
    absent = all(value_of(known, field) is None for field in fields.texts(known))
    return Skip(item.where, "no text") if absent else item


def _warn_of_tags(rows: Sequence[Any]) -> None:
    """Warn about HTML in plain texts, which stay unchanged."""
    count = sum(isinstance(row, str) and has_tags(row) for row in rows)
    if count:
        note = f"HTML was found in {count:,} of {len(rows):,} texts, and its tags count as words"
        warn(f"{note}; give the texts as a table or records to remove the tags")


def _warn_of_non_answers(items: Sequence[Document | Skip]) -> None:
    """Warn about non-answers, which stay documents: a caller counts on a label for each text."""
    texts = [item.text.strip() for item in items if isinstance(item, Document)]
    known = [text for text in texts if any(map(str.isalnum, text)) and why_no_answer(text)]
    if known:
        note = f"{len(known):,} of {len(items):,} texts are non-answers, such as {quoted(known[:1])}, and take part"
        warn(f"{note}; remove them, or read a file with read_corpus, which sets them apart")


def _corpus(items: Sequence[Document | Skip], missing: str, name: str) -> Corpus:
    """Return the corpus of all rows; rows without a text become "", or raise InputError."""
    without = [row for row, item in enumerate(items) if isinstance(item, Skip)]
    if without and missing == "error":
        why = next(item.reason for item in items if isinstance(item, Skip))
        raise InputError(
            f"{name} has {len(without)} of {len(items)} rows without a text ({why}): {quoted(without)}; remove them, "
            "or create the model with missing='skip'"
        )
    if len(without) == len(items):
        raise InputError(f"{name}: none of {len(items)} rows has a text; check the name of the column")
    skipped = [Skip(item.where, item.reason, row) for row, item in enumerate(items) if isinstance(item, Skip)]
    return replace(corpus_of(_kept(item, row) for row, item in enumerate(items)), skipped=skipped)


def _kept(item: Document | Skip, row: int) -> Document:
    """Return a document, without text for a skip, with the id of the record if it has one."""
    if isinstance(item, Document):
        return item
    return Document(item.where, str(row) if item.where == f"row {row}" else item.where, "", "", None)


# --- The inputs of a collection


def inputs_in(
    documents: Any, ids: Any, titles: Any, universum: Any, embeddings: Any, universum_embeddings: Any
) -> Inputs:
    """Return the inputs of a collection, with the texts, ids and titles of tables and records."""
    vectors = vectors_of(documents, embeddings), vectors_of(universum, universum_embeddings)
    if holds_fields(documents):
        corpus = texts_of(documents)
        documents = corpus.texts
        ids, titles = corpus.ids if ids is None else ids, corpus.titles if titles is None else titles
    if universum is not None and holds_fields(universum):
        universum = texts_of(universum, name="universum").texts
    return Inputs(documents, ids, titles, universum, *vectors)


# --- The form of output tables

_LIBRARIES = ("pandas", "polars")


@dataclass(frozen=True)
class Form:
    """The form of output tables: the input's DataFrame library and index; None for other inputs."""

    library: str | None = None
    index: Any = None

    @classmethod
    def of(cls, table: Any) -> Self:
        """Return the form for an input.

        >>> Form.of(["a text"])
        Form(library=None, index=None)
        """
        library = type(table).__module__.partition(".")[0]
        if library not in _LIBRARIES:
            return cls()
        return cls(library, getattr(table, "index", None) if library == "pandas" else None)  # an array has none
