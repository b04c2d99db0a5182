"""What a fitted `DocumentClustering` shows of its groups, an explanation of any text, and a session that goes on."""

from __future__ import annotations

from html import escape
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..errors import NoDocumentsError
from ..model import DocumentClustering as Core
from ..session import Past, Session
from ..session.by_number import ByNumber
from ..session.summary import shown_by
from ..text.reading.collection import Corpus
from .explanation import Explanation, explain
from .showable import Showable


class Shown(Showable, Core):
    """The part of `DocumentClustering` that shows its groups, while it has the documents that it was fitted on."""

    _corpus: Corpus
    _given: tuple[Any, Any, Any]

    def explain(self, text: str, *, embeddings: Any = None) -> Explanation:
        """Return why a text is in its group: the words that put it there, the second best group, documents like it.

        Parameters
        ----------
        text : str
        embeddings : (1, d) array, default None
            As for `predict`.

        Returns
        -------
        Explanation

        Raises
        ------
        NoDocumentsError
            The model was loaded.
        """
        return explain(self, self._summed(), text, embeddings)

    @property
    def session(self) -> Session:
        """A session that goes on from these groups: `session.begin()` is their version, `session.fit(decisions,
        start=version)` the next.

        Raises NoDocumentsError for a model that was loaded.
        """
        self._summed()
        embeddings, universum, vectors = self._given
        past = Past.of_model(self, self._corpus.ids, self._corpus.texts)
        return Session.after(
            past, self._corpus.texts, ids=self._corpus.ids, titles=self._corpus.titles, universum=universum,
            embeddings=embeddings, universum_embeddings=vectors,
        )  # fmt: skip

    def __dir__(self) -> list[str]:
        """The names there are, without looking at what is behind them: completion shall not sum up a collection."""
        return sorted(object.__dir__(self))

    def _repr_html_(self) -> str:
        """The groups, for a notebook; the parameters before `fit`, of a loaded model, and where no scores are told."""
        if not hasattr(self, "_corpus"):
            return str(self._repr_html_inner())
        if not hasattr(self.clusterer_, "decision_function"):
            return f"<pre>{escape(repr(self))}</pre>"  # scikit-learn's own asks for every property, tables among them
        return super()._repr_html_()

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _made_of(self) -> tuple[Core, ByNumber, Corpus]:
        check_is_fitted(self)
        if not hasattr(self, "_corpus"):
            raise NoDocumentsError("this model was loaded, or made by a session: it has no documents; fit it on some")
        self._has("decision_function")
        return self, shown_by(self), self._corpus
