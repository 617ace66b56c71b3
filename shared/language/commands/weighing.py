"""Weighs whether a clause may be a wish not to be kept, by what it consists of, where no other reading knows its words.

Such a wish denies an act or a place of keeping, erases, or gives the memory a rest, and it points at what is said: `once more
without the memory`, `my arrest should not be in your notes`. A few words may be unknown, more of them where it plainly points.
What it finds is never certain.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import NamedTuple

from shared.language.commands.cue_words import CueWords, DoubtWords
from shared.language.commands.weighed import (
    Weighed,
    is_asked,
    is_of_another_thing,
    is_of_the_person,
    is_personal,
    points,
    unknown_words,
    weighed_clauses,
    without_content,
    without_time,
)

_LONGEST = 26
_LONGEST_LABEL = 6
"""Words of a clause with which a message begins, and which has no verb of its own."""
_UNKNOWN, _UNKNOWN_BEFORE_A_COLON, _UNKNOWN_SUBJECT = 1, 2, 4
_NEAR = 3
"""Words from what denies to what is kept."""
_FEWEST = 2


def weighed_clause(words: str, cues: CueWords, joints: AbstractSet[str], *, is_first: bool) -> Weighed | None:
    """The first clause of a line that may be a wish not to be kept; None if there is none."""
    doubt = cues.doubts
    if not doubt.minds:
        return None
    for clause in weighed_clauses(words, joints, is_first=is_first):
        if _may_be(clause, doubt):
            has_content = (
                not doubt.facts.isdisjoint(clause.words) or is_personal(clause.words, doubt) or clause.words[0] in doubt.mine
            )
            return clause._replace(has_content=has_content)
    return None


def _may_be(whole: Weighed, doubt: DoubtWords) -> bool:
    if not 1 < len(whole.words) <= _LONGEST or not whole.has(
        doubt.keeps, doubt.places, doubt.minds, doubt.erases, doubt.vanishes, doubt.bins, doubt.around, doubt.knows
    ):
        return False
    said = without_content(whole, doubt)
    if unknown_words(without_time(said.words, doubt), doubt) > _UNKNOWN_SUBJECT:  # more than any of the readings lets pass
        return False
    if len(said.words) < _FEWEST or said.has(doubt.others - doubt.words) or said.words[0] in doubt.whys | doubt.whether:
        return False
    if is_of_the_person(said, doubt) or is_asked(said, doubt):
        return False
    if is_of_another_thing(said, doubt):
        return False
    return any(reads(said, doubt) for reads in ((_erases,) if said.is_joined else (_denies, _erases, _rests, _labels)))


class _Denial(NamedTuple):
    """What denies in a clause, and what is kept."""

    said: Weighed
    denied: int
    kept: int

    def after(self, at: int) -> Sequence[str]:
        """The words after a place."""
        return self.said.words[at + 1 :]


def _denies(said: Weighed, doubt: DoubtWords) -> bool:
    denied = said.first((doubt.denies - doubt.away) | doubt.bans | doubt.frees)
    if denied is None or (said.has(doubt.past - doubt.own) and not said.has(doubt.wants)):
        return False
    is_after = (
        doubt.has_free_order or said.words[0] in doubt.yours or said.words[denied] in doubt.after - doubt.tires | doubt.frees
    )
    kept = next((at for at in _kept(said, doubt) if at > denied or is_after), None)
    if kept is None:
        return False
    found = _Denial(said, denied, kept)
    return not (_is_stated(found, doubt) or _is_of_a_thing(found, doubt)) and _is_meant(found, doubt)


def _wishes(said: Weighed, doubt: DoubtWords) -> bool:
    return said.has(doubt.wants, doubt.binds, doubt.shall - doubt.loose) or _is_to_be(said, doubt)


def _is_stated(found: _Denial, doubt: DoubtWords) -> bool:
    """True for `nobody keeps this`, `there is no record of it` and `nothing here is worth saving`."""
    said, denied, _ = found
    first, second = said.words[:2]
    if first in doubt.nobody or (first in doubt.bans and second in doubt.anybody):
        return not said.has(doubt.shall, doubt.wants)
    if first in doubt.there and second in doubt.is_so:
        return not said.has(doubt.reasons)
    if _wishes(said, doubt):
        return False
    if first in doubt.this:
        is_for = not (doubt.of | doubt.infinitives).isdisjoint(found.after(denied)[:1])
        return not (said.has_colon or is_for or said.has(doubt.somethings))
    return said.words[denied] in doubt.fails or (first in doubt.after and not doubt.has_free_order and not said.has_content)


def _is_of_a_thing(found: _Denial, doubt: DoubtWords) -> bool:
    """True for `don't save the document`, `don't stop recording`, `no, save this` and `don't remember if I told you`."""
    said, denied, kept = found
    if not doubt.erases.isdisjoint(said.words[denied + 1 : kept]):
        return True
    a_thing, named = (*found.after(kept), "", "")[:2]
    known = doubt.personal | doubt.places | doubt.facts | doubt.this
    if a_thing in doubt.whether or (a_thing in doubt.owners - doubt.this and named != "" and named not in known):
        return True
    if said.words[denied] not in doubt.ends and not doubt.ends.isdisjoint(found.after(denied)[:2]):
        return True
    return said.words[denied] in doubt.bans and kept == denied + 1 and said.words[kept] in doubt.bare_verbs


def _is_meant(found: _Denial, doubt: DoubtWords) -> bool:
    """Whether what is not to be kept is what is said."""
    said, denied, kept = found
    first, unknown = said.words[0], unknown_words(said.words, doubt)
    if first in doubt.owners and first not in doubt.this:
        return _is_of_the_persons_own(found, doubt) and unknown <= _UNKNOWN_SUBJECT
    if first in doubt.vague or (first in doubt.yours and said.words[1] in doubt.tires):
        return unknown == 0 and said.has(doubt.binds, doubt.wants)
    if said.has_content or _is_wished(found, doubt) or points(said, doubt):
        is_wish = said.has_content or _wishes(said, doubt)
        return unknown <= (_UNKNOWN_BEFORE_A_COLON if said.has_colon else _UNKNOWN if is_wish else 0)
    if unknown:
        return False
    word = said.words[kept]
    is_bid = denied == 0 or _wishes(said, doubt) or said.has(doubt.shall)
    is_kept = said.has_colon or word in (doubt.strict - doubt.bare_verbs) | doubt.places | doubt.minds
    return (said.has(doubt.yours) and is_bid and is_kept) or _is_all(found, doubt)


def _is_of_the_persons_own(found: _Denial, doubt: DoubtWords) -> bool:
    """True for `my arrest should not be in your memory`."""
    said = found.said
    is_put = said.has(doubt.yours) or not doubt.strict.isdisjoint(said.words[-2:])
    is_bid = said.has(doubt.shall - doubt.loose, doubt.somethings) or _is_to_be(said, doubt)
    return said.words[0] in doubt.mine & doubt.owners and not said.has(doubt.own) and is_put and is_bid


def _is_wished(found: _Denial, doubt: DoubtWords) -> bool:
    """True for `I don't want my rash remembered` and `that is nothing that I want on record`."""
    said = found.said
    is_own = said.has(doubt.own) and not (doubt.mine - doubt.own).isdisjoint(said.words[: found.kept])
    return said.has(doubt.wants) and (is_own or said.has(doubt.somethings))


def _is_all(found: _Denial, doubt: DoubtWords) -> bool:
    """Whether a clause says nothing but that nothing is kept: `once more without the memory`, `please keep nothing`."""
    said, denied, kept = found
    is_own = any(word in doubt.own and said.words[at - 1] not in doubt.together_with for at, word in enumerate(said.words))
    is_clear = said.words[0] not in doubt.bans or said.is_first or said.has_colon or said.has(doubt.finals)
    is_last = kept == len(said.words) - 1
    is_kept = (said.has(doubt.binds) and is_last) or (denied == 0 and said.words[-1] in doubt.somethings)
    is_kept |= said.words[kept] in doubt.strict | doubt.minds | doubt.places
    return not is_own and is_clear and is_kept and abs(kept - denied) <= _NEAR + said.has_colon


def _kept(said: Weighed, doubt: DoubtWords) -> Iterator[int]:
    for at, word in enumerate(said.words):
        before = said.words[max(at - 2, 0) : at]
        is_thing = at > 0 and said.words[at - 1] in doubt.owners and word not in doubt.places | doubt.minds
        is_thing &= doubt.bans.isdisjoint(before)  # `without a trace`
        is_place = (
            word in doubt.places
            and not (doubt.yours | doubt.of | doubt.bans | doubt.moves).isdisjoint(before)
            and (not at or said.words[at - 1] not in doubt.denies)
        )
        beside = said.words[at - 1 : at] if doubt.has_free_order else said.words[at + 1 : at + 2]
        is_somebody = not doubt.persons.isdisjoint(beside)  # `save me a seat`
        is_known = word in doubt.knows and not doubt.yours.isdisjoint(before)  # `what you know`
        if (is_place or is_known or word in doubt.keeps | doubt.minds | doubt.around) and not (is_thing or is_somebody):
            yield at


def _erases(said: Weighed, doubt: DoubtWords) -> bool:
    """True for `as soon as I leave you forget this` and `kindly have this struck out`."""
    timeless = without_time(said.words, doubt)
    gone = said.first(doubt.erases | doubt.vanishes | doubt.bins)
    if (
        gone is None
        or said.has(doubt.past - doubt.erases - doubt.own)
        or (not (doubt.denies - doubt.away).isdisjoint(timeless) and not said.has(doubt.gone))
    ):
        return False
    is_this = points(said, doubt) or said.has_content
    is_it = said.has(doubt.vague) or (said.has_colon and said.words[-1] not in doubt.articles)
    if not (is_this or is_it) or said.words[0] in doubt.owners - doubt.these:
        return False
    is_later = said.has(doubt.later, doubt.whens)
    is_bid = said.has(doubt.shall - doubt.loose, doubt.wants, doubt.polite, doubt.binds) or gone == 0 or _is_to_be(said, doubt)
    unknown = unknown_words(timeless, doubt)
    is_undone = is_bid and (said.has(doubt.gone) or said.has_colon) and doubt.from_.isdisjoint(timeless)
    return (is_later or is_undone or said.has(doubt.bins)) and unknown == 0 and (is_this or is_later)


def _is_to_be(said: Weighed, doubt: DoubtWords) -> bool:
    """True for `is to be forgotten`."""
    return any(a in doubt.infinitives and b in doubt.becomes for a, b in pairwise(said.words))


def _rests(said: Weighed, doubt: DoubtWords) -> bool:
    """True for `give your memory a rest for this`."""
    mind = said.first(doubt.minds)
    if (
        mind is None
        or not said.has(doubt.rests)
        or said.has(doubt.own)
        or not (doubt.personal | doubt.fails).isdisjoint(said.words)
    ):
        return False
    return unknown_words(said.words, doubt) == 0 and (
        said.has_content or said.has_colon or said.has(doubt.this, doubt.yours, doubt.later, doubt.whens, doubt.polite)
    )


def _labels(said: Weighed, doubt: DoubtWords) -> bool:
    """True for `one for the bin` and `memory-free zone please`, with which a message begins."""
    if (
        not (said.is_first or said.has_colon)
        or len(said.words) > _LONGEST_LABEL
        or said.has(doubt.own, doubt.owners - doubt.articles, doubt.past)
    ):
        return False
    is_gone = said.has(doubt.bins, doubt.vanishes) and not said.has(doubt.denies)
    is_free = said.has(doubt.frees) and said.has(doubt.minds, doubt.strict)
    is_gone |= said.has_colon and said.has(doubt.secret) and not said.has(doubt.denies)
    kept = next(_kept(said, doubt), None)
    is_free |= (
        said.words[0] in doubt.bans
        and kept is not None
        and said.words[kept] in (doubt.minds | doubt.strict | doubt.bare_things) - doubt.bare_verbs
    )
    return (is_gone or is_free) and unknown_words(said.words, doubt) == 0 and said.words[0] not in doubt.shall
