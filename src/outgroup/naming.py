"""Names of groups: phrases of their texts, or answers of a namer such as a chat model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, field
from functools import cache, cached_property, partial
from itertools import chain, islice, pairwise, takewhile
from typing import Any

import numpy as np
import scipy.sparse as sp

from .chat import Chat, fault_of, one_line
from .errors import InputError, warn
from .text.counts import Analyser, expanded
from .text.embeddings import Encode
from .text.tokenizer import UNSPACED, in_lower_case, runs, stem
from .text.tokens import ADDRESS, APART, HYPHEN, Tokens
from .types import Array


@dataclass(frozen=True)
class _Constants:
    """Constants, chosen on 20 Newsgroups, banking77 and Reuters (`bench names`); other collections took no part."""

    documents: int = 200  # read of a group, evenly spaced
    letters: int = 1_000  # read of a document
    longest: int = 3  # words of a phrase
    most: int = 3  # words of a name, unless another group has the same
    floor: float = 0.3  # share of the best value above which a word raises the value of a phrase
    cohesion: float = 0.25  # power of the share of a phrase among its rarest word's documents
    support: float = 0.05  # share of the group's documents that hold a phrase of several words, at least
    fewest: int = 2  # of these documents
    second: float = 0.3  # share of the best value above which a word joins the phrase, or is a word of the group
    near: int = 20  # words of a group with the highest values, encoded
    read: int = 10  # documents of a group, evenly spaced, encoded
    far: float = 0.3  # factor of the value of other words, and of words with a cosine of 0
    name_letters: int = 60  # of a namer's answer


_NAMING = _Constants()
_OWNER = re.compile("'s?$")
_VOWEL = re.compile("[aeiouy]", re.IGNORECASE)


@dataclass(frozen=True)
class GroupBrief:
    """The data about a group that a namer receives.

    Attributes
    ----------
    number : int
        The number of the group.
    name : str
        Its offline name.
    size : int
        Number of its documents.
    words : tuple of (str, float)
        Its words with their weights, the largest first.
    texts : tuple of str
        Representative documents, the most typical first.
    siblings : tuple of str
        The offline names of the other groups.
    """

    number: int
    name: str
    size: int
    words: tuple[tuple[str, float], ...] = ()
    texts: tuple[str, ...] = ()
    siblings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Name:
    """A name and a longer description."""

    text: str
    description: str = ""


Namer = Callable[[list[GroupBrief]], Sequence["str | Name"]]
"""Returns a name for each brief; an empty one keeps the offline name."""


# --- Offline names


def group_words(
    texts: Sequence[str],
    labels: Array,
    k: int,
    analyser: Analyser | None = None,
    *,
    taken: Iterable[str] = (),
    encode: Encode | None = None,
) -> list[GroupWords]:
    """Return the words and the name of each of k groups: a phrase that is frequent in its documents and rare in others.

    Parameters
    ----------
    texts : sequence of n str
    labels : (n,) int array
        The groups of the texts, 0 to k - 1; -1 for none.
    k : int
    analyser : `Analyser`, default English
        Its stop words, stemmer and segmentation apply.
    taken : iterable of str, default none
        Names that other groups have.
    encode : callable, default None
        Returns a unit vector for each text, (m, d); words near the group's documents are then preferred.

    Returns
    -------
    list of k GroupWords
        `str` gives the name in the spelling of the texts, distinct; "" for a group without a word.

    Notes
    -----
    The value of a word is (p - q) sqrt(1 - q / p), where p is the share of the group's documents that hold it, and q
    that of the other groups' documents: words that are frequent everywhere have low values.
    A phrase is a run of one to three words without a stop word or a punctuation mark. Its value is the sum of the
    values of its words, less 0.3 of the highest word's value for each, times c^0.25, where c is the value of the phrase
    over that of its least word. Further words join the best phrase, up to three in all, until one has less than 0.3 of
    the highest value. With an encoder the values, but for this bound, are multiplied by 0.3 + 0.7 c, where c is the
    cosine of the word and the group's documents over the highest of the group, so that words such as "please" rarely
    enter a name.

    Examples
    --------
    >>> texts = ["Mobile phones are cheap", "His mobile phones ring", "It was the night train", "Night trains are late"]
    >>> phones, trains = group_words(texts, np.array([0, 0, 1, 1]), 2)
    >>> str(phones), str(trains)
    ('mobile phones, cheap', 'night train, late')
    >>> phones.ranked()
    [('mobile', 1.0), ('phones', 1.0), ('cheap', 0.5), ('ring', 0.5)]
    """
    sample = _sample(labels, k)
    phrases = _Phrases.of([texts[row] for row in sample.tolist()], analyser or Analyser())
    values = phrases.values(labels[sample], k)
    members = [np.flatnonzero(labels[sample] == group) for group in range(k)]
    if encode is None or not phrases.n_words:
        factors = np.ones((k, phrases.n_words))
    else:
        samples = [[texts[row] for row in sample[_spaced(rows, _NAMING.read)].tolist()] for rows in members]
        factors = phrases.nearness(values, samples, encode)
    groups = [GroupWords(phrases, *of_group) for of_group in zip(values, factors, members, strict=True)]
    used = {name.lower() for name in taken}
    for group in groups:  # a name that is taken, ignoring case, gets further words
        while (name := str(group)) and name.lower() in used and group.extend():
            pass
        used.add(name.lower())
    return groups


def _sample(labels: Array, k: int) -> Array:
    """Return the indices of at most 200 documents per group."""
    order = np.argsort(labels, kind="stable")
    edges = np.searchsorted(labels[order], np.arange(k + 1))
    parts = [order[start:end] for start, end in pairwise(edges)]
    samples = [_spaced(part, _NAMING.documents) for part in parts]
    return np.sort(np.concatenate(samples)) if samples else np.zeros(0, dtype=int)


def _spaced(values: Array, most: int) -> Array:
    """Return at most `most` of the values, evenly spaced.

    >>> _spaced(np.arange(10), 3).tolist(), _spaced(np.arange(2), 3).tolist()
    ([0, 4, 9], [0, 1])
    """
    return values[np.unique(np.linspace(0, len(values) - 1, min(len(values), most)).astype(int))]


@dataclass(frozen=True)
class _Phrases:
    """The phrases of m documents; each occurrence has a first token `start`, a `document` and a phrase `number`.

    Occurrence i starts at the token `start[i]`. `tokens` are indices in `spellings`; `glue` marks tokens that follow
    their predecessor without a space. `parts` (phrases, 3) has the words of each phrase, padded by -1; single words
    come first. `counts` (m, phrases) is 1 where a document contains a phrase.
    """

    tokens: Array
    spellings: list[str]
    glue: Array
    start: Array
    document: Array
    number: Array
    parts: Array
    counts: Any

    @classmethod
    def of(cls, texts: Sequence[str], analyser: Analyser) -> _Phrases:
        """Return the words of the texts, and their frequent phrases of two and three words."""
        # 1. Tokens; the word of a token is the stem of its spelling.
        tokens, spellings, document, apart, glue = _tokens(texts, analyser)
        lowered = [_OWNER.sub("", spelling) for spelling in in_lower_case(spellings, analyser.language)]
        stems, stem_of = np.unique(np.array(stem(lowered, analyser.language), dtype=str), return_inverse=True)
        word = stem_of[tokens]
        # 2. A phrase is a run of content words, without a punctuation mark between them.
        pairs, stop = zip(lowered, spellings, strict=True), analyser.dropped()
        content = np.array([_may_name(token) and not _is_function_word(low, stop) for low, token in pairs], dtype=bool)
        content = content[tokens]
        continues = np.append(content[1:] & content[:-1] & (document[1:] == document[:-1]) & ~apart[1:], False)
        # 3. Occurrences of words, then of longer phrases, which extend frequent phrases by the next word.
        single = np.full((len(stems), _NAMING.longest), -1)
        single[:, 0] = np.arange(len(stems))
        levels = [(np.flatnonzero(content), word[content], single)]
        while len(levels) < _NAMING.longest:
            levels.append(_extended(*levels[-1], len(levels), word, continues))
        # 4. All lengths together, words first, and the documents with each phrase.
        starts, numbers, parts = zip(*levels, strict=True)
        offsets = np.cumsum([0, *map(len, parts)])
        start = np.concatenate(starts)
        number = np.concatenate([index + offset for index, offset in zip(numbers, offsets, strict=False)])
        counts = sp.csr_matrix((np.ones(len(start)), (document[start], number)), shape=(len(texts), offsets[-1]))
        counts.data[:] = 1.0
        return cls(tokens, spellings, glue, start, document[start], number, np.concatenate(parts), counts)

    def values(self, groups: Array, k: int) -> Array:
        """Return the values of the phrases for each group (see `group_words`), (k, phrases)."""
        members = sp.csr_matrix((np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(k, len(groups)))
        inside, sizes = (members @ self.counts).toarray(), np.bincount(groups, minlength=k)[:, None]
        outside = (inside.sum(axis=0) - inside) / np.maximum(sizes.sum() - sizes, 1)
        inside /= np.maximum(sizes, 1)
        lift = inside - outside
        return np.asarray(lift * np.sqrt(np.abs(lift) / np.maximum(inside, 1e-9)))

    @cached_property
    def n_words(self) -> int:
        """The number of single words, the first phrases."""
        return int((self.parts[:, 1] < 0).sum())

    @cached_property
    def _places(self) -> tuple[Array, Array]:
        """The occurrences sorted by phrase, and the edges of the phrases."""
        order = np.argsort(self.number, kind="stable")
        return order, np.searchsorted(self.number[order], np.arange(len(self.parts) + 1))

    def nearness(self, values: Array, texts: Sequence[Sequence[str]], encode: Encode) -> Array:
        """Return the factor of each word in each of k groups with these `values` and texts, (k, words)."""
        values = values[:, : self.n_words]
        candidates, best = np.zeros(values.shape, dtype=bool), np.argsort(-values, axis=1, kind="stable")
        np.put_along_axis(candidates, best[:, : _NAMING.near], True, axis=1)
        candidates &= values > 0
        words, documents = np.flatnonzero(candidates.any(axis=0)), np.arange(self.counts.shape[0])
        forms = [self.spelled(word, documents) for word in words.tolist()]
        vectors = encode([*forms, *chain.from_iterable(texts)])
        edges = np.cumsum([len(forms), *map(len, texts)])
        factors = np.full(values.shape, _NAMING.far)
        for group, (start, end) in enumerate(pairwise(edges.tolist())):
            of_group = candidates[group, words]
            if not of_group.any():
                continue
            cosines = np.maximum(vectors[: len(forms)][of_group] @ vectors[start:end].sum(axis=0), 0.0)
            factors[group, words[of_group]] += (1 - _NAMING.far) * cosines / max(float(cosines.max()), 1e-9)
        return factors

    def spelled(self, phrase: int, documents: Array) -> str:
        """Return the most frequent spelling of a phrase in some documents, in lower case if that is common."""
        order, edges = self._places
        occurrences = order[edges[phrase] : edges[phrase + 1]]
        occurrences = self.start[occurrences[np.isin(self.document[occurrences], documents)]]
        length = int((self.parts[phrase] >= 0).sum())
        forms = Counter(self._form(place, length) for place in occurrences.tolist())
        lowered = max(((count, form) for form, count in forms.items() if form == form.lower()), default=(0, ""))
        most = max((count, form) for form, count in forms.items())
        return lowered[1] if 4 * lowered[0] >= sum(forms.values()) else most[1]

    def _form(self, place: int, length: int) -> str:
        parts = [self.spellings[self.tokens[place]]]
        for at in range(place + 1, place + length):
            parts += ["" if self.glue[at] else " ", self.spellings[self.tokens[at]]]
        return _OWNER.sub("", "".join(parts))


def _extended(
    start: Array, number: Array, parts: Array, length: int, word: Array, continues: Array
) -> tuple[Array, Array, Array]:
    """Return the frequent phrases of `length` + 1 words that extend phrases of `length` words.

    In both, `start` is the first token of each occurrence, `number` its phrase, and `parts` the words of the phrases.
    `word` is the word of each token, and `continues` whether the next token may belong to the same phrase.
    """
    extends, base = continues[start + length - 1], int(word.max(initial=0)) + 1
    start, number = start[extends], number[extends]
    pairs, number, counts = np.unique(number * base + word[start + length], return_inverse=True, return_counts=True)
    frequent = counts >= _NAMING.fewest
    kept, place = frequent[number], np.cumsum(frequent) - 1
    shorter, added = np.divmod(pairs[frequent], base)
    longer = parts[shorter]
    longer[:, length] = added
    return start[kept], place[number[kept]], longer


def _tokens(texts: Sequence[str], analyser: Analyser) -> tuple[Array, list[str], Array, Array, Array]:
    """Return the tokens of all texts, as arrays that `_Phrases` needs.

    They are the spelling index of each token, the spellings, the document of each token, and two masks: whether a token
    is separated from the token before it, and whether it follows that token without a space.
    """
    raw = Tokens.of([text[: _NAMING.letters] for text in texts], numbers=True)
    document = np.repeat(np.arange(len(texts)), np.diff(raw.ends, prepend=0))
    # 1. Addresses are not names, and separate their neighbours.
    named = raw.gaps < ADDRESS
    gaps = np.where(np.append(False, ~named[:-1]), APART, raw.gaps)[named] if len(named) else raw.gaps
    words, document = raw.words[named], document[named]
    # 2. Words with a hyphen or an apostrophe between them are one.
    start = np.flatnonzero(gaps < HYPHEN)
    ends = np.append(start[1:], len(words))
    numbers = {form: number for number, form in enumerate(raw.forms)}
    tokens, apart, document = words[start].astype(int), gaps[start] == APART, document[start]
    for place in np.flatnonzero(ends - start > 1).tolist():
        span = slice(start[place], ends[place])
        pairs = zip(gaps[span].tolist(), words[span].tolist(), strict=True)
        spelling = "".join(f"{'-' if gap == HYPHEN else chr(39)}{raw.forms[word]}" for gap, word in pairs)[1:]
        tokens[place] = numbers.setdefault(spelling, len(numbers))
    spellings = list(numbers)
    if "".join(spellings).isascii() or not UNSPACED.search("".join(spellings)):
        return tokens, spellings, document, apart, np.zeros(len(tokens), dtype=bool)
    # 3. Pieces of words in scripts without spaces; overlapping pairs of characters do not make a phrase.
    cut, together = analyser.cut(), analyser.segmentation == "words"
    parts = [[part for piece, bare in runs(word) for part in (cut(piece) if bare else [piece])] for word in spellings]
    counts = np.fromiter(map(len, parts), dtype=np.int64)
    numbers = {part: number for number, part in enumerate(dict.fromkeys(chain.from_iterable(parts)))}
    flat = np.array([numbers[part] for pieces in parts for part in pieces], dtype=int)
    index, _ = expanded(tokens, np.array([len(tokens)]), counts)
    repeats = counts[tokens]
    glue = np.ones(len(index), dtype=bool)
    glue[(np.cumsum(repeats) - repeats)[repeats > 0]] = False
    apart = np.where(glue, not together, np.repeat(apart, repeats))
    return flat[index], list(numbers), np.repeat(document, repeats), apart, glue


def _may_name(token: str) -> bool:
    """Return whether a word may occur in a name: no number, single letter or abbreviation such as "bn" or "Mr".

    >>> [_may_name(word) for word in ("tea", "x", "bn", "1st", "NHL", "茶", "Öl")]
    [True, False, False, False, True, True, True]
    """
    if not token.isascii():
        return len(token) > 1 or UNSPACED.match(token) is not None
    return len(token) > 1 and token[0].isalpha() and (_VOWEL.search(token) is not None or token.isupper())


def _is_function_word(word: str, stop: AbstractSet[str]) -> bool:
    """Return whether a word, or each part of a contraction, is a stop word.

    >>> [_is_function_word(word, {"the", "isn"}) for word in ("the", "isn't", "i'm", "o'clock")]
    [True, True, True, False]
    """
    parts = word.split("'")
    return word in stop or (len(parts) > 1 and all(part in stop or len(part) < 2 for part in parts))


@dataclass
class GroupWords:
    """The words of a group; `str` gives its name: the best phrase, then further words by descending `value` times
    `factor`.

    `value` (phrases,) is that of `_Phrases.values`, and `factor` (words,) that of `_Phrases.nearness`.
    """

    phrases: _Phrases
    value: Array
    factor: Array
    documents: Array
    chosen: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.spelled = cache(partial(self.phrases.spelled, documents=self.documents))
        # 1. The words by weighed value; phrases that are not in these documents have none.
        frequency = np.asarray(self.phrases.counts[self.documents].sum(axis=0)).ravel()
        held, single = np.flatnonzero(frequency), self.value[: self.phrases.n_words]
        words, self.weighed = held[held < len(single)], single * self.factor
        self.order = words[np.argsort(-self.weighed[words], kind="stable")].tolist()
        top = float(self.weighed.max(initial=0.0))
        if top <= 0:
            return
        # 2. The phrase of highest worth, then further words.
        parts = self.phrases.parts[held]
        weights = np.where(parts >= 0, self.weighed[np.maximum(parts, 0)], 0.0)
        least = np.where(parts >= 0, single[np.maximum(parts, 0)], np.inf).min(axis=1)
        share = np.clip(self.value[held] / np.maximum(least, 1e-9), 0.0, 1.0)
        worth = (weights - _NAMING.floor * top * (parts >= 0)).sum(axis=1) * share**_NAMING.cohesion
        rare = frequency[held] < max(_NAMING.fewest, _NAMING.support * len(self.documents))
        worth[(least <= 0) | ((parts[:, 1] >= 0) & rare) | _repeated(parts)] = -np.inf
        self.chosen = [int(held[worth.argmax()])]
        while self.n_words < _NAMING.most and self.extend(_NAMING.second * float(single.max())):
            pass

    @property
    def n_words(self) -> int:
        return int((self.phrases.parts[self.chosen] >= 0).sum())

    def ranked(self) -> list[tuple[str, float]]:
        """Return the words with the highest values, known to a vocabulary or not, in the spelling of the texts.

        Returns
        -------
        list of (str, float)
            The highest value first and scaled to 1, at most 20 above 0.3 of it.
        """
        order, top = self.order[: _NAMING.near], float(self.weighed.max(initial=0.0))
        best = [word for word in order if self.weighed[word] > _NAMING.second * top]
        return [(self.spelled(word), round(float(self.weighed[word]) / top, 4)) for word in best]

    def extend(self, least: float = 0.0) -> bool:
        """Add the next word with a value above `least`; return whether there was one.

        It shares no part with the others: beside "top-up", "top" says nothing.
        """
        used, parts = set(self.phrases.parts[self.chosen].ravel().tolist()), _parts(str(self))
        free = takewhile(lambda word: self.value[word] > least, (word for word in self.order if word not in used))
        word = next((word for word in free if not parts & _parts(self.spelled(word))), None)
        if word is None:
            return False
        self.chosen.append(word)
        return True

    def __str__(self) -> str:
        return ", ".join(map(self.spelled, self.chosen))


def _parts(name: str) -> set[str]:
    """Return the letters between spaces and signs, in lower case.

    >>> sorted(_parts("Top-up, card"))
    ['card', 'top', 'up']
    """
    return set(re.findall(r"\w+", name.lower()))


def _repeated(parts: Array) -> Array:
    """Return whether a phrase contains a word twice, (phrases,) bool."""
    ordered = np.sort(parts, axis=1)
    return np.asarray(((ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)).any(axis=1))


# --- Names by a namer, perhaps of another program: its answers are not trusted

_PROMPT = """\
Give a short name (two to four words, no quotes) to a group of documents.
Words of the group: {words}
Documents of the group:
{texts}
Names of the other groups: {siblings}
Answer in the language of the documents, with the name alone."""


def names_by(namer: Namer, briefs: list[GroupBrief]) -> list[Name]:
    """Return distinct names from a namer, cleaned to one line of at most 60 characters.

    If the namer raises an error or returns anything else, warn, and keep the offline names.

    Parameters
    ----------
    namer : callable
        Takes the briefs, and returns a string or a `Name` for each; an empty one keeps the offline name.
    briefs : list of `GroupBrief`

    Returns
    -------
    list of `Name`

    Raises
    ------
    InputError
        The namer is not callable.

    Examples
    --------
    >>> brief = GroupBrief(0, "mobile phones", 12)
    >>> names_by(lambda briefs: ["  Phones\\n" for _ in briefs], [brief])[0].text
    'Phones'
    """
    if not callable(namer):
        raise InputError(f"namer {namer!r:.60} is not valid: give a function of a list of GroupBrief, or a ChatNamer")
    answers = [answer if isinstance(answer, Name) else Name(answer) for answer in _answers(namer, briefs)]
    names: list[Name] = []
    taken: set[str] = set()
    for brief, answer in zip(briefs, answers, strict=True):
        text = one_line(answer.text, _NAMING.name_letters) or brief.name
        if text.lower() in taken:
            text = f"{text} ({brief.name})" if brief.name.lower() != text.lower() else f"{text} ({brief.number})"
        taken.add(text.lower())
        names.append(Name(text, one_line(answer.description, 10 * _NAMING.name_letters)))
    return names


def _answers(namer: Namer, briefs: list[GroupBrief]) -> list[str | Name]:
    """Return the answers of a namer, or empty ones with a warning."""
    try:
        answers = list(islice(namer(briefs), len(briefs) + 1))
        if len(answers) == len(briefs) and all(map(_is_name, answers)):
            return answers
        fault = f"it must return {len(briefs)} strings or Names, one for each group"
    except Exception as error:  # a fit is long: a failure of other code must not end the run
        fault = fault_of(error)
    warn(f"the namer failed ({fault}); phrases name the groups")
    return [""] * len(briefs)


def _is_name(answer: object) -> bool:
    parts = (answer.text, answer.description) if isinstance(answer, Name) else (answer,)
    return all(isinstance(part, str) for part in parts)


@dataclass
class ChatNamer(Chat):
    """A namer that asks a chat model for a name, with one request per group (extra `llm`).

    It sends words and texts of your documents to the address; `sent` lists them.

    Parameters
    ----------
    base_url, model, api_key_env, timeout, retries, seed
        As in `Chat`; groups without an answer in time keep their automatic names.
    prompt : str
        With the fields {words}, {texts}, {siblings}, {size} and {number}.
    n_texts : int, default 5
        Number of documents of a group to send.
    letters : int, default 300
        Characters of a document to send.

    Attributes
    ----------
    sent : list of dict
        By group: its number, the prompt, and the fields of the `Reply`.

    Examples
    --------
    >>> namer = ChatNamer("http://localhost:11434/v1", "llama3.2")
    >>> namer.prompt_of(GroupBrief(0, "tea", 2, (("tea", 1.0),), ("A cup of tea",))).splitlines()[1]
    'Words of the group: tea'
    """

    prompt: str = _PROMPT
    n_texts: int = 5
    letters: int = 300
    sent: list[dict[str, Any]] = field(default_factory=list, repr=False)

    def __call__(self, briefs: list[GroupBrief]) -> list[str]:
        """Return a name for each group; "" if the model does not answer, which keeps the automatic name."""
        prompts = [self.prompt_of(brief) for brief in briefs]
        replies = self.ask(prompts)
        requests = zip(briefs, prompts, replies, strict=True)
        self.sent += [{"number": brief.number, "prompt": prompt} | asdict(reply) for brief, prompt, reply in requests]
        return [reply.answer for reply in replies]

    def prompt_of(self, brief: GroupBrief) -> str:
        """Return the prompt about a group."""
        values = {
            "words": ", ".join(word for word, _ in brief.words[:10]),
            "texts": "\n".join(f"- {' '.join(text.split())[: self.letters]}" for text in brief.texts[: self.n_texts]),
            "siblings": "; ".join(brief.siblings),
            "size": str(brief.size),
            "number": str(brief.number),
        }
        # In one pass: braces in a document are not fields.
        return re.sub(r"\{(\w+)\}", lambda match: values.get(match[1], match[0]), self.prompt)
