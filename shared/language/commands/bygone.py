"""Recognises that a message which asks not to be kept speaks of what its person said before it.

It regrets having said it (`I shouldn't have told you that`), tells why it is not to be kept (`that was private`) or points at
it (`what I just told you`). Such clauses have only words of that kind, so the message holds nothing of its own to be withheld.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from enum import Enum, auto

from shared.language.commands.bare import parts
from shared.language.commands.cue_words import CueWords

_NEAR = 3
"""Words from `what` to `I`, and from there to `told`."""
_FEWEST = 2
"""Words of a clause that tells something."""
_MOST_UNKNOWN = 1
"""Words of a clause such as `that was for my sister` that are none of its kind."""


class Reach(Enum):
    """What a wish not to be kept means."""

    THIS = auto()  # the message itself
    BEFORE = auto()  # what its person said before
    BOTH = auto()  # perhaps the one, perhaps the other


def reach(clauses: Iterable[Sequence[str]], cues: CueWords, joints: AbstractSet[str]) -> Reach:
    """What a wish among these clauses means, which are all that the message says."""
    said = [part for clause in clauses for _, part in parts(clause, joints) if part]
    if not cues.bygone.earlier or any(not cues.bare.next.isdisjoint(part) for part in said):
        return Reach.THIS
    told = next((at for at, part in enumerate(said) if _tells(part, cues)), len(said))
    points = any(_points_back(part, cues) for part in said if not _tells(part, cues))
    is_of_now = any(not cues.bygone.now.isdisjoint(part) for part in said)
    if told == len(said) and (
        points
        or (not is_of_now and any(_looks_back(part, cues) and (not cues.bygone.regrets.isdisjoint(part)) for part in said))
    ):
        return Reach.BEFORE
    is_perhaps = points or any(_looks_back(part, cues) for part in said[:told]) or _may_look_back(said[told:], cues)
    return Reach.BOTH if is_perhaps else Reach.THIS


def tells_nothing(clauses: Iterable[Sequence[str]], cues: CueWords, joints: AbstractSet[str]) -> bool:
    """Whether no clause has words of its own, as in `that one's not for the record`: then what went before may be meant."""
    return bool(cues.bygone.earlier) and not any(_tells(part, cues) for clause in clauses for _, part in parts(clause, joints))


def _unknown(part: Sequence[str], cues: CueWords) -> Iterator[str]:
    """The words of a part that say something of their own."""
    known = (cues.bare.every, cues.bygone.every, cues.denies, cues.keeps, cues.places, cues.points, cues.addressed, cues.selves)
    return (word for word in part if not any(word in words for words in known))


def _tells(part: Sequence[str], cues: CueWords) -> bool:
    return len(part) >= _FEWEST and any(_unknown(part, cues))


def _points_back(part: Sequence[str], cues: CueWords) -> bool:
    """True for `my last message`, `the message before` and `what I just told you`; not for `what I said here`."""
    bygone = cues.bygone
    if not bygone.things.isdisjoint(part) and not bygone.earlier.isdisjoint(part):
        return True
    return bygone.now.isdisjoint(part) and any(_is_what_was_told(part[at:], cues) for at in range(len(part)))


def _is_what_was_told(words: Sequence[str], cues: CueWords) -> bool:
    """True for words that begin with `what I just told you` or `the thing I said`."""
    own = next((at for at, word in enumerate(words[1:_NEAR], 1) if word in cues.bare.own), None)
    if own is None or words[0] not in cues.bare.relatives | cues.bygone.things:
        return False
    return not cues.bare.told.isdisjoint(words[own + 1 : own + 1 + _NEAR])


def _is_named_with_its_time(part: Sequence[str], cues: CueWords) -> bool:
    """True for `that thing about my father just now`; not for `the last message my ex sent`."""
    bygone = cues.bygone
    named = (at for at, word in enumerate(part) if word in bygone.things and {*part[at - 1 : at]} & (bygone.that | cues.owners))
    return part[-1] in bygone.lately and any(cues.bare.own.isdisjoint(part[at + 1 : at + 2]) for at in named)


def _looks_back(part: Sequence[str], cues: CueWords) -> bool:
    """True for `that was a joke` and `I told you that`."""
    bare, bygone = cues.bare, cues.bygone
    is_past = not (bare.past | bare.told | bygone.past).isdisjoint(part)
    is_said = not (bygone.that | bare.told | bare.tells).isdisjoint(part)
    return is_past and is_said


def _may_look_back(said: Sequence[Sequence[str]], cues: CueWords) -> bool:
    """True if the first clause that tells something is like `I shouldn't have told you about Leo` or `that was for Leo`."""
    if not said:
        return False
    bare, bygone, part = cues.bare, cues.bygone, said[0]
    is_denied = not cues.denies.isdisjoint(part)
    if _is_named_with_its_time(part, cues):
        return True
    if any(_is_what_was_told(part[at:], cues) for at in range(len(part) if is_denied else 1)):
        return True
    if not bygone.regrets.isdisjoint(part) and not (bare.told | bare.tells).isdisjoint(part):
        return not cues.addressed.isdisjoint(part)
    is_that = part[0] in bygone.that and not (bare.past | bygone.past).isdisjoint(part[1:2])
    return is_that and len(list(_unknown(part, cues))) <= _MOST_UNKNOWN
