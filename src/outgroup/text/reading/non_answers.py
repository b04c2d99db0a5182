"""Texts that say that there is none: what people write into a field that they have nothing to say in."""

from __future__ import annotations

import re

NO_ANSWER = "no answer, such as n/a"

_LONGEST = 40  # signs: nothing longer is looked at
_BETWEEN = re.compile(r"[\W_]+")
_SAID = frozenset(
    re.split(
        r",\s+",
        """na, n a, none, no, nope, nil, null, nan, nothing, no answer, no comment, no comments, no response,
        not applicable, not available, nothing to add, no further comments, nein, keine, nichts, nix, ka, k a, entfällt,
        keine angabe, keine angaben, keine antwort, keine anmerkung, keine anmerkungen, kein kommentar,
        nicht zutreffend, non, rien, rien à signaler, ras, aucun, aucune, néant, sans objet, sans réponse,
        pas de commentaire, nada, ninguno, ninguna, sin respuesta, sin comentarios, no aplica, ns nc, niente, nessuno,
        nessuna, nessuna risposta, nenhum, nenhuma, sem resposta, sem comentários, não se aplica, nee, geen, niets, nvt,
        n v t, niet van toepassing, geen antwoord, geen opmerkingen, nie, brak, brak uwag, nie dotyczy, нет, ничего, 无,
        没有, 特になし, 없음""",
    )
)


def is_non_answer(text: str) -> bool:
    """Return whether a whole text says that there is no answer, in a language of many surveys.

    Examples
    --------
    >>> is_non_answer("k.A."), is_non_answer(" N/A "), is_non_answer("None of the trains came")
    (True, True, False)
    """
    text = text.strip()
    return len(text) <= _LONGEST and " ".join(_BETWEEN.sub(" ", text.casefold()).split()) in _SAID
