"""Finds what goes with a forgotten memory: near-duplicates, earlier versions, turns that state it, facts with no other source.

A corrected fact takes its earlier versions along, but no later ones: whoever names the newest means the matter, whoever names
an outdated one means only that. A fact that goes only because its source does takes no earlier version: that was told
elsewhere. So was what a newer statement ended. It may be about somebody else: it is no version, and stays.
Source: ../design/mission.md, "Forgetting takes what says it".
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from typing import Literal, NamedTuple

from services.ingest.domain.likeness import likeness, match
from services.ingest.domain.recollection import Recollection, ToldMemory
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Kind, Role
from shared.domain.digests import Digester
from shared.language.statements.identifying import Stating, identifying, stating
from shared.language.text.distinctive import numbers_in
from shared.language.text.mentions import Fit, NamedTopic, fit, mentions_any, mistakes_a_name, topic_of
from shared.language.text.stating import content_words, rarest

Why = Literal["named", "near_duplicate", "earlier_version", "states_it", "rests_on_it"]


_SEVERAL = re.compile(r"\s*,\s*|\s+(?:and|or|as well as)\s+", re.IGNORECASE)
_OLD = re.compile(r"\b(?:old|previous|former|current|first|original)\s+", re.IGNORECASE)
_BEING = re.compile(
    r"\s+(?:being|costing|living|weighing|starting|leaving|arriving|closing|expiring|working|owing|earning|having|going)\s+",
    re.IGNORECASE,
)
"""What joins a thing and its value: `the wifi costing 20 a month`."""
_ROLE_AND_NAME = re.compile(r"(?:[Mm]y|[Oo]ur|[Tt]he) (?:[\w-]+ ){1,3}?(?P<name>[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)?)")
_NOT_CALLED = "".join(rf"(?<!\b{word} )" for word in ("a", "an", "am", "I'm", "be", "been", "was", "were", "raised", "born"))
"""Before a word that is no name of somebody: `raised Christian`."""
_NUMBER_OF = re.compile(r"(?P<thing>(?:my|our) .+?) (?:number|no|nr)\.?", re.IGNORECASE)
_FEWEST_WORDS = 2
_SHORTEST_RARE = 4
_REACH = 3


class Going(NamedTuple):
    """All memories that a forgetting takes, each with the reason, named ones first; and the facts that lose a source."""

    why: dict[MemoryId, Why]
    losing_a_source: tuple[MemoryId, ...]


def going(
    named: Iterable[MemoryId],
    recollection: Recollection,
    digester: Digester,
    *,
    only: bool,
    repeats: bool = True,
    query: str | None = None,
    is_sure: bool = False,
) -> Going:
    """All that goes with the named memories; with `only` just these, and what memstream wrote about them.

    `repeats`: also other turns in which the person said the same, for they mean the matter and not the message.
    `is_sure`: nothing that is found by likeness alone, or that names somebody else than the `query` by which they were named.
    """
    why: dict[MemoryId, Why] = dict.fromkeys((memory_id for memory_id in named if memory_id in recollection.told), "named")
    topic = topic_of(query, texts_of(recollection.first_hand())) if query and is_sure else None
    least = Stating.SURE if is_sure else Stating.LIKELY
    cascade = _Cascade(recollection, digester, why, repeats=repeats, least=least, topic=topic)
    if only:
        cascade.take_derived()
    else:
        cascade.follow()
    losing = [told.memory_id for told in recollection.facts() if told.memory_id not in why and told.sources & why.keys()]
    return Going(why, tuple(losing))


def matching(query: str, recollection: Recollection, *, is_loose: bool = False) -> list[MemoryId]:
    """The memories that mention all that a query names; none if it names nothing.

    Names are matched as names, words as words, and a long number however its digits are grouped.
    """
    topic = topic_of(query, texts_of(recollection.first_hand()), is_loose=is_loose)
    number = frozenset() if any(map(str.isalpha, query)) else numbers_in(query)
    return [
        told.memory_id
        for told in recollection.first_hand()
        if (topic and fit_of(topic, told)) or (number and any(number <= numbers_in(text) for text in told.texts))
    ]


def matching_loosely(query: str, recollection: Recollection) -> list[MemoryId]:
    """The memories that mention one of several things that a query names, what it calls old, or what says it in other words.

    Of `my mechanic Christian` these are the ones of Christian, of `my landlord being Petrov` those of the landlord Petrov, of
    `my landline number` those of the landline that have a number. A person is to be asked about them.
    """
    parts = _SEVERAL.split(query)
    plain = _BEING.sub(" ", _OLD.sub("", query))
    wanted = parts if len(parts) > 1 else [plain]
    if len(parts) == 1 and not matching(plain, recollection, is_loose=True):
        return _matching_in_part(plain, recollection)
    found = {memory_id: None for part in wanted for memory_id in matching(part, recollection, is_loose=True)}
    return list(found)


def _matching_in_part(query: str, recollection: Recollection) -> list[MemoryId]:
    """The memories of somebody whom a query calls by role and name, or of a thing whose number it means."""
    if role := _ROLE_AND_NAME.fullmatch(query):
        called = re.compile(_NOT_CALLED + rf"\b{re.escape(role['name'])}\b")
        return [told.memory_id for told in recollection.first_hand() if any(map(called.search, told.texts))]
    thing = _NUMBER_OF.fullmatch(query)
    named = matching(thing["thing"], recollection) if thing else []
    return [each for each in named if any(numbers_in(text) for text in recollection.told[each].texts)]


def matching_a_word(query: str, recollection: Recollection) -> list[MemoryId]:
    """The memories that mention the rarest word of a query: for a person who is asked whether these are meant."""
    found = [matching(word, recollection) for word in query.split() if content_words(word)]
    return min(filter(None, found), key=len, default=[])


def fit_of(topic: NamedTopic, told: ToldMemory) -> Fit:
    """How surely a memory mentions a topic, in any of its wordings."""
    return max((fit(topic, text) for text in told.texts), default=Fit.NONE)


def texts_of(told: Iterable[ToldMemory]) -> list[str]:
    """All wordings of memories."""
    return [text for each in told for text in each.texts]


class _Cascade:
    """Works outward from what is named until nothing more follows."""

    def __init__(
        self,
        recollection: Recollection,
        digester: Digester,
        why: dict[MemoryId, Why],
        *,
        repeats: bool,
        least: Stating,
        topic: NamedTopic | None,
    ) -> None:
        """`least`: how surely a turn must state a fact that goes. `topic`: what goes must hold it, or name nobody else."""
        self._recollection = recollection
        self._repeats, self._least, self._topic = repeats, least, topic
        self._why = why
        self._likeness = cache(partial(likeness, digester=digester))
        self._words = cache(self._content_words)
        self._facts, self._turns = recollection.facts(), recollection.turns()

    def follow(self) -> None:
        new = list(self._why)
        while new:
            found: list[MemoryId] = []
            for memory_id in new:
                told = self._recollection.told[memory_id]
                if told.kind is Kind.FACT:
                    found += self._take(self._twins(told), "near_duplicate")
                    if self._why[memory_id] != "rests_on_it":
                        found += self._take(self._recollection.earlier(memory_id), "earlier_version")
                    found += self._take(self._statements(told), "states_it")
                elif self._repeats and told.role is Role.USER and self._why[memory_id] == "named":
                    found += self._take(self._said_again(told), "near_duplicate")
            found += self._take(self._resting(), "rests_on_it")
            found += self._take(self._replies(), "states_it")
            new = found

    def take_derived(self) -> None:
        """Take what was written out of memories that go: it may say any of them. What else it was written out of stays."""
        derived = self._recollection.derived()
        self._take((told.memory_id for told in derived if told.sources & self._why.keys()), "rests_on_it")

    def _take(self, memory_ids: Iterable[MemoryId], why: Why) -> list[MemoryId]:
        taken = [each for each in memory_ids if each not in self._why and not self._is_of_others(self._recollection.told[each])]
        for memory_id in taken:
            self._why[memory_id] = why
        return taken

    def _is_of_others(self, told: ToldMemory) -> bool:
        """True if a fact, or what the person said, names somebody or something, and not the topic."""
        topic = self._topic
        return (
            topic is not None
            and (told.kind is Kind.FACT or told.role is Role.USER)
            and any(map(identifying, told.texts))
            and not any(mentions_any(topic, text) for text in told.texts)
        )

    def _twins(self, fact: ToldMemory) -> list[MemoryId]:
        mine = [self._likeness(text) for text in fact.texts]
        near = {place for one in mine for key in (one.key, one.digest) for place in self._alike[key]}
        others = (self._facts[place] for place in sorted(near))
        return [
            other.memory_id
            for other in others
            if other.memory_id not in self._why
            and any(match(self._likeness(text), one) for text in other.texts for one in mine)
        ]

    def _said_again(self, said: ToldMemory) -> list[MemoryId]:
        """The other turns of the person that say the same, if it says anything."""
        texts = [text for text in said.texts if len(content_words(text)) >= _FEWEST_WORDS]
        near = {place for text in texts for word in rarest(content_words(text), self._saying) for place in self._saying[word]}
        others = (self._turns[place] for place in sorted(near))
        return [
            turn.memory_id
            for turn in others
            if turn.role is Role.USER
            and any(match(self._likeness(one), self._likeness(text)) for one in turn.texts for text in texts)
        ]

    @cached_property
    def _alike(self) -> defaultdict[int | bytes, list[int]]:
        """The places of facts by what those have in common that match: else each were compared with each."""
        found: defaultdict[int | bytes, list[int]] = defaultdict(list)
        for place, fact in enumerate(self._facts):
            for text in fact.texts:
                found[self._likeness(text).key].append(place)
                found[self._likeness(text).digest].append(place)
        return found

    def _statements(self, fact: ToldMemory) -> list[MemoryId]:
        """The turns that a fact was learned from, and all others that state the same, whoever said them."""
        words = [content_words(text) for text in fact.texts]
        near = {place for each in words for word in rarest(each, self._saying) for place in self._saying[word]}
        near |= {self._place_of_turn[source] for source in fact.sources & self._place_of_turn.keys()}
        return [
            turn.memory_id
            for turn in (self._turns[place] for place in sorted(near))
            if turn.memory_id not in self._why
            and (
                turn.memory_id in fact.sources
                or any(
                    stating(said, text) >= self._least and not mistakes_a_name(text, said)
                    for text in fact.texts
                    for said in turn.texts
                )
            )
        ]

    @cached_property
    def _saying(self) -> defaultdict[str, list[int]]:
        """The places of turns by their words."""
        found: defaultdict[str, list[int]] = defaultdict(list)
        for place, turn in enumerate(self._turns):
            for word in self._words(turn.memory_id):
                found[word].append(place)
        return found

    @cached_property
    def _place_of_turn(self) -> dict[str, int]:
        return {turn.memory_id: place for place, turn in enumerate(self._turns)}

    def _replies(self) -> list[MemoryId]:
        """Turns of others soon after a turn that goes, if they repeat a word of it that no remaining memory has.

        One that names somebody must name one of those whom what goes names.
        """
        near = {other.memory_id for turn, other in _followed(self._turns) if turn.memory_id in self._why}
        replies = [memory_id for memory_id in near if memory_id not in self._why]
        if not replies:
            return []
        going_words = {
            word
            for memory_id in self._why
            for word in self._words(memory_id)
            if len(word) >= _SHORTEST_RARE or (len(word) > 1 and word.isdigit())
        }
        stays = {
            word
            for memory_id in self._recollection.told
            if memory_id not in self._why and memory_id not in near
            for word in self._words(memory_id)
        }
        return [
            memory_id
            for memory_id in sorted(replies)
            if self._words(memory_id) & going_words - stays and self._names(memory_id) <= self._names(*self._why)
        ]

    def _names(self, *memory_ids: MemoryId) -> frozenset[str]:
        texts = (text for memory_id in memory_ids for text in self._recollection.told[memory_id].texts)
        return frozenset().union(*map(identifying, texts))

    def _content_words(self, memory_id: MemoryId) -> frozenset[str]:
        return frozenset().union(*map(content_words, self._recollection.told[memory_id].texts))

    def _resting(self) -> list[MemoryId]:
        """The facts all of whose remembered sources go, and what memstream wrote about any that goes."""
        found = []
        for fact in self._facts:
            sources = fact.sources & self._recollection.told.keys()
            if fact.memory_id not in self._why and sources and sources <= self._why.keys():
                found.append(fact.memory_id)
        derived = (told for told in self._recollection.derived() if told.memory_id not in self._why)
        return found + [told.memory_id for told in derived if told.sources & self._why.keys()]


def _followed(turns: Sequence[ToldMemory]) -> Iterator[tuple[ToldMemory, ToldMemory]]:
    """Pairs of a turn and one by somebody else than the user, among the next few of its session."""
    sessions: dict[str | None, list[ToldMemory]] = {}
    for turn in turns:
        sessions.setdefault(turn.session_id, []).append(turn)
    for said in sessions.values():
        for index, turn in enumerate(said):
            yield from ((turn, other) for other in said[index + 1 : index + 1 + _REACH] if other.role is not Role.USER)
