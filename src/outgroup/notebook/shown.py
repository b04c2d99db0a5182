"""What a fitted `DocumentClustering` shows of its groups, an explanation of any text, and a session that goes on."""

from __future__ import annotations

from html import escape
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ..errors import NoDocumentsError
from ..model import DocumentClustering as Core
from ..report.summary import described
from ..session import Past, Session
from ..session.reporting.arrays_by_number import ByNumber
from ..session.reporting.summary import groups_of, labelled_away, shown_by
from ..text.reading.documents import Corpus
from .explanation import Explanation, explain
from .showable import Showable


class ShownModel(Showable, Core):
    """The part of `DocumentClustering` that shows its groups, while it has the documents that it was fitted on."""

    _corpus: Corpus
    _given: tuple[Any, Any, Any]

    def explain(self, text: str, *, embeddings: Any = None) -> Explanation:
        """Return why a text is in its group: the words that put it there, the second best group, documents like it.

        A model that was loaded has no documents, and names none.

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
        InputError
            Not one text; or the clusterer, another library's, tells no scores.
        """
        check_is_fitted(self)
        self._has("decision_function")
        return explain(self, [each["name"] for each in self._described()], text, embeddings)

    def to_state(self) -> dict[str, Any]:
        """Return the fitted model as plain values and arrays.

        Returns
        -------
        dict
            What `from_state` takes.
        """
        check_is_fitted(self)
        if hasattr(self, "_corpus") and hasattr(self.clusterer_, "decision_function"):
            self._described()
        return super().to_state()

    def _described(self) -> list[dict[str, Any]]:
        """Return what is told of the groups, and of how far to trust them where that was found."""
        if hasattr(self, "_corpus") and self._summary is not None:
            self._description = described(self._summary.groups)
        elif self._description is None:
            if not hasattr(self, "_corpus"):
                raise NoDocumentsError("this model was saved without its groups' words: fit it on documents")
            self._description = described(groups_of(self._corpus, self, shown_by(self, self._corpus.texts)))
        return self._description

    def _known(self) -> tuple[dict[int, dict[str, Any]], int]:
        check_is_fitted(self)
        if hasattr(self, "_corpus"):
            return super()._known()
        known = dict(zip(self.numbers_.tolist(), self._described(), strict=True))
        inside = sum(each["size"] for each in known.values())  # a stream's, of which labels are those of a sample
        rows = self.kept_ | labelled_away(self)
        return known, max(0, int(rows.sum()) - inside)

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
        """The groups, for a notebook; the parameters before `fit`, and where no scores are told."""
        if not hasattr(self, "_corpus"):
            return str(self._repr_html_inner()) if self._description is None else super()._repr_html_()
        if not hasattr(self.clusterer_, "decision_function"):
            return f"<pre>{escape(repr(self))}</pre>"  # scikit-learn's own asks for every property, tables among them
        return super()._repr_html_()

    def _repr_mimebundle_(self, **kinds: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def _made_of(self) -> tuple[Core, ByNumber, Corpus]:
        check_is_fitted(self)
        if not hasattr(self, "_corpus"):
            raise NoDocumentsError(
                "this model was loaded, and has no documents, which this needs: fit it on some; its topics, explain, "
                "predict, score and transform need none"
            )
        self._has("decision_function")
        return self, shown_by(self, self._corpus.texts), self._corpus
