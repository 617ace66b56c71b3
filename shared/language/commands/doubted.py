"""Recognises a clause that may be a wish not to be kept, where nothing certain was read: then the person is asked.

It denies, keeps and points at what is said, or speaks of secrecy or of erasing, and most of its words are such a wish's: `there
shall be no paper record of this`. Where somebody else keeps something, or another thing is kept, it is none: `the police kept
no record of it`. What is told may stand in the same clause: `keep it out of your notes that I drink`, `I drink don't log this`.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice, pairwise
from typing import NamedTuple

from shared.language.commands.bare import parts
from shared.language.commands.borders import LONGEST, content_begins, later_begins, restarts
from shared.language.commands.cue_words import CueWords, DoubtWords

_LONGEST_REPEATED = 6
_NEAR = 8
"""Words between what denies and what keeps."""
_NEAR_PLACE, _NEAR_THING = 4, 2
_MOST_UNKNOWN = 3
"""Words between these that are none of such a wish: `don't you bloody well keep this`."""
_FOLLOWING = 4
_SHORTEST_ENDED = 5
_LONGEST_LABEL = 6
_NEAR_OF = 3
"""Words after a thing that is not to be kept: no `note be taken of` this."""


class DoubtedClause(NamedTuple):
    """Words of a clause that may ask not to keep something."""

    words: Sequence[str]
    has_content: bool = False  # what is told follows them

    def has(self, *kinds: AbstractSet[str]) -> bool:
        """Whether any word is of one of these kinds."""
        return any(not kind.isdisjoint(self.words) for kind in kinds)

    def first(self, kind: AbstractSet[str], start: int = 0, end: int | None = None) -> int | None:
        """Where the first word of a kind is, between two places."""
        return next((at for at, word in enumerate(self.words[start:end], start) if word in kind), None)


def doubted_part(
    clause: Sequence[str], cues: CueWords, joints: AbstractSet[str], speaks: AbstractSet[str]
) -> tuple[int, int] | None:
    """The first and last place of the words of a clause that may be a wish not to be kept; None if there are none.

    `speaks`: words after which no wish begins.
    """
    for at, part in ((0, clause), *parts(clause, joints)):
        later = () if cues.least.isdisjoint(part) else later_begins(part, cues.doubts, speaks)
        for begin in (0, *later):
            if end := _end_of_wish(part[begin:], cues.doubts):
                return at + begin, at + begin + end
    return None


def _end_of_wish(part: Sequence[str], doubt: DoubtWords) -> int | None:
    """Where the wish ends with which a part begins; None if it begins with none."""
    content = content_begins(part, doubt)
    if _may_be(DoubtedClause(part[:content], has_content=content < len(part)), doubt):
        return content
    if content < len(part) and _may_be(DoubtedClause(part), doubt):
        return len(part)
    return next((end for end in restarts(part, doubt) if _may_be(DoubtedClause(part[:end], has_content=True), doubt)), None)


def is_repeated(part: Sequence[str], doubt: DoubtWords) -> bool:
    """Whether a part beside a wish not to be kept only says so again: `..., please don't keep it`."""
    said = DoubtedClause(part)
    is_of_wish = said.has(doubt.denies) and said.has(doubt.keeps) and not said.has(doubt.own, doubt.others)
    return len(part) <= _LONGEST_REPEATED and is_of_wish and _knows_all(part, doubt)


def _without_ending(said: DoubtedClause, doubt: DoubtWords) -> DoubtedClause:
    """A clause without what only ends it: `please`, `ok`."""
    end = len(said.words)
    while end > 2 and said.words[end - 1] in doubt.finals:  # noqa: PLR2004 - a wish has two words
        end -= 1
    return said._replace(words=said.words[:end])


def _may_be(clause: DoubtedClause, doubt: DoubtWords) -> bool:
    return _is_wish(clause, doubt) or (
        clause.words[-1:] != [] and clause.words[-1] in doubt.finals and _is_wish(_without_ending(clause, doubt), doubt)
    )


def _is_wish(said: DoubtedClause, doubt: DoubtWords) -> bool:
    if not 1 < len(said.words) <= LONGEST:
        return False
    is_strange = sum(1 for _ in islice(_unknown(said.words, doubt), _MOST_UNKNOWN + 1)) > _MOST_UNKNOWN
    if (is_strange and not said.has(doubt.places)) or said.has(doubt.others) or _is_question(said, doubt):
        return False
    if not is_strange and _unsays(said, doubt):
        return True
    readings = _OF_MUCH_THAT_IS_TOLD if is_strange else _READINGS
    return not _is_told_of_the_person(said, doubt) and any(reads(said, doubt) for reads in readings)


def _is_question(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `is this recorded`, not for `is it possible that you don't keep this` and `what I say`."""
    first, second = said.words[:2]
    if first in doubt.relatives:
        return second in doubt.asks | doubt.shall
    is_denied = second in doubt.denies  # `do not keep this`
    return first in doubt.whys or (first in doubt.asks and not is_denied and not said.has(doubt.wants))


def _is_told_of_the_person(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True if a clause says what the person does, as in `I never write this down`; not for `I want ...` and `what I say`."""
    before = 1 if doubt.has_free_order else 0
    places = (at for at, word in enumerate(said.words) if word in doubt.own)
    return any(not _is_meant(said.words[max(at - before, 0) : at + 1 + _FOLLOWING], doubt) for at in places)


def _is_meant(words: Sequence[str], doubt: DoubtWords) -> bool:
    """Whether words that begin with `I` wish for something, or are what is said: `I want`, `I told you`; not `I don't say`."""
    told = next((at for at, word in enumerate(words) if word in doubt.tells | doubt.hears), None)
    return not doubt.wants.isdisjoint(words) or (told is not None and doubt.denies.isdisjoint(words[:told]))


def _knows_all(words: Sequence[str], doubt: DoubtWords) -> bool:
    return not any(_unknown(words, doubt))


def _unknown(words: Sequence[str], doubt: DoubtWords) -> Iterator[str]:
    for word in words:
        if word not in doubt.every and not (len(word) > _SHORTEST_ENDED and word.endswith(doubt.endings)):
            yield word


def _has_happened(said: DoubtedClause, doubt: DoubtWords) -> bool:
    return said.has(doubt.past) and not said.has(doubt.wants)


def _points(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """Whether a clause has words for what is said, or says `what I ...` or `I tell`."""
    two = pairwise(said.words)
    told = ((a in doubt.relatives and b in doubt.own) or (a in doubt.own and b in doubt.tells) for a, b in two)
    return said.has(doubt.these, doubt.next) or any(told)


def _is_of_another_thing(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True if a clause begins with something that is not what is said: `my phone`, `the store`."""
    return said.words[0] in doubt.owners and (doubt.these | doubt.next | doubt.tells).isdisjoint(said.words[1:3])


def _refuses(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `there shall be no paper record of this`."""
    denied = said.first(doubt.denies | doubt.bans)
    if denied is None or _has_happened(said, doubt) or _is_of_another_thing(said, doubt) or _is_stated(said, denied, doubt):
        return False
    if doubt.has_free_order and any(
        (word in doubt.owners and thing not in doubt.every for word, thing in pairwise(said.words))
    ):
        return False
    kept = _kept(said, doubt, denied + 1, denied + 1 + _NEAR)
    if kept is None and (doubt.has_free_order or said.words[denied] in doubt.after):
        kept = _kept(said, doubt)
    if kept is None or _is_asked_back(said, denied, doubt):
        return False
    between = said.words[min(denied, kept) + 1 : max(denied, kept)]
    beside = [*said.words[: min(denied, kept)], *said.words[max(denied, kept) + 1 :]]
    if not doubt.erases.isdisjoint(between) or not _knows_all(beside, doubt):
        return False
    unknown = list(_unknown(between, doubt))
    return len(unknown) <= _MOST_UNKNOWN and _means_what_is_said(said, denied, kept, doubt, is_sure=not unknown)


def _is_stated(said: DoubtedClause, denied: int, doubt: DoubtWords) -> bool:
    """True for `there is no record of this` and `you never remember this`."""
    if said.words[0] in doubt.there and said.words[1] in doubt.is_so:
        return True
    if denied == 0 and said.words[0] in doubt.nobody and not said.has(doubt.shall, doubt.wants, doubt.these):
        return True  # `nobody recorded the concert`
    is_complaint = denied > 0 and said.words[denied - 1] in doubt.yours and said.words[denied] in doubt.tires | doubt.fails
    return is_complaint and not said.has(doubt.wants, doubt.binds)


def _kept(said: DoubtedClause, doubt: DoubtWords, start: int = 0, end: int | None = None) -> int | None:
    """Where a word of keeping is, or a place as such: `in your mind`, not `I don't mind`."""
    for at, word in enumerate(said.words[start:end], start):
        before, after = said.words[max(at - 1, 0) : at], said.words[at + 1 : at + 2]
        is_thing = not doubt.owners.isdisjoint(before) and doubt.of.isdisjoint(after)
        is_named = not (doubt.yours | doubt.of | doubt.bans).isdisjoint(before) or not doubt.yours.isdisjoint(
            said.words[max(at - 2, 0) : at]
        )
        is_place = word in doubt.places and (is_named or _is_put_there(said.words[:at], doubt))
        if is_place or (word in doubt.keeps and not is_thing):
            is_asked = not doubt.whether.isdisjoint(after)
            return None if is_asked else at
    return None


def _is_put_there(before: Sequence[str], doubt: DoubtWords) -> bool:
    """True for the words before `log` in `not going in the log`."""
    *moved, of, the = ("", "", *before)[-_NEAR_PLACE:]
    return the in doubt.articles and of in doubt.of and not doubt.moves.isdisjoint(moved)


def _is_asked_back(said: DoubtedClause, denied: int, doubt: DoubtWords) -> bool:
    """True for `don't you remember this?`, not for `don't you dare`."""
    following = said.words[denied + 1 : denied + 3]
    return denied == 0 and bool(following) and following[0] in doubt.yours and doubt.dares.isdisjoint(following[1:])


def _means_what_is_said(said: DoubtedClause, denied: int, kept: int, doubt: DoubtWords, *, is_sure: bool) -> bool:
    """Whether what is not to be kept is what is said."""
    is_verb = said.words[kept - 1] in doubt.of | doubt.reasons  # `no need to write`, `no point keeping`
    is_thing = kept - denied <= _NEAR_THING and not is_verb
    if said.words[denied] in doubt.bans and is_thing:
        is_of_this = not doubt.of.isdisjoint(said.words[kept + 1 : kept + 1 + _NEAR_OF]) and (
            _points(said, doubt) or said.has(doubt.vague)
        )
        return is_of_this or (said.has(doubt.wants, doubt.polite) and not said.has(doubt.own))
    if _points(said, doubt):
        return True
    if said.has_content:
        return said.words[kept] in doubt.strict
    is_short = kept == len(said.words) - 1 and (said.has(doubt.yours) or said.words[kept] in doubt.strict)
    if is_short and said.has(doubt.binds):
        return is_sure
    is_asked = said.has(doubt.wants) and said.has(doubt.yours)  # `I'd rather you didn't hang on to that`
    is_it = said.has(doubt.vague) and (is_asked or said.words[kept] in doubt.strict | doubt.places)
    is_able = said.words[denied] not in doubt.fails or (denied > 0 and said.words[denied - 1] in doubt.yours)
    is_all = said.words[denied] in doubt.after and said.words[kept] in doubt.strict and kept == len(said.words) - 1
    return is_sure and ((is_it and is_able) or is_all)


def _keeps_away(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `my drinking stays out of your notes` and `keep what follows off the books`."""
    away = said.first(doubt.away)
    place = None if away is None else said.first(doubt.places, away + 1, away + 1 + _NEAR_PLACE)
    if away is None or place is None or _has_happened(said, doubt):
        return False
    if not _knows_all(said.words[away + 1 :], doubt):
        return False
    before = said.words[:away]
    is_kept = not (doubt.keeps | doubt.moves | doubt.wants).isdisjoint(before)
    if not doubt.yours.isdisjoint(said.words[away:place]):
        return is_kept or not before
    is_said = len(before) == 1 or _points(said, doubt) or said.has(doubt.vague)  # `omit from memory`
    return is_kept and is_said and _knows_all(before, doubt)


def _puts_nowhere(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `I don't want my rash in your notes`."""
    denied = said.first(doubt.denies)
    if denied is None or _has_happened(said, doubt) or _is_asked_back(said, denied, doubt):
        return False
    yours = said.first(doubt.yours, denied + 1)
    place = None if yours is None else said.first(doubt.places, yours + 1, yours + 1 + _NEAR_PLACE)
    if yours is None or place is None or not _knows_all(said.words[:denied], doubt):
        return False
    between = said.words[denied + 1 : yours]
    is_put = not (doubt.moves | doubt.keeps | doubt.wants).isdisjoint(said.words[:yours]) or (
        denied == 0 and said.words[1] in doubt.of
    )
    return is_put and doubt.erases.isdisjoint(between) and _knows_all(said.words[yours:], doubt)


def _is_erased(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `strike that from whatever you keep` and `bin this when you are done`."""
    erased = said.first(doubt.erases)
    if erased is None or said.has(doubt.denies) or _has_happened(said, doubt) or not _knows_all(said.words, doubt):
        return False
    if all(word in doubt.erases for word in said.words):
        return True  # `delete delete delete`
    following = said.words if doubt.has_free_order else said.words[erased + 1 : erased + 1 + _FOLLOWING]
    if (doubt.these | doubt.vague | doubt.tells).isdisjoint(following):
        return False
    after = DoubtedClause(said.words if doubt.has_free_order else said.words[erased + 1 :])
    is_said = not (doubt.these | doubt.vague).isdisjoint(following[:1])
    is_bid = said.words[0] in doubt.yours and said.first(doubt.shall, 0, erased) is not None  # `you'll forget this`
    is_undone = said.words[erased] in doubt.undoes or _is_from_a_place(after, doubt)
    if is_said and (is_bid or is_undone):
        return True
    return after.has(doubt.later) or (after.has(doubt.yours) and after.has(doubt.places, doubt.keeps))


def _is_from_a_place(after: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for the end of `wipe that from the record`."""
    away = after.first(doubt.away)
    return away is not None and after.first(doubt.places, away) is not None


def _is_label(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `not for the books` and `not to be minuted`."""
    if len(said.words) > _LONGEST_LABEL or said.words[0] not in doubt.denies or said.words[1] not in doubt.of:
        return False
    is_own = said.has(doubt.mine) or _has_happened(said, doubt)
    return said.words[-1] in doubt.places | doubt.strict and not is_own and _knows_all(said.words, doubt)


def _unsays(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `treat this as unsaid`, `act as if I never told you` and `this chat about my rash never happened`."""
    never = said.first(doubt.never)
    if said.words[0] in doubt.together and never == 1:  # `we never had this conversation`
        is_talk = said.first(doubt.talks, 2) is not None and said.has(doubt.these)
        return is_talk and not said.has_content and _knows_all(said.words, doubt)
    if not said.has(doubt.hears) or said.words[0] in doubt.own:
        return False
    if never is None or doubt.hears.isdisjoint(said.words[never : never + _FOLLOWING]):
        return False
    if said.words[0] in doubt.these:
        return said.words[-1] in doubt.hears | doubt.polite and len(list(_unknown(said.words, doubt))) <= _MOST_UNKNOWN
    return not doubt.pretends.isdisjoint(said.words[:never]) and _knows_all(said.words, doubt)


def _is_treated(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `treat as ephemeral`."""
    is_so = said.has(doubt.secret, doubt.vanishes) and not said.has(doubt.denies, doubt.past)
    return said.words[0] in doubt.pretends and is_so and _knows_all(said.words, doubt)


def _vanishes(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `what I tell you must disappear afterwards` and `let that be lost`."""
    denies = (doubt.denies | doubt.bans) - doubt.vanishes
    is_bid = said.has(doubt.shall, doubt.wants, doubt.stays) and not said.has(denies, doubt.past)
    is_this = _points(said, doubt) or said.has(doubt.vague)
    return said.has(doubt.vanishes) and is_bid and is_this and _knows_all(said.words, doubt)


def _hushes(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `this is a very private matter` and `this stays within these walls`."""
    stays = said.first(doubt.stays)
    is_here = stays is not None and said.first(doubt.here, stays) is not None
    if not (is_here or said.has(doubt.secret)) or said.has(doubt.denies, doubt.bans, doubt.past):
        return False
    about = DoubtedClause(said.words[:stays] if is_here else said.words)
    return _points(about, doubt) and _knows_all(said.words, doubt) and not _is_of_another_thing(said, doubt)


def _silences(said: DoubtedClause, doubt: DoubtWords) -> bool:
    """True for `nobody needs to know this` and `don't you breathe a word of this`."""
    if not _knows_all(said.words, doubt) or _has_happened(said, doubt) or not (said.has(doubt.vague) or _points(said, doubt)):
        return False
    denied = said.first(doubt.denies | doubt.bans)
    nobody = said.first(doubt.nobody)
    if nobody is None and denied is not None:
        nobody = said.first(doubt.anybody, denied)
    if nobody is not None and said.has(doubt.shall, doubt.wants) and said.first(doubt.knows, nobody) is not None:
        return True
    return denied is not None and said.first(doubt.spreads, denied) is not None and not _is_asked_back(said, denied, doubt)


_READINGS: Collection[Callable[[DoubtedClause, DoubtWords], bool]] = (
    _refuses,
    _keeps_away,
    _puts_nowhere,
    _is_erased,
    _is_label,
    _is_treated,
    _vanishes,
    _hushes,
    _silences,
)
_OF_MUCH_THAT_IS_TOLD = (_keeps_away, _puts_nowhere)
"""The readings that let a clause have more words that are none of a wish; each needs a place."""
