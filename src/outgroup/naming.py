"""Names of groups: phrases of their texts, or answers of a namer such as a chat model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
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

    documents: int = 200  # of a group that are read, evenly spaced
    letters: int = 1_000  # of each of them
    longest: int = 3  # words of a phrase
    most: int = 3  # words of a name, unless another group has the same
    floor: float = 0.3  # share of the best word's value that each word of a phrase must pass to raise it
    cohesion: float = 0.25  # power of the share of a phrase among its rarest word's documents
    support: float = 0.05  # share of the group's documents that hold a phrase of several words, at least
    fewest: int = 2  # of these documents
    second: float = 0.3  # share of the best word's value from which a word joins the phrase
    near: int = 20  # words of a group, of the highest values, that the encoder reads
    read: int = 10  # documents of a group that it reads, evenly spaced
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


def phrase_names(
    texts: Sequence[str],
    labels: Array,
    k: int,
    analyser: Analyser | None = None,
    *,
    taken: Iterable[str] = (),
    encode: Encode | None = None,
) -> list[str]:
    """Return a name for each of k groups: a phrase that is frequent in its documents and rare in others.

    Parameters
    ----------
    texts : sequence of n str
    labels : (n,) int array
        The group of each text, 0 to k - 1; -1 for none.
    k : int
    analyser : `Analyser`, default English
        Its stop words, stemmer and segmentation apply.
    taken : iterable of str, default none
        Names that other groups have.
    encode : callable, default None
        Returns a unit vector for each text, (m, d); words near the group's documents are then preferred.

    Returns
    -------
    list of k str
        In the spelling of the texts, distinct; "" for a group without a word.

    Notes
    -----
    The value of a word is the share of the group's documents that hold it, minus that of the other groups' documents.
    A phrase is a run of one to three words without a stop word or a punctuation mark. Its value is the sum of the
    values of its words, less 0.3 of the highest word's value for each, times c^0.25, where c is the value of the phrase
    over that of its least word. Further words join the best phrase, up to three in all, until one has less than 0.3 of
    the highest value. With an encoder the values, but for this bound, are multiplied by 0.3 + 0.7 c, where c is the
    cosine of the word and the group's documents over the highest of the group, so that words such as "please" rarely
    enter a name.

    Examples
    --------
    >>> texts = ["Mobile phones are cheap", "His mobile phones ring", "It was the night train", "Night trains are late"]
    >>> phrase_names(texts, np.array([0, 0, 1, 1]), 2)
    ['mobile phones, cheap', 'night train, late']
    """
    drawn = _drawn(labels, k)
    phrases = _Phrases.of([texts[row] for row in drawn.tolist()], analyser or Analyser())
    if not phrases.counts.shape[1]:
        return [""] * k
    values = phrases.values(labels[drawn], k)
    inside = [np.flatnonzero(labels[drawn] == group) for group in range(k)]
    if encode is None:
        factors = np.ones((k, phrases.n_words))
    else:
        read = [[texts[row] for row in drawn[_spaced(each, _NAMING.read)].tolist()] for each in inside]
        factors = phrases.nearness(values, read, encode)
    words = [_Words(phrases, *each) for each in zip(values, factors, inside, strict=True)]
    return _distinct(words, {name.lower() for name in taken})


def _drawn(labels: Array, k: int) -> Array:
    """Return the indices of the documents that are read, at most 200 per group."""
    order = np.argsort(labels, kind="stable")
    edges = np.searchsorted(labels[order], np.arange(k + 1))
    parts = [order[start:end] for start, end in pairwise(edges)]
    few = [_spaced(part, _NAMING.documents) for part in parts]
    return np.sort(np.concatenate(few)) if few else np.zeros(0, dtype=int)


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
        content = np.array([low not in stop and _names_something(token) for low, token in pairs], dtype=bool)[tokens]
        continues = np.append(content[1:] & content[:-1] & (document[1:] == document[:-1]) & ~apart[1:], False)
        # 3. Occurrences of words, then of longer phrases: each extends a frequent phrase by the next word.
        single = np.full((len(stems), _NAMING.longest), -1)
        single[:, 0] = np.arange(len(stems))
        found = [(np.flatnonzero(content), word[content], single)]
        while len(found) < _NAMING.longest:
            found.append(_extended(*found[-1], len(found), word, continues))
        # 4. All lengths together, words first, and the documents that hold each phrase.
        starts, numbers, every = zip(*found, strict=True)
        offsets = np.cumsum([0, *map(len, every)])
        start = np.concatenate(starts)
        number = np.concatenate([each + offset for each, offset in zip(numbers, offsets, strict=False)])
        holds = sp.csr_matrix((np.ones(len(start)), (document[start], number)), shape=(len(texts), offsets[-1]))
        holds.data[:] = 1.0
        return cls(tokens, spellings, glue, start, document[start], number, np.concatenate(every), holds)

    def values(self, groups: Array, k: int) -> Array:
        """Return the share of each group's documents with a phrase minus the share of other documents, (k, phrases)."""
        members = sp.csr_matrix((np.ones(len(groups)), (groups, np.arange(len(groups)))), shape=(k, len(groups)))
        inside, sizes = (members @ self.counts).toarray(), np.bincount(groups, minlength=k)[:, None]
        outside = inside.sum(axis=0) - inside
        return np.asarray(inside / np.maximum(sizes, 1) - outside / np.maximum(sizes.sum() - sizes, 1))

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
        chosen, best = np.zeros(values.shape, dtype=bool), np.argsort(-values, axis=1, kind="stable")
        np.put_along_axis(chosen, best[:, : _NAMING.near], True, axis=1)
        chosen &= values > 0
        words, every = np.flatnonzero(chosen.any(axis=0)), np.arange(self.counts.shape[0])
        forms = [self.spelled(word, every) for word in words.tolist()]
        vectors = encode([*forms, *chain.from_iterable(texts)])
        edges = np.cumsum([len(forms), *map(len, texts)])
        factors = np.full(values.shape, _NAMING.far)
        for group, (start, end) in enumerate(pairwise(edges.tolist())):
            own = chosen[group, words]
            if not own.any():
                continue
            cosines = np.maximum(vectors[: len(forms)][own] @ vectors[start:end].sum(axis=0), 0.0)
            factors[group, words[own]] += (1 - _NAMING.far) * cosines / max(float(cosines.max()), 1e-9)
        return factors

    def spelled(self, phrase: int, documents: Array) -> str:
        """Return the most frequent spelling of a phrase in some documents, in lower case if that is common."""
        order, edges = self._places
        places = order[edges[phrase] : edges[phrase + 1]]
        places = self.start[places[np.isin(self.document[places], documents)]]
        length = int((self.parts[phrase] >= 0).sum())
        forms = Counter(self._form(place, length) for place in places.tolist())
        small = max(((count, form) for form, count in forms.items() if form == form.lower()), default=(0, ""))
        most = max((count, form) for form, count in forms.items())
        return small[1] if 4 * small[0] >= sum(forms.values()) else most[1]

    def _form(self, place: int, length: int) -> str:
        pieces = [self.spellings[self.tokens[place]]]
        for at in range(place + 1, place + length):
            pieces += ["" if self.glue[at] else " ", self.spellings[self.tokens[at]]]
        return _OWNER.sub("", "".join(pieces))


def _extended(
    start: Array, number: Array, parts: Array, length: int, word: Array, continues: Array
) -> tuple[Array, Array, Array]:
    """Return the frequent phrases of `length` + 1 words that extend phrases of `length` words.

    Of both, `start` is the first token of each occurrence, `number` its phrase, and `parts` the words of the phrases.
    `word` is the word of each token, and `continues` whether the next token may belong to the same phrase.
    """
    goes_on, base = continues[start + length - 1], int(word.max(initial=0)) + 1
    start, number = start[goes_on], number[goes_on]
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
    read = Tokens.of([text[: _NAMING.letters] for text in texts])
    document = np.repeat(np.arange(len(texts)), np.diff(read.ends, prepend=0))
    # 1. Addresses name nothing, and part their neighbours.
    named = read.gaps < ADDRESS
    gaps = np.where(np.append(False, ~named[:-1]), APART, read.gaps)[named] if len(named) else read.gaps
    words, document = read.words[named], document[named]
    # 2. Words with a hyphen or an apostrophe between them are one.
    start = np.flatnonzero(gaps < HYPHEN)
    ends = np.append(start[1:], len(words))
    known = {form: number for number, form in enumerate(read.forms)}
    tokens, apart, document = words[start].astype(int), gaps[start] == APART, document[start]
    for place in np.flatnonzero(ends - start > 1).tolist():
        span = slice(start[place], ends[place])
        pairs = zip(gaps[span].tolist(), words[span].tolist(), strict=True)
        spelling = "".join(f"{'-' if gap == HYPHEN else chr(39)}{read.forms[word]}" for gap, word in pairs)[1:]
        tokens[place] = known.setdefault(spelling, len(known))
    spellings = list(known)
    if "".join(spellings).isascii() or not UNSPACED.search("".join(spellings)):
        return tokens, spellings, document, apart, np.zeros(len(tokens), dtype=bool)
    # 3. Pieces of words in scripts without spaces; overlapping pairs of characters do not make a phrase.
    cut, together = analyser.cut(), analyser.segmentation == "words"
    parts = [[part for piece, bare in runs(word) for part in (cut(piece) if bare else [piece])] for word in spellings]
    counts = np.fromiter(map(len, parts), dtype=np.int64)
    known = {part: number for number, part in enumerate(dict.fromkeys(chain.from_iterable(parts)))}
    flat = np.array([known[part] for each in parts for part in each], dtype=int)
    index, _ = expanded(tokens, np.array([len(tokens)]), counts)
    repeats = counts[tokens]
    glue = np.ones(len(index), dtype=bool)
    glue[(np.cumsum(repeats) - repeats)[repeats > 0]] = False
    apart = np.where(glue, not together, np.repeat(apart, repeats))
    return flat[index], list(known), np.repeat(document, repeats), apart, glue


def _names_something(token: str) -> bool:
    """Return whether a word may occur in a name; single letters and abbreviations such as "bn" or "Mr" may not.

    >>> [_names_something(word) for word in ("tea", "x", "bn", "NHL", "茶", "Öl")]
    [True, False, False, True, True, True]
    """
    if not token.isascii():
        return len(token) > 1 or UNSPACED.match(token) is not None
    return len(token) > 1 and (_VOWEL.search(token) is not None or token.isupper())


@dataclass
class _Words:
    """The words of a group's name: the best phrase, then further words by descending `value` times `factor`.

    `value` (phrases,) is that of `_Phrases.values`, and `factor` (words,) that of `_Phrases.nearness`.
    """

    phrases: _Phrases
    value: Array
    factor: Array
    documents: Array
    chosen: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        parts, single = self.phrases.parts, self.value[: self.phrases.n_words]
        weighed = single * self.factor
        self.order = np.argsort(-weighed, kind="stable").tolist()
        top = float(weighed.max(initial=0.0))
        if top <= 0:
            return
        own = np.where(parts >= 0, weighed[np.maximum(parts, 0)], 0.0)
        least = np.where(parts >= 0, single[np.maximum(parts, 0)], np.inf).min(axis=1)
        held = np.clip(self.value / np.maximum(least, 1e-9), 0.0, 1.0)
        worth = (own - _NAMING.floor * top * (parts >= 0)).sum(axis=1) * held**_NAMING.cohesion
        often = np.asarray(self.phrases.counts[self.documents].sum(axis=0)).ravel()
        rare = often < max(_NAMING.fewest, _NAMING.support * len(self.documents))
        worth[(least <= 0) | ((parts[:, 1] >= 0) & rare) | _repeated(parts)] = -np.inf
        self.chosen = [int(worth.argmax())]
        while self.n_words < _NAMING.most and self.extend(_NAMING.second * float(single.max())):
            pass

    @property
    def n_words(self) -> int:
        return int((self.phrases.parts[self.chosen] >= 0).sum())

    def extend(self, least: float = 0.0) -> bool:
        """Add the next word with a value above `least`; return whether there was one.

        It shares no part with the others: beside "top-up", "top" says nothing.
        """
        held, parts = set(self.phrases.parts[self.chosen].ravel().tolist()), _parts(str(self))
        free = takewhile(lambda word: self.value[word] > least, (each for each in self.order if each not in held))
        word = next((each for each in free if not parts & _parts(self.phrases.spelled(each, self.documents))), None)
        if word is None:
            return False
        self.chosen.append(word)
        return True

    def __str__(self) -> str:
        return ", ".join(self.phrases.spelled(phrase, self.documents) for phrase in self.chosen)


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


def _distinct(words: Sequence[_Words], taken: set[str]) -> list[str]:
    """Return distinct names: names that are already `taken`, ignoring case, get further words."""
    names = []
    for each in words:
        while (name := str(each)) and name.lower() in taken and each.extend():
            pass
        taken.add(name.lower())
        names.append(name)
    return names


# --- Names by a namer, perhaps of another program: its answers are not trusted

_PROMPT = """\
Give a short name (two to four words, no quotes) to a group of documents.
Words of the group: {words}
Documents of the group:
{texts}
Names of the other groups: {siblings}
Answer in the language of the documents, with the name alone."""


def names_by(namer: Namer, briefs: list[GroupBrief]) -> list[Name]:
    """Return the names from a namer, made distinct, each on one line with at most 60 characters.

    A namer that raises an error or returns anything else is reported by a warning: the groups keep their offline names.

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
    given = [each if isinstance(each, Name) else Name(each) for each in _answers(namer, briefs)]
    names: list[Name] = []
    taken: set[str] = set()
    for brief, each in zip(briefs, given, strict=True):
        text = one_line(each.text, _NAMING.name_letters) or brief.name
        if text.lower() in taken:
            text = f"{text} ({brief.name})" if brief.name.lower() != text.lower() else f"{text} ({brief.number})"
        taken.add(text.lower())
        names.append(Name(text, one_line(each.description, 10 * _NAMING.name_letters)))
    return names


def _answers(namer: Namer, briefs: list[GroupBrief]) -> list[str | Name]:
    """Return the answers of a namer, or empty ones with a warning."""
    try:
        given = list(islice(namer(briefs), len(briefs) + 1))
        if len(given) == len(briefs) and all(map(_is_name, given)):
            return given
        fault = f"it must return {len(briefs)} strings or Names, one for each group"
    except Exception as error:  # a long fit precedes: no fault of other code ends the run
        fault = fault_of(error)
    warn(f"the namer failed ({fault}); phrases name the groups")
    return [""] * len(briefs)


def _is_name(given: object) -> bool:
    parts = (given.text, given.description) if isinstance(given, Name) else (given,)
    return all(isinstance(part, str) for part in parts)


@dataclass
class ChatNamer(Chat):
    """A namer that asks a chat model for a name, with one request per group (extra `llm`).

    It sends words and texts of your documents to the address; `sent` lists all of it.

    Parameters
    ----------
    base_url, model, api_key_env, timeout, retries, seed
        As in `Chat`; groups without an answer in time keep their automatic names.
    prompt : str
        With the fields {words}, {texts}, {siblings}, {size} and {number}.
    n_texts : int, default 5
        Number of documents of a group to send.
    letters : int, default 300
        Characters of each of them.

    Attributes
    ----------
    sent : list of dict
        For each group: its number, the prompt, and the fields of the `Reply`.

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
        prompts = [self.prompt_of(each) for each in briefs]
        replies = self.ask(prompts)
        every = zip(briefs, prompts, replies, strict=True)
        self.sent += [{"number": each.number, "prompt": prompt} | asdict(reply) for each, prompt, reply in every]
        return [reply.answer for reply in replies]

    def prompt_of(self, brief: GroupBrief) -> str:
        """Return the text that is sent about a group."""
        values = {
            "words": ", ".join(word for word, _ in brief.words[:10]),
            "texts": "\n".join(f"- {' '.join(text.split())[: self.letters]}" for text in brief.texts[: self.n_texts]),
            "siblings": "; ".join(brief.siblings),
            "size": str(brief.size),
            "number": str(brief.number),
        }
        # In one pass: braces in a document are not fields.
        return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), self.prompt)
