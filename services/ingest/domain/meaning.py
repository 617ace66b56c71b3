"""Tells whether a chat command names what it takes beyond doubt: then it is obeyed at once, else the person is asked.

It does if all that mentions the topic is one memory, with its near-duplicates and the turns that state it, in the very words of
the command, and if nothing goes with it that says something else.
Source: ../design/mission.md, "Forgetting by words".
"""

import re
from collections.abc import Collection

from services.ingest.domain.cascade import fit_of, going, texts_of
from services.ingest.domain.recollection import Recollection, ToldMemory, asks
from shared.contracts.ids import MemoryId
from shared.contracts.parts import Entity, Kind, Role
from shared.domain.digests import Digester
from shared.language.text.mentions import Fit, NamedTopic, fit, mentions_any, topic_of
from shared.language.text.names import find_names
from shared.language.text.stating import content_words

_MOST_OF_ONE = 20
"""Memories. More of them are never wordings of one."""
_CLAUSE = re.compile(
    r"(?<![.!?;:\n])[.!?;:\n]++(?=\s|$)|,(?=\s)|\s[–—-]++\s|\b(?:and|but|while|whereas|although|though|so|because|plus)\b"
)
_SUBJECT = re.compile(
    r"\W*(?:i|i['’]\w+|we|we['’]\w+|he|she|it|they|(?:he|she|it)['’]s|they['’]re|you|my|our|his|her|their|the|a|an|there|who|whose|which|where)\b",
    re.IGNORECASE,
)
_OF_SPEAKER = re.compile(r"\b(?:i|im|ive|i['’]\w+|we|we['’]\w+|my|our|me|us)\b", re.IGNORECASE)
_OWN_SUBJECT = re.compile(r"\W*(?:i|i['’]\w+|we|we['’]\w+|my|our)\b", re.IGNORECASE)
_OWN = re.compile(r"\s*(?:my|our)\s+(?P<thing>[\w’'-]+(?:\s[\w’'-]+){0,2}?)\s*$", re.IGNORECASE)
_THEN_NAMED = re.compile(r"(?<=\w)(?:\s+[A-ZÀ-Þ][\w’'-]+)+$")
"""Who it is, after what they are: `my goddaughter Lily`."""
_UNMARKED = re.compile(r"(?<=\w)s(?=\\? )")
_ADJECTIVES = (
    "new|old|older|elder|younger|big|little|own|dear|good|best|poor|last|first|current|former|favou?rite|late|only|real|whole|full"
    "|monthly|yearly|annual|daily|weekly|main|private|personal|other|two|three|next"
)
_PARTS = (
    "number|name|address|insurance|bill|contract|password|shop|food|party|appointment|birthday|code|case|plan"
    "|of (?:birth|death|arrival|departure|issue|origin|expiry|work|residence|absence|study|stay|marriage|delivery|payment)"
)
_ENDS_SENTENCE = re.compile(r"[.!?\n]")
_IS_CALLED = re.compile(r"\b(?:is|was|are|were|called|named)\s+(?:\w{1,5}\.?\s+)?$", re.IGNORECASE)
_IS_PLACE = re.compile(
    r"(?:\b(?:at|in|on|from|near|to)|\d|\b(?:Street|Road|Lane|Avenue|Square),)\s+(?:the\s+)?$", re.IGNORECASE
)
_BESIDE = 32
_BEGINNING = 4
_MOST_BESIDE = 3
_FEWEST = 2


def is_beyond_doubt(query: str, named: Collection[MemoryId], recollection: Recollection, digester: Digester) -> bool:
    """True if what a query names, as `matching` found it, is one memory, and nothing that says more goes with it."""
    if not 0 < len(named) <= _MOST_OF_ONE:
        return False
    topic = topic_of(query, texts_of(recollection.told.values()))
    if (
        topic is None
        or all(term.plain.isdecimal() for term in topic.terms)
        or any(fit_of(topic, recollection.told[each]) is not Fit.SURE for each in named)
    ):
        return False
    if any(_is_of_another(query, text) for each in named for text in recollection.told[each].texts):
        return False
    whole = next((taken for each in named if frozenset(named) <= (taken := _takes(each, recollection, digester))), None)
    return whole is not None and not any(_says_more(recollection.told[each], topic) for each in whole)


def is_one_statement(memory_id: MemoryId, recollection: Recollection, digester: Digester) -> bool:
    """True if a memory is a turn in which the person tells of themselves, and at most one fact goes with it."""
    told = recollection.told[memory_id]
    if told.kind is not Kind.EPISODE or told.role is not Role.USER or told.is_question:
        return False
    facts = [each for each in _takes(memory_id, recollection, digester) if recollection.told[each].kind is Kind.FACT]
    return len(facts) <= 1 and _OF_SPEAKER.search(told.texts[0]) is not None


def _is_of_another(query: str, text: str) -> bool:
    """True if a query names something of the speaker's own, and a text something of somebody else, or only a part of it.

    >>> _is_of_another("my allergy", "My son has an allergy."), _is_of_another("my allergy", "I have an allergy to nuts.")
    (True, False)
    >>> _is_of_another("my sister Lily", "Lily is my sister."), _is_of_another("my sister Lily", "Lily is my sister's boss.")
    (False, True)
    """
    own = _OWN.match(query)
    if own is None:
        return False
    named = _THEN_NAMED.sub("", own["thing"])
    thing = _UNMARKED.sub("['’]?s", re.escape(named)) + ("" if named == own["thing"] else r"(?!['’]s)")
    others = rf"(?:\b(?:his|her|their)|(?<!user)['’]s)\s+(?:\w+\s+){{0,2}}{thing}\b|\b{thing}\s+(?:{_PARTS})\b"
    adjectives = rf"(?:(?:{_ADJECTIVES})\s+){{0,2}}"
    mine = rf"\b(?:my|our|the|this|that|user['’]s)\s+{adjectives}{thing}\b|\b(?:I|we|user)\b[^.!?]{{0,40}}\b{thing}\b"
    return re.search(others, text, re.IGNORECASE) is not None or re.search(mine, text, re.IGNORECASE) is None


def _takes(memory_id: MemoryId, recollection: Recollection, digester: Digester) -> frozenset[MemoryId]:
    return frozenset(going([memory_id], recollection, digester, only=False).why)


def _says_more(told: ToldMemory, topic: NamedTopic) -> bool:
    """True if a memory that goes tells something beside the topic. What others answered is not the person's to lose."""
    if told.kind is not Kind.EPISODE:
        return not any(mentions_any(topic, text) for text in told.texts)
    if told.role is not Role.USER:
        return False
    return any(states_more(text, topic) or _is_by_the_way(text, topic) for text in told.texts)


def _is_by_the_way(text: str, topic: NamedTopic) -> bool:
    """True if a text mentions a topic of common words late, after enough else: `the hint is the name of my dog`."""
    if topic.has_name or not topic.terms:
        return False
    beginnings = (" ".join(clause.split()[:_BEGINNING]) for clause in _CLAUSE.split(text))
    is_subject = any(mentions_any(topic, beginning) for beginning in beginnings)
    return not is_subject and len(content_words(text)) - len(topic.terms) > _MOST_BESIDE


def states_more(text: str, topic: NamedTopic) -> bool:
    """True if a text states something beside a topic: in another sentence or clause, or of another person.

    >>> topic = topic_of("my ex", ())
    >>> states_more("My ex is a nurse.", topic), states_more("My ex is a nurse, we have a daughter.", topic)
    (False, True)
    """
    if not topic.has_name and fit(topic, text) and any(_is_somebody_else(name, text, topic) for name in find_names(text)):
        return True
    start, opens = 0, True
    for end, following, next_opens in _ends(text):
        clause = text[start:end]
        if not asks(text[start:following]) and _states(clause, opens=opens) and not mentions_any(topic, clause):
            return True
        start, opens = following, next_opens
    return False


def _is_somebody_else(name: Entity, text: str, topic: NamedTopic) -> bool:
    """True if a name is neither of a place nor told of the topic, as in `My dentist is Dr. Chen` or `my dentist Chen`."""
    before = text[max(0, name.start - _BESIDE) : name.start]
    if name.type not in {"person", "other"} or _IS_CALLED.search(before) or _IS_PLACE.search(before):
        return False
    return not mentions_any(topic, before.rstrip().rpartition(" ")[2])


def _ends(text: str) -> list[tuple[int, int, bool]]:
    """Where each clause ends, where the next begins, and whether that begins a sentence."""
    found = [(mark.start(), mark.end(), _ENDS_SENTENCE.search(mark[0]) is not None) for mark in _CLAUSE.finditer(text)]
    return [*found, (len(text), len(text), True)]


def _states(clause: str, *, opens: bool) -> bool:
    if find_names(f"{clause} ") and not opens:
        return True
    said = len(content_words(clause))
    if said < _FEWEST:
        return said > 0 and not opens and _OWN_SUBJECT.match(clause) is not None
    return opens or _SUBJECT.match(clause) is not None
