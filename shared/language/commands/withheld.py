"""Reads that a person asks not to keep what they say: `don't remember this: ...`, `..., and that stays between us`."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise, takewhile
from re import Match
from typing import NamedTuple

from shared.language.commands.asks import FIGURES, Asks
from shared.language.commands.bare import is_announcement
from shared.language.commands.bygone import Reach, reach, tells_nothing
from shared.language.commands.command import ChatCommand, ChatCommandName, usual_scope
from shared.language.commands.cued import CuedClause, announces_more, clauses, cued_clause, doubted_clause, said_beside_wishes
from shared.language.commands.language import Language
from shared.language.commands.learned import Place, likest, weights_of
from shared.language.commands.line import Line, line, words_in_question
from shared.language.commands.matching import PlacedCommand, beginnings, best, without_closers
from shared.language.commands.phrases import Phrase
from shared.language.commands.weighed import is_personal
from shared.language.commands.weighing import weighed_clause
from shared.language.text.sentences import MessageSentence

_FORGET_THAT = ChatCommandName.FORGET_THAT
_SAID = 0.95
"""Confidence in a wish that speaks of what was said before."""
_FEWEST = 2
"""Words that say something beside the request."""
_MOST_OF_A_WISH = 5
"""Sentences of a message that may say nothing beside the request."""
_MOST_COLONS = 4
_SIGNS = frozenset((",", ":"))
_WISH, _NO_WISH = 150, -150
"""Likeness of what may be a wish although no rule reads it, and of what is none although one does, if no phrase says it."""
_PLAIN_WISH = 400
"""Likeness of what is the person's own wish, although what stands before it is often somebody else's: `before I tell you`."""
_TOLD_IN_A_CLAUSE = 1
"""Words by which something is told in the clause of a wish itself."""
_LONGEST_FRAME = 16
"""Words."""
_BEFORE_A_TAG = 2
"""Words by which a hashtag is somebody else's: `she wrote #private`."""
_AT_THE_BEGINNING = frozenset(Asks) - FIGURES
_IN_A_CLAUSE = frozenset((Asks.ANYWHERE, Asks.AT_A_CLAUSE, Asks.ALONE))
_WITHOUT_A_COMMA = frozenset((Asks.ANYWHERE,))


class Request(NamedTuple):
    """Where a sentence asks not to keep something."""

    start: int
    end: int
    asks: Asks
    is_cued: bool = False
    is_tag: bool = False
    has_content: bool = False  # what is not to be kept stands in it
    is_doubtful: bool = False  # the turn is not kept, and the person is told how to have it kept
    likeness: int = 0  # of its sentence to such requests


def request_in(spoken: Line, language: Language, *, is_first: bool, is_read: bool) -> Request | None:
    """The request not to keep what is said, in a sentence. `is_first`: a message begins with it. `is_read`: it is a command."""
    words = frozenset(spoken.words.replace("-", " ").split()).union(spoken.cues)
    if language.withholding.isdisjoint(words):
        return None
    may_be = list(language.wishes.that_may_be_in(words.union(spoken.words.split())))
    if not may_be or (
        is_read
        and any(language.points_back.match(spoken.words, at) for at in beginnings(spoken, 0, len(spoken.words), language))
    ):
        return None
    known = [] if language.phrased.isdisjoint(spoken.cues) else [phrase for phrase in may_be if phrase is not None]
    phrased = next(_requests(spoken, language, known, is_first=is_first), None) if known else None
    weights = weights_of(language.code)
    place = likest(words_in_question(spoken), language.text.cued.kinds, weights) if weights else None
    likeness = place.likeness if place else 0
    if found := phrased or _tagged(spoken, language):
        return found._replace(likeness=likeness)
    if likeness < _NO_WISH:
        return None
    figure = next(_figures(spoken, language, known, is_first=is_first), None) if known else None
    may_mean_else = is_read or (likeness > _WISH and _takes_back(spoken, language))
    reads = (
        _cued(spoken, language, is_read=is_read)
        or _doubted(spoken, language)
        or figure
        or _weighed(spoken, language, is_first=is_first)
        or (_learned(spoken, place, language) if place and likeness > _WISH and not may_mean_else else None)
    )
    return reads and reads._replace(likeness=likeness)


def _figures(spoken: Line, language: Language, known: Sequence[Phrase], *, is_first: bool) -> Iterator[Request]:
    """Figures of speech that may ask it, each a whole clause."""
    for start in (*spoken.starts, *_after_colons(spoken)):
        kinds = FIGURES if is_first and start == spoken.starts[0] else FIGURES - {Asks.AS_A_LEAD}
        for at in beginnings(spoken, start, len(spoken.words), language):
            if request := _request(spoken, at, language, known, kinds):
                asks = Asks.ANYWHERE if request.asks is Asks.AS_A_FIGURE else request.asks
                yield request._replace(start=start, asks=asks, is_doubtful=True)


def _cued(spoken: Line, language: Language, *, is_read: bool) -> Request | None:
    """What asks it in words of its own."""
    found = cued_clause(spoken.words, language.text.cued, language.text.joints)
    if found is None:
        return None
    return _in_own_words(found)._replace(has_content=not is_read and _has_content(found, spoken, language))


def _has_content(found: CuedClause, spoken: Line, language: Language) -> bool:
    """Whether a clause tells something itself: `my drinking does not belong in your notes`."""
    return is_personal(spoken.words[found.start : found.end].split(), language.text.cued.doubts)


def _doubted(spoken: Line, language: Language) -> Request | None:
    """What may ask it."""
    if not any(language.doubts.may_be_in(frozenset(clause)) for _, clause in clauses(spoken.words)):
        return None
    found = doubted_clause(spoken.words, language.text.cued, language.text.joints, language.text.speaks)
    if found is None:
        return None
    return _in_own_words(found)._replace(is_doubtful=True, has_content=_has_content(found, spoken, language))


def _weighed(spoken: Line, language: Language, *, is_first: bool) -> Request | None:
    """What consists of what such a wish does."""
    found = weighed_clause(spoken.words, language.text.cued, language.text.joints, is_first=is_first)
    return found and Request(
        found.start, found.end, Asks.ANYWHERE, is_cued=True, is_doubtful=True, has_content=found.has_content
    )


def _takes_back(spoken: Line, language: Language) -> bool:
    """Whether a clause says what takes back a forgetting, `no wait, undo that`, and else means nothing."""
    end, rules = len(spoken.words), language.taking_back
    return any(best(spoken, start, end, rules=rules, language=language) for start in spoken.starts)


def _learned(spoken: Line, place: Place, language: Language) -> Request:
    """What is so like a wish that it may be one: the clause that has it."""
    cues, at = language.text.cued, 0
    for start, clause in clauses(spoken.words):
        at += len(clause) + (1 if start else 0)
        if place.at < at:
            break
    found = CuedClause(start, start + sum(len(word) + 1 for word in clause), is_announcement(clause, cues))
    told = sum(word not in cues.doubts.weighed for word in clause)
    return _in_own_words(found)._replace(is_doubtful=True, has_content=told >= _TOLD_IN_A_CLAUSE)


def _in_own_words(found: CuedClause) -> Request:
    asks = Asks.AT_A_CLAUSE if found.announces else Asks.ANYWHERE
    return Request(found.start, found.end, asks, is_cued=True)


def _tagged(spoken: Line, language: Language) -> Request | None:
    """A hashtag that asks it, among those with which a sentence begins or ends: `#private`."""
    if not spoken.may_have_tags:
        return None
    places = [at for at in spoken.offsets if spoken.word(at) not in _SIGNS]
    for run in (places, reversed(places)):
        for at in takewhile(spoken.is_tag, run):
            if (word := spoken.word(at)) in language.text.cued.hashtags:
                return Request(at, at + len(word) + 1, Asks.ANYWHERE, is_tag=True)
    return None


def what_is_withheld(
    request: Request, spoken: Line, said: Sequence[MessageSentence], index: int, language: Language
) -> ChatCommandName | None:
    """What of a conversation a request means; None if it stands alone and is a command of its own."""
    end = without_closers(spoken.words, request.end, len(spoken.words), language.closers)
    here = [spoken.words[: request.start], spoken.words[request.end : end]]
    others = [sentence for place, sentence in enumerate(said) if place != index]
    if request.has_content or (
        len(others) > _MOST_OF_A_WISH and any(_says_something(sentence.shown, language) for sentence in others)
    ):
        return ChatCommandName.NOT_THIS
    beside = [line(sentence, language).words for sentence in others[:_MOST_OF_A_WISH]]
    if any(_is_told_in_a_word(words, language) for words in beside):
        return ChatCommandName.NOT_THIS
    told = [*here, *beside]
    cues, joints = language.text.cued, language.text.joints
    if any(_says_something(said_beside_wishes(words, cues, joints), language) for words in told):
        return ChatCommandName.NOT_THIS
    if request.asks in (Asks.AT_A_CLAUSE, Asks.AS_A_MOOD) or any(announces_more(words, cues, joints) for words in told):
        return ChatCommandName.NOT_NEXT
    asked = spoken.words[request.start : request.end]
    if any(language.talk_alone.fullmatch(asked, at) for at in (0, asked.find(" ") + 1)):  # `well, it is a secret`
        return None
    is_wish = request.is_cued or (request.asks is Asks.ANYWHERE and not spoken.said.is_question)
    return ChatCommandName.FORGET_THAT if is_wish else None


def _is_told_in_a_word(words: str, language: Language) -> bool:
    """True for a sentence such as `Bankrupt.`, with a word that is none of a wish's."""
    cues = language.text.cued
    return words.count(" ") == 1 and words.strip() not in cues.doubts.weighed | cues.bygone.every | language.breaks


def of_what_went_before(said: Sequence[MessageSentence], language: Language) -> ChatCommand | None:
    """The wish of a message that speaks of what its person said before it; None if it does not.

    Where the message may hold something private itself, it is not kept either.
    """
    if len(said) > _MOST_OF_A_WISH:
        return None
    spoken = (clause for sentence in said for _, clause in clauses(line(sentence, language).words))
    match reach(spoken, language.text.cued, language.text.joints | language.text.reasons):
        case Reach.BEFORE:
            return ChatCommand(_FORGET_THAT, scope=usual_scope(_FORGET_THAT), confidence=_SAID, language=language.code)
        case Reach.BOTH:
            name = ChatCommandName.NOT_THIS
            return ChatCommand(name, scope=usual_scope(name), confidence=_SAID, may_mean_before=True, language=language.code)
        case Reach.THIS:
            return None


def is_all_of_wishes(said: Sequence[MessageSentence], language: Language) -> bool:
    """Whether a message has only words of wishes, so that what its person said before it may be meant as well."""
    spoken = (clause for sentence in said[:_MOST_OF_A_WISH] for _, clause in clauses(line(sentence, language).words))
    is_short = len(said) <= _MOST_OF_A_WISH
    return is_short and tells_nothing(spoken, language.text.cued, language.text.joints | language.text.reasons)


def is_of_others(request: Request, spoken: Line, language: Language) -> bool:
    """True if a request is what somebody else said, or part of a text to be written: `she whispers: don't write this down`."""
    before = spoken.words[: request.start]
    if request.is_tag:
        before = " ".join(before.split()[-_BEFORE_A_TAG:])
    if request.likeness > _PLAIN_WISH:
        return False
    if _is_reported(request, spoken, language):
        return True
    if _is_of_oneself(request, spoken, language):
        return False
    handed_over = language.announcements.search(before)
    return language.blockers.search(before) is not None or (handed_over is not None and ":" in before[handed_over.start() :])


def _is_of_oneself(request: Request, spoken: Line, language: Language) -> bool:
    """True for `my therapist thinks I'm bipolar, and I don't want you holding on to that`."""
    before, asked = spoken.words[: request.start].split(), spoken.words[request.start : request.end].split()
    while asked and asked[0] in language.text.joints:
        before.append(asked.pop(0))
    is_joined = len(before) > 1 and before[-1] in language.text.joints and before[-2] == ","
    return is_joined and asked[:1] != [] and asked[0] in language.text.cued.bare.own


def _is_reported(request: Request, spoken: Line, language: Language) -> bool:
    """True for `I told the waiter not to write it down`."""
    cues = language.text.cued
    asked, to = (*spoken.words[request.start : request.end].split(), "")[:2]
    before = spoken.words[: request.start].rpartition(",")[2].split()
    return asked in cues.denies and to in cues.bare.infinitives and not cues.reports.isdisjoint(before)


def means_this(found: PlacedCommand, spoken: Line, said: Sequence[MessageSentence], index: int, language: Language) -> bool:
    """True if `forget that` means what the message itself tells before, as in `I was fired. Forget that` it does.

    Where it speaks of what was said, as in `I said something stupid. Forget that.`, it means what went before.
    """
    asked = f" {spoken.words[found.start : found.end]} "
    if found.command.name is not ChatCommandName.FORGET_THAT or any(f" {each} " in asked for each in language.text.earlier):
        return False
    is_last = index == len(said) - 1 and _is_last(spoken, found.end, language)
    if not is_last or any(sentence.is_question for sentence in said):
        return False
    told = [*(line(sentence, language).words for sentence in said[:index]), spoken.words[: found.start]]
    cues, joints = language.text.cued, language.text.joints
    words = [word for each in told for word in said_beside_wishes(each, cues, joints).split()]
    return _says_something(" ".join(words), language) and language.text.retells.isdisjoint(words)


def _requests(spoken: Line, language: Language, known: Sequence[Phrase], *, is_first: bool) -> Iterator[Request]:
    for start in (*spoken.starts, *_after_colons(spoken)):
        kinds = _AT_THE_BEGINNING if is_first and start == spoken.starts[0] else _IN_A_CLAUSE
        for at in (*beginnings(spoken, start, len(spoken.words), language), *_framed(spoken, start, language)):
            if request := _request(spoken, at, language, known, kinds):
                yield request._replace(start=start)
    for before, at in pairwise(spoken.offsets):  # `my salary is 5000 don't save that`
        if spoken.word(before) in language.text.speaks:
            continue
        request = _request(spoken, at, language, known, _WITHOUT_A_COMMA)
        if request:
            yield request


def _after_colons(spoken: Line) -> list[int]:
    if ":" not in spoken.words:
        return []
    return [at + len(": ") for at in spoken.offsets if spoken.word(at) == ":"][:_MOST_COLONS]


def _framed(spoken: Line, start: int, language: Language) -> Iterator[int]:
    """Offsets after the words of a polite request: `would it be possible that you ...`."""
    is_request = False
    for at in spoken.offsets[bisect_left(spoken.offsets, start) :][:_LONGEST_FRAME]:
        if is_request:
            yield at
        word = spoken.word(at)
        if word not in language.text.frames:
            return
        is_request |= word in language.text.frame_marks


def _request(spoken: Line, at: int, language: Language, known: Sequence[Phrase], kinds: AbstractSet[Asks]) -> Request | None:
    """The request that begins here, one of those `known` phrases; None if there is none, or if it goes on: `save this file`."""
    for phrase in language.requests.get(spoken.word(at), ()):
        may_be = phrase.asks in kinds and any(phrase.phrase is each for each in known)
        match = phrase.pattern.match(spoken.words, at) if may_be else None
        if match and _ends(spoken, match, phrase.asks, language):
            return Request(at, match.end(), phrase.asks)
    return None


def _ends(spoken: Line, match: Match[str], asks: Asks, language: Language) -> bool:
    """Whether a request is complete where it was matched: what follows is another clause, or politeness."""
    if match[0].endswith(": ") or asks in FIGURES:  # the expression of a figure says so
        return True
    end = _after_closers(spoken, match.end(), language)
    following, is_last = spoken.word(end), _is_last(spoken, match.end(), language)
    if following in language.text.cued.doubts.mine and _introduces(match[0], language):
        return False
    is_polite = language.polite.search(spoken.words[match.end() - 1 : end]) is not None  # `..., please my boss is gay`
    match asks:
        case Asks.AS_LABEL:
            return is_last or following in _SIGNS
        case Asks.ALONE:
            return is_last and (match.start() == 0 or spoken.words[: match.start()].endswith((", ", ": ")))
        case Asks.AT_A_CLAUSE:
            goes_on = following in language.goes_on and following not in language.text.weak_joints
            return is_last or ((goes_on or is_polite) and following not in language.text.together)
        case _:
            return is_last or is_polite or following in language.goes_on


def _introduces(asked: str, language: Language) -> bool:
    """True for a request that only names what was said: `forget I said that` before `my rent is 780`."""
    told, *that = asked.split()[-2:]
    return told in language.text.cued.bare.told and that == ["that"]


def _after_closers(spoken: Line, end: int, language: Language) -> int:
    """Offset after politeness that stands here: `please, now`."""
    while closer := next((one for one in language.closers if spoken.words.startswith(one[1:], end)), ""):
        end += len(closer) - 1
    return end


def _is_last(spoken: Line, end: int, language: Language) -> bool:
    """Whether only politeness follows."""
    return without_closers(spoken.words, max(end - 1, 0), len(spoken.words), language.closers) <= end


def _says_something(words: str, language: Language) -> bool:
    return sum(word not in language.breaks for word in words.lower().split()) >= _FEWEST
