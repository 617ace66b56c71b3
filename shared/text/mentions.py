"""Tells whether a text mentions what somebody names, for forgetting: names are matched by names, and words by words.

"May" is no "may", "Bill" no "my bills", "hope" no "hoped", "C++" no "vitamin C". Accents make no difference: "José" is "Jose".
A plural is matched by its singular; no other forms of a word are, for they cross parts of speech.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple
from unicodedata import category, normalize

from shared.text.entities import find_entities
from shared.text.homonyms import HOMONYMS
from shared.text.scripts import UNSPACED
from shared.text.stating import EMPTY
from shared.text.words import pairs_of

_TOKEN = re.compile(rf"[^\W_{UNSPACED}]++(?:['’][^\W_{UNSPACED}]++)*+[+#]*+")
_SIGNED = re.compile(r"[\d+#]")
_POSSESSIVE = re.compile(r"['’]s?$")
_BEFORE_SENTENCE = re.compile(r"(?:^|[.!?:;…\n\"“«(*•-])\s*$")
_SAID_OF = re.compile(
    r", (?:my|our|his|her|their|who)\b"
    r"|(?:['’]s)? (?:is|was|has|had|said|says|told|asked|and I|went|got|made|came|comes|took|lives|lived|likes|loves|works)\b"
)
_BESIDE = 8
_DETERMINERS = frozenset(
    "a an the my your his her its our their this that these those some any no every each".split()  # noqa: SIM905
)
_IRREGULAR_PLURALS = (
    "children/child people/person men/man women/woman mice/mouse feet/foot teeth/tooth geese/goose wives/wife knives/knife"
    " halves/half shelves/shelf thieves/thief wolves/wolf loaves/loaf scarves/scarf calves/calf"
)
_IRREGULAR = {plural: one for plural, _, one in (pair.partition("/") for pair in _IRREGULAR_PLURALS.split())}
_NO_PLURALS = frozenset(
    "news means customs series species physics maths mathematics economics politics does goes was has".split()  # noqa: SIM905
)
_SHORTEST_PLURAL = 4
_FEW = 8


class Fit(IntEnum):
    """How surely a text mentions something."""

    NONE = 0
    LIKELY = 1  # in another form, or in another case
    SURE = 2


class _Token(NamedTuple):
    exact: str  # case folded
    plain: str  # also without accents
    is_capital: bool
    opens: bool  # a sentence, where every word has a capital
    named: bool  # part of an entity that was recognised
    acts: bool  # what follows is said of somebody: `May came`, `Bill, my brother`
    follows: str  # the word before

    @property
    def is_name(self) -> bool:
        """True if its capital says that it is a name."""
        return self.is_capital and (self.named or not self.opens)


class TopicWord(NamedTuple):
    """A word of a topic."""

    exact: str
    plain: str
    is_name: bool
    may_be_name: bool  # although it is written like a word, and nobody is known by it


class NamedTopic(NamedTuple):
    """What a query names."""

    terms: tuple[TopicWord, ...]
    pairs: frozenset[str]  # of scripts without spaces
    known: frozenset[str]  # which of its words name something that the person told of

    @property
    def has_name(self) -> bool:
        """True if it names somebody or something by name."""
        return any(term.is_name for term in self.terms)


def topic_of(query: str, texts: Collection[str]) -> NamedTopic | None:
    """What a query names, seen by what its person told; None if it has no word that says anything.

    A word is a name if it is written like one, or if the texts have it as a name.
    """
    tokens = [token for token in _tokens(query, named=frozenset()) if not _is_empty(token)]
    pairs = frozenset(pairs_of(query))
    if not (tokens or pairs):
        return None
    known = _known({token.plain for token in tokens}, texts)
    return NamedTopic(tuple(dict.fromkeys(_term(token, known) for token in tokens)), pairs, known)


def fit(topic: NamedTopic, text: str) -> Fit:
    """How surely a text mentions all of a topic.

    >>> sorted(fit(topic_of("May", ()), text).name for text in ("I may go.", "We met in May."))
    ['NONE', 'SURE']
    """
    if not topic.pairs <= frozenset(pairs_of(text)) or not _may_mention(topic, plain(text)):
        return Fit.NONE
    told = _indexed(text)
    return min((_best(term, told, topic.known) for term in topic.terms), default=Fit.SURE)


def mentions_any(topic: NamedTopic, text: str) -> bool:
    """True if a text mentions any word of a topic."""
    told = _indexed(text)
    return any(_best(term, told, topic.known) for term in topic.terms) or not topic.pairs.isdisjoint(pairs_of(text))


def mistakes_a_name(text: str, other: str) -> bool:
    """True if a name in a text is an ordinary word in the other.

    >>> mistakes_a_name("May lives in Oslo", "I may live in Oslo."), mistakes_a_name("May lives in Oslo", "I met May in Oslo.")
    (True, False)
    """
    topic = topic_of(text, ())
    names = [term for term in topic.terms if term.is_name and term.plain in HOMONYMS] if topic else []
    told = _indexed(other) if names else {}
    return any(term.plain in told and not _best(term, told, frozenset()) for term in names)


def _indexed(text: str) -> Mapping[str, Sequence[_Token]]:
    """The tokens of a text by all that they may be the plural of."""
    found: dict[str, list[_Token]] = {}
    for token in _read(text):
        for singular in singulars(token.plain):
            found.setdefault(singular, []).append(token)
    return found


def _best(term: TopicWord, told: Mapping[str, Sequence[_Token]], known: frozenset[str]) -> Fit:
    tokens = (token for singular in singulars(term.plain) for token in told.get(singular, ()))
    return max((_compare(term, token, known) for token in tokens), default=Fit.NONE)


def _compare(term: TopicWord, token: _Token, known: frozenset[str]) -> Fit:
    """How surely a token means a word of a topic, which it is or of which it is the plural or the singular."""
    if token.plain != term.plain:
        return Fit.NONE if term.is_name or token.is_name else Fit.LIKELY
    if _SIGNED.search(term.plain):
        return Fit.SURE
    return _of_name(token, known) if term.is_name else _of_word(term, token)


def _of_name(token: _Token, known: frozenset[str]) -> Fit:
    if token.is_name or (token.is_capital and token.plain not in HOMONYMS):
        return Fit.SURE
    if token.plain not in HOMONYMS:
        return Fit.LIKELY
    return Fit.LIKELY if token.is_capital and (token.acts or token.plain in known) else Fit.NONE


def _of_word(term: TopicWord, token: _Token) -> Fit:
    if token.is_name and token.plain in HOMONYMS:
        return Fit.NONE
    return Fit.SURE if token.exact == term.exact and not term.may_be_name else Fit.LIKELY


def singulars(word: str) -> frozenset[str]:
    """The word, and what it may be the plural of.

    >>> sorted(singulars("bills")), sorted(singulars("news"))
    (['bill', 'bills'], ['news'])
    """
    found = {word, _IRREGULAR.get(word, word)}
    if (
        len(word) >= _SHORTEST_PLURAL
        and word not in _NO_PLURALS
        and word.endswith("s")
        and not word.endswith(("ss", "us", "is"))
    ):
        found.add(word[:-1])
        if word.endswith("ies"):
            found.add(f"{word[:-3]}y")
        if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            found.add(word[:-2])
    return frozenset(found)


def _term(token: _Token, known: frozenset[str]) -> TopicWord:
    is_open = token.plain in HOMONYMS and token.follows not in _DETERMINERS
    is_name = token.is_capital or (token.plain in known and (is_open or token.plain not in HOMONYMS))
    return TopicWord(token.exact, token.plain, is_name, may_be_name=is_open and not is_name)


def _is_empty(token: _Token) -> bool:
    is_name = token.is_capital and token.plain in HOMONYMS
    return not is_name and EMPTY.issuperset(token.exact.replace("’", "'").split("'"))


def _known(words: Collection[str], texts: Collection[str]) -> frozenset[str]:
    """The words, of these, that are names in a text."""
    found: set[str] = set()
    for text in texts:
        folded = plain(text)
        left = [word for word in words if word not in found and word in folded]
        if left:
            found |= {token.plain for token in _read(text) if token.named and token.plain in left}
    return frozenset(found)


def _may_mention(topic: NamedTopic, folded: str) -> bool:
    """False if a text has not even the beginnings of the words: most texts need not be read for names."""
    return all(any(beginning in folded for beginning in _beginnings(term.plain)) for term in topic.terms[:_FEW])


@lru_cache(maxsize=64)
def _beginnings(word: str) -> frozenset[str]:
    forms = singulars(word) | {plural for plural, one in _IRREGULAR.items() if one == word}
    return frozenset(form[:-1] if len(form) >= _SHORTEST_PLURAL else form for form in forms)


def _read(text: str) -> tuple[_Token, ...]:
    """The tokens of a text of which names are recognised."""
    places = (range(entity.start, entity.end) for entity in find_entities(text) if entity.type != "date")
    return tuple(_tokens(text, named=frozenset(at for place in places for at in place)))


def _tokens(text: str, *, named: frozenset[int]) -> Iterator[_Token]:
    """The tokens of a text. In one that is all in capitals, capitals say nothing."""
    is_shouted = text.isupper() and " " in text.strip()
    follows = ""
    for match in _TOKEN.finditer(text):
        exact = _POSSESSIVE.sub("", match[0].casefold())
        start = match.start()
        opens = _BEFORE_SENTENCE.search(text[max(0, start - _BESIDE) : start]) is not None if start else True
        acts = _SAID_OF.match(text, match.end()) is not None
        yield _Token(exact, plain(exact), match[0][0].isupper() and not is_shouted, opens, start in named, acts, follows)
        follows = exact


def plain(text: str) -> str:
    """The text case folded and without accents.

    >>> plain("José Müller")
    'jose muller'
    """
    folded = text.casefold()
    return folded if folded.isascii() else "".join(each for each in normalize("NFKD", folded) if category(each) != "Mn")
