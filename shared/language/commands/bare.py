"""Recognises a clause that is nothing but a wish not to be kept, or an announcement.

Every word of it is one of the language's words for such wishes, so verbs that mean much else count too: `you are not
supposed to hold on to this`. In `don't hold this against me` a word is none of them, and nothing is read.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from shared.language.commands.cue_words import CueWords


def is_bare_wish(clause: Sequence[str], cues: CueWords) -> bool:
    """Whether a clause asks not to keep something, and says nothing else."""
    if not clause or not _has_only_words_of_wishes(clause, cues):
        return False
    return _refuses(clause, cues) or _unsays(clause, cues) or _is_gone_later(clause, cues)


def is_announcement(clause: Sequence[str], cues: CueWords) -> bool:
    """Whether a clause only says that something is to come: `whatever I say next`, `I'm about to tell you a secret`."""
    return means_next(clause, cues) and _has_only_words_of_wishes(clause, cues)


def means_next(clause: Sequence[str], cues: CueWords) -> bool:
    """Whether a clause points at what is said next."""
    bare = cues.bare
    return not bare.next.isdisjoint(clause) or not (bare.soon.isdisjoint(clause) or bare.tells.isdisjoint(clause))


def parts(clause: Sequence[str], joints: AbstractSet[str]) -> Iterator[tuple[int, Sequence[str]]]:
    """The parts of a clause between words such as `but`, each with the index at which it begins."""
    start = 0
    for at, word in enumerate((*clause, "")):
        if not word or word in joints:
            yield start, clause[start:at]
            start = at + 1


def _has_only_words_of_wishes(clause: Sequence[str], cues: CueWords) -> bool:
    bare, known = cues.bare, cues.of_wishes
    return all(word in known or (at and word in bare.up and clause[at - 1] in bare.moves) for at, word in enumerate(clause))


def denies_erasing(clause: Sequence[str], denied: int, cues: CueWords) -> bool:
    """True for `don't delete this note`: what is denied at this place is that something be erased."""
    return not cues.bare.erases.isdisjoint(clause[denied + 1 : denied + 2])


def _refuses(clause: Sequence[str], cues: CueWords) -> bool:
    """True for `you mustn't keep this in mind`, `no storing please` and `kept out of your memory`."""
    bare = cues.bare
    denied = _denial(clause, cues)
    if denied is None or _is_said_of_somebody(clause, denied, cues) or denies_erasing(clause, denied, cues):
        return False
    has_place = not (cues.places | bare.places).isdisjoint(clause)
    if clause[denied] in bare.away:
        return has_place and not (bare.holds | bare.moves | cues.keeps).isdisjoint(clause)
    if clause[denied] in bare.bans and clause[denied + 1] in bare.gerunds:
        return True
    keeps = cues.keeps | bare.holds
    kept = any(clause[at] in keeps and clause[at - 1] not in cues.owners for at in range(denied + 1, len(clause)))
    moved = has_place and not bare.moves.isdisjoint(clause)
    return (kept or moved) and _points(clause, denied, cues, has_place=has_place)


def _denial(clause: Sequence[str], cues: CueWords) -> int | None:
    """Where a clause denies; the `no` of `no, remember this` does not."""
    bare = cues.bare
    for at, word in enumerate(clause):
        is_ban = word in bare.bans and not bare.gerunds.union(bare.banned).isdisjoint(clause[at + 1 : at + 2])
        if is_ban or word in cues.denies | bare.refuses:
            return at
    return None


def _points(clause: Sequence[str], denied: int, cues: CueWords, *, has_place: bool) -> bool:
    """Whether a clause says what is not to be kept, or leaves it out as `not to go into any profile` does."""
    bare = cues.bare
    is_told = any(word in bare.tells | bare.told and clause[at] in cues.selves for at, word in enumerate(clause[1:]))
    if not cues.points.isdisjoint(clause) or is_told or not bare.next.isdisjoint(clause):
        return True
    if not bare.somethings.isdisjoint(clause[denied + 1 : denied + 3]):
        return True
    if clause[denied + 1] in bare.infinitives and clause[denied] in bare.plain:
        return denied == 0 or has_place
    is_for_you = has_place or not cues.addressed.isdisjoint(clause)
    return is_for_you and not bare.vague.isdisjoint(clause)


def _is_said_of_somebody(clause: Sequence[str], denied: int, cues: CueWords) -> bool:
    """True for what is only asked, told or supposed, and for what somebody does not do: `I can't keep this`."""
    bare, after = cues.bare, clause[denied + 1 :]
    if not bare.past.isdisjoint(clause) and bare.supposes.isdisjoint(clause):
        return True
    is_asked = clause[0] in cues.asks and (cues.selves | cues.addressed).isdisjoint(clause[1:2])
    is_supposed = not bare.supposes.isdisjoint(after)
    return not after or is_asked or is_supposed or _is_of_its_own(clause, denied, cues)


def _is_of_its_own(clause: Sequence[str], denied: int, cues: CueWords) -> bool:
    """True if a clause denies what the person or the bot does: `I'm not storing this`, `you never keep this`."""
    bare, before, after = cues.bare, clause[:denied], clause[denied + 1 :]
    if clause[denied] not in bare.away and not bare.own.isdisjoint(before[-2:]):
        return cues.wants.isdisjoint(after) and bare.supposes.isdisjoint(clause)
    if not before and after[0] in cues.addressed:
        return bare.dares.isdisjoint(after[1:2])
    if clause[denied] in bare.tires and before and before[-1] in cues.addressed:
        return True
    if clause[denied] in bare.fails and (cues.points | cues.addressed | bare.vague | bare.relatives).isdisjoint(before):
        return True
    selves = (at for at, word in enumerate(clause) if at > denied and word in cues.selves)
    return any((bare.tells | bare.told).isdisjoint(clause[at + 1 : at + 4]) for at in selves)


def _unsays(clause: Sequence[str], cues: CueWords) -> bool:
    """True for `pretend I never said this` and `you never heard this`."""
    bare = cues.bare
    if bare.hears.isdisjoint(clause) or (cues.points | bare.vague).isdisjoint(clause) or clause[0] in cues.asks:
        return False
    never = next((at for at, word in enumerate(clause) if at and word in bare.never), None)
    if never is None:
        return False
    return clause[0] in cues.addressed or not bare.pretends.isdisjoint(clause[:never])


def _is_gone_later(clause: Sequence[str], cues: CueWords) -> bool:
    """True for `wipe this once you have answered`."""
    bare = cues.bare
    erased = next((at for at, word in enumerate(clause) if word in bare.erases), None)
    if erased is None or not cues.denies.union(bare.refuses, bare.never, bare.own, bare.plain).isdisjoint(clause[:erased]):
        return False
    is_this = not bare.vague.union(bare.these).isdisjoint(clause[erased + 1 : erased + 3])
    return is_this and not bare.later.isdisjoint(clause[erased + 1 :])
