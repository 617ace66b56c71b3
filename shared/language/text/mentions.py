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

from shared.language.text.cleaning import comparable
from shared.language.text.entities import find_entities
from shared.language.text.homonyms import HOMONYMS
from shared.language.text.scripts import UNSPACED
from shared.language.text.stating import EMPTY
from shared.language.text.words import pairs_of

_TOKEN = re.compile(rf"[^\W_{UNSPACED}]++(?:['’][^\W_{UNSPACED}]++)*+[+#]*+")
_SIGNED = re.compile(r"[\d+#]")
_POSSESSIVE = re.compile(r"['’]s?$")
_BEFORE_SENTENCE = re.compile(r"(?:^|[.!?:;…\n\"“«(*•-])\s*$")
_SAID_OF = re.compile(
    r", (?:my|our|his|her|their|who)\b"
    r"|(?:['’]s)? (?:is|was|has|had|said|told|and I|went|got|made|came|took|taught|met|gave|left|sold|knew|bought|wrote"
    r"|(?:can|could|will|would|does|did|is|was|has|had|should)n['’]?t|won['’]?t|never"
    r"|lent|kept|lost|found|paid|sent|spent|slept|ate|drank|drove|flew|ran|sang|swam|rode|wore|broke|won|brought|built|caught"
    r"|chose|began|became|fell|felt|fought|forgot|grew|heard|held|hid|hit|hurt|led|let|meant|read|rang|saw|shot|shut|spoke"
    r"|stole|stood|swore|threw|thought|understood|woke|bit|drew"
    r"|[a-z]{2,11}[^su\W\d]s|[a-z]{2,11}ed)\b"
)
_PRESENTED = re.compile(r"(?: is| was|['’]s|,) (?:my|our|the user['’]s) (?!fav|only|last|first|best\b(?! friend))")
_BESIDE = 8
_NAMING = frozenset(("name", "names"))
_SAYING_LITTLE = _NAMING | {"thing", "things", "stuff", "business", "both"}
"""Words of a topic that are left out, where it has others: `the thing with my boss`."""
_RELATED = {
    "salary": ("earn", "earns", "earned", "paid", "income", "wage"),
    "income": ("earn", "earns", "earned", "salary", "wage"),
    "age": ("old",),
    "birthday": ("born",),
    "weight": ("weigh", "weighs", "kilo", "kg", "pound"),
    "height": ("tall",),
    "job": ("work", "works", "employed"),
    "address": ("live", "lives", "street", "road"),
    "illness": ("ill", "sick"),
}
"""Words that may say what a word of a topic names."""
_CALLED = re.compile(r"\b(?:called|named|names?)\b", re.IGNORECASE)
_DETERMINERS = frozenset(
    "a an the my your his her its our their this that these those some any no every each".split()  # noqa: SIM905
)
_BEFORE_WORDS = frozenset(
    "a an the this these those every each some any my our his their i we they he she can't cannot don't doesn't didn't".split()  # noqa: SIM905
)
"""What stands before a word, and before no name that is written in lower case."""
_CONTRACTED = frozenset("im ive id youre hes shes theyre dont doesnt didnt cant wont isnt its".split())  # noqa: SIM905
_SUBJECTS = frozenset("i we you they he she it who user and never always often".split())  # noqa: SIM905
_BEFORE_VERBS = frozenset(
    "i we you they he she who user can could will would should must don't doesn't didn't won't can't couldn't".split()  # noqa: SIM905
)
_ONE = frozenset(("a", "an"))
_TITLES = frozenset("mr mrs ms miss dr prof professor sir aunt uncle grandma grandpa captain doctor".split())  # noqa: SIM905
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
    acts: bool  # what follows is said of somebody: `May came`, `Bill, my brother`
    follows: str  # the word before, in its clause
    presented: bool  # as somebody: `Jack is my flatmate`
    owns: bool = False  # `dad's`
    entity: int = 0  # of which it is a part; 0: of none
    beside: frozenset[str] = frozenset()  # the other words of that entity: the `New` of `New York`

    @property
    def is_name(self) -> bool:
        """True if its capital says that it is a name."""
        return self.is_capital and (not self.opens or (self.named and self.plain not in HOMONYMS))

    @property
    def named(self) -> bool:
        """True if it is part of an entity that was recognised."""
        return self.entity > 0


class TopicWord(NamedTuple):
    """A word of a topic."""

    exact: str
    plain: str
    is_name: bool
    may_be_name: bool  # although it is written like a word, and nobody is known by it
    is_noun: bool = False  # `my watch`, which `I watch` is not


class NamedTopic(NamedTuple):
    """What a query names."""

    terms: tuple[TopicWord, ...]
    pairs: frozenset[str]  # of scripts without spaces
    known: frozenset[str]  # which of its words name something that the person told of
    is_loose: bool = False  # words that may say what it names are enough: `I earn 5000` of `my salary`
    is_naming: bool = False  # it is the name of something: `the name of my dog`

    @property
    def has_name(self) -> bool:
        """True if it names somebody or something by name."""
        return any(term.is_name for term in self.terms)


def topic_of(query: str, texts: Collection[str], *, is_loose: bool = False) -> NamedTopic | None:
    """What a query names, seen by what its person told; None if it has no word that says anything.

    A word is a name if it is written like one, or if the texts have it as a name.
    """
    query = comparable(query)
    tokens = [token for token in _tokens(query, entities={}) if not _is_empty(token)]
    pairs = frozenset(pairs_of(query))
    if not (tokens or pairs):
        return None
    matter = [token for token in tokens if token.plain not in _SAYING_LITTLE] or tokens
    known = _known({token.plain for token in matter}, texts)
    is_noun = query.casefold().split()[0] in _DETERMINERS if query.split() else False
    terms = tuple(dict.fromkeys(_term(token, known, is_noun=is_noun and token is matter[-1]) for token in matter))
    return NamedTopic(
        terms, pairs, known, is_loose, is_naming=any(token.plain in _NAMING for token in tokens if token not in matter)
    )


def fit(topic: NamedTopic, text: str) -> Fit:
    """How surely a text mentions all of a topic.

    >>> sorted(fit(topic_of("May", ()), text).name for text in ("I may go.", "We met in May."))
    ['NONE', 'SURE']
    """
    if not topic.pairs <= frozenset(pairs_of(text)) or not _may_mention(topic, plain(text)):
        return Fit.NONE
    told = _indexed(text)
    fits = [_best(term, told, topic) for term in topic.terms]
    return min((*fits, _naming(text) if topic.is_naming else Fit.SURE))


def _naming(text: str) -> Fit:
    """How surely a text says how something is called."""
    if _CALLED.search(text):
        return Fit.SURE
    return Fit.LIKELY if find_entities(text) else Fit.NONE


def mentions_any(topic: NamedTopic, text: str) -> bool:
    """True if a text mentions any word of a topic."""
    told = _indexed(text)
    return any(_best(term, told, topic) for term in topic.terms) or not topic.pairs.isdisjoint(pairs_of(text))


def mistakes_a_name(text: str, other: str) -> bool:
    """True if a name in a text is an ordinary word in the other.

    >>> mistakes_a_name("May lives in Oslo", "I may live in Oslo."), mistakes_a_name("May lives in Oslo", "I met May in Oslo.")
    (True, False)
    """
    topic = topic_of(text, ())
    names = [term for term in topic.terms if term.is_name and term.plain in HOMONYMS] if topic else []
    told = _indexed(other) if names else {}
    return any(term.plain in told and topic and not _best(term, told, topic) for term in names)


def _indexed(text: str) -> Mapping[str, Sequence[_Token]]:
    """The tokens of a text by all that they may be the plural of."""
    found: dict[str, list[_Token]] = {}
    for token in _read(text):
        for singular in singulars(token.plain):
            found.setdefault(singular, []).append(token)
    return found


def _best(term: TopicWord, told: Mapping[str, Sequence[_Token]], topic: NamedTopic) -> Fit:
    tokens = (token for singular in singulars(term.plain) for token in told.get(singular, ()))
    found = max((_compare(term, token, topic) for token in tokens), default=Fit.NONE)
    return found or (Fit.LIKELY if topic.is_loose and any(word in told for word in _RELATED.get(term.plain, ())) else Fit.NONE)


def _compare(term: TopicWord, token: _Token, topic: NamedTopic) -> Fit:
    """How surely a token means a word of a topic, which it is or of which it is the plural or the singular."""
    if token.owns and not token.is_name and term.exact == f"{token.exact}s":
        return Fit.SURE  # `my dads nickname`
    if token.plain != term.plain:
        is_verb = token.follows in _SUBJECTS  # `the user rents`
        is_another = token.named and token.plain.endswith("s") and token.follows not in _DETERMINERS  # `Marcos` than Marco
        return Fit.LIKELY if term.is_name == token.is_name and not (is_verb or is_another) else Fit.NONE
    if _SIGNED.search(term.plain):
        return Fit.SURE
    if term.is_noun and token.follows in _BEFORE_VERBS and not token.is_capital:
        return Fit.LIKELY if topic.is_loose else Fit.NONE
    return _of_name(token, topic) if term.is_name else _of_word(term, token)


def _of_name(token: _Token, topic: NamedTopic) -> Fit:
    if token.is_name:
        return Fit.LIKELY if _is_another(token, topic) else Fit.SURE
    is_known = token.plain in topic.known
    if token.plain in HOMONYMS:
        if token.is_capital and token.presented:
            return Fit.SURE
        return Fit.LIKELY if token.is_capital and (token.acts or token.owns or is_known) else Fit.NONE
    if token.is_capital:
        return Fit.SURE if token.acts else Fit.LIKELY
    return Fit.LIKELY if is_known or token.follows not in _BEFORE_WORDS else Fit.NONE


def _is_another(token: _Token, topic: NamedTopic) -> bool:
    """True if a name may be another one: `New York` than York, `4 R Street` than R, `a Bishop` than Bishop."""
    if len(token.plain) == 1 or (token.follows in _ONE and token.plain in HOMONYMS):
        return True
    return not token.beside - _TITLES <= {term.plain for term in topic.terms}


def _of_word(term: TopicWord, token: _Token) -> Fit:
    if token.is_name and token.plain in HOMONYMS:
        return Fit.LIKELY if term.may_be_name else Fit.NONE
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


def _term(token: _Token, known: frozenset[str], *, is_noun: bool) -> TopicWord:
    is_open = token.plain in HOMONYMS and token.follows not in _DETERMINERS
    is_name = token.is_capital or (token.plain in known and (is_open or token.plain not in HOMONYMS))
    return TopicWord(token.exact, token.plain, is_name, may_be_name=is_open and not is_name, is_noun=is_noun)


def _is_empty(token: _Token) -> bool:
    is_thing = token.plain in HOMONYMS and (token.is_capital or token.follows in _DETERMINERS)  # `my will`
    return not is_thing and (token.exact in _CONTRACTED or EMPTY.issuperset(token.exact.replace("’", "'").split("'")))


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
    forms = singulars(word).union(_RELATED.get(word, ()), (plural for plural, one in _IRREGULAR.items() if one == word))
    return frozenset(form[:-1] if len(form) >= _SHORTEST_PLURAL else form for form in forms)


def _read(text: str) -> tuple[_Token, ...]:
    """The tokens of a text of which names are recognised."""
    text = comparable(text)
    entities = (entity for entity in find_entities(text) if entity.type != "date")
    places = {at: number for number, entity in enumerate(entities, 1) for at in range(entity.start, entity.end)}
    tokens = tuple(_tokens(text, entities=places))
    names: dict[int, set[str]] = {}
    for token in tokens:
        names.setdefault(token.entity, set()).add(token.plain)
    return tuple(
        token._replace(beside=frozenset(names[token.entity] - {token.plain})) if token.named else token for token in tokens
    )


def _tokens(text: str, *, entities: Mapping[int, int]) -> Iterator[_Token]:
    """The tokens of a text. In one that is all in capitals, capitals say nothing. `entities`: which holds each place."""
    is_shouted = text.isupper() and " " in text.strip()
    follows, end = "", 0
    for match in _TOKEN.finditer(text):
        exact = _POSSESSIVE.sub("", match[0].casefold())
        start = match.start()
        opens = _BEFORE_SENTENCE.search(text[max(0, start - _BESIDE) : start]) is not None if start else True
        acts = _SAID_OF.match(text, match.end()) is not None
        is_capital = match[0][0].isupper() and not is_shouted
        before = follows if text[end:start].isspace() else ""
        presented = acts and _PRESENTED.match(text, match.end()) is not None
        owns = exact != match[0].casefold()
        yield _Token(exact, plain(exact), is_capital, opens, acts, before, presented, owns, entities.get(start, 0))
        follows, end = exact, match.end()


def plain(text: str) -> str:
    """The text case folded and without accents.

    >>> plain("José Müller")
    'jose muller'
    """
    folded = comparable(text).casefold()
    return folded if folded.isascii() else "".join(each for each in normalize("NFKD", folded) if category(each) != "Mn")
