"""Slots as they were read, and the rule by which a newer one ends an older one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from shared.contracts.parts import FactSlot
from shared.language.statements.attributes import attribute
from shared.language.statements.stems import head_of, is_end, is_part, stems

_ASPECT = "frequency of "


class ReadSlot(FactSlot):
    """A slot, and how the text states it."""

    is_whole: bool = False  # whether the text says nothing else
    says_more: bool = False  # whether the text has words that nothing was read of

    @property
    def slot(self) -> FactSlot:
        """The part that an event records."""
        return FactSlot.of_valid(**{name: getattr(self, name) for name in FactSlot.model_fields})


class Relation(StrEnum):
    """How a newer slot stands to an older one."""

    SUPERSEDES = "supersedes"  # the older one does not hold any more
    BESIDE = "side by side"  # they are of the same attribute, and both hold
    DOUBTFUL = "doubtful"  # the newer one would end the older, were it certain
    NOTHING = "nothing"  # they have nothing to do with each other, or the newer one is not yet true


@dataclass(frozen=True, slots=True)
class SlotClaim:
    """What is compared of a slot. All words may be keyed hashes, the same word always the same hash."""

    subject: str  # a name, as a value of that name: the user's partner may be called so
    attribute: str
    words: tuple[str, ...] | None  # the value, word by word; None where any is meant. The words of a clock begin with a colon
    negated: bool = False
    head: tuple[str, ...] = ()  # the words of the value before a preposition: a treasurer of the chess club is a treasurer
    replaces: tuple[str, ...] = ()  # the words of the value that the statement says to be the old one
    of: tuple[str, ...] = ()
    """The words of what the attribute is an aspect of: who quits volleyball plays it twice a week no more."""
    is_single: bool = False  # whether one value holds at a time; read of the newer claim only, like all that follows
    has_parts: bool = False  # whether fewer words may name the same: a Golf is a VW Golf
    is_fixed: bool = False  # whether the value holds for life, and the statement is neither a correction nor a denial
    is_doubtful: bool = False
    is_future: bool = False


def claim_of(slot: FactSlot, key: Callable[[str], str] = str) -> SlotClaim:
    """What is compared of a slot, each of its words made unreadable by `key`.

    >>> claim_of(FactSlot(subject="user", attribute="car", value="the old golf")).words
    ('old', 'golf')
    """
    known = attribute(slot.attribute)
    return SlotClaim(
        subject=key(" ".join(stems(slot.subject))),
        attribute=key(" ".join(sorted(stems(slot.attribute)))),
        words=None if slot.value is None else _keyed(slot.value, key),
        negated=slot.negated,
        head=() if slot.value is None else _keyed(head_of(slot.value), key),
        replaces=_keyed(slot.replaces, key) if slot.replaces else (),
        of=_keyed(slot.attribute.removeprefix(_ASPECT), key) if slot.attribute.startswith(_ASPECT) else (),
        is_single=known.one,
        has_parts=known.parts,
        is_fixed=known.fixed and not slot.replaces and not slot.negated,
        is_doubtful=slot.is_doubtful,
        is_future=slot.is_future,
    )


def relation(new: SlotClaim, old: SlotClaim) -> Relation:
    """How the newer stands to the older.

    >>> old, new = (FactSlot(subject="user", attribute="home", value=place) for place in ("leeds", "york"))
    >>> str(relation(claim_of(new), claim_of(old)))
    'supersedes'
    """
    if new.subject != old.subject:
        return Relation.NOTHING
    is_same = new.attribute == old.attribute
    is_named = _names(new.replaces, old.words) or _names(new.replaces, old.head)
    is_replaced = is_same and not old.negated and is_named
    is_ended = new.negated and bool(new.words) and bool(old.of) and is_part(new.words or (), old.of)
    if not (is_ended or is_same):
        return Relation.NOTHING
    if not (is_replaced or is_ended or _contradicts(new, old)):
        return Relation.BESIDE
    if new.is_future:
        return Relation.NOTHING
    return Relation.DOUBTFUL if new.is_doubtful else Relation.SUPERSEDES


def ends(new: FactSlot, old: FactSlot) -> bool:
    """Whether the newer slot supersedes the older."""
    return relation(claim_of(new), claim_of(old)) is Relation.SUPERSEDES


def _keyed(value: str, key: Callable[[str], str]) -> tuple[str, ...]:
    return tuple(f"{':' * (':' in word)}{key(word)}" for word in stems(value))


def _contradicts(new: SlotClaim, old: SlotClaim) -> bool:
    """Whether two claims of one attribute cannot both hold."""
    if new.negated:
        return not old.negated and (new.words is None or _meet(new, old))
    if old.negated:
        return old.words is None or (new.words is not None and (is_part(new.words, old.words) or is_end(old.words, new.words)))
    if new.words is None or old.words is None or not new.is_single or set(new.words) == set(old.words):
        return False
    clocks, days = _clock(new.words), _without_clock(new.words)
    if clocks or _clock(old.words):
        return _differ(clocks, _clock(old.words)) or _differ(days, _without_clock(old.words))
    return not (new.has_parts and (is_part(new.words, old.words) or is_part(old.words, new.words)))


def _meet(new: SlotClaim, old: SlotClaim) -> bool:
    """Whether two values of one attribute are the same, said in more words or in fewer."""
    if new.words is None or old.words is None:
        return new.words == old.words
    starts = new.words == old.words[: len(new.words)] or old.words == new.words[: len(old.words)]
    return starts or is_end(new.words, old.words) or is_end(old.words, new.words)


def _names(some: Sequence[str], words: Sequence[str] | None) -> bool:
    return bool(some) and words is not None and (is_end(some, words) or is_end(words, some))


def _differ(some: set[str], others: set[str]) -> bool:
    return bool(some and others) and not (some <= others or others <= some)


def _clock(words: Sequence[str]) -> set[str]:
    return {word for word in words if word.startswith(":")}


def _without_clock(words: Sequence[str]) -> set[str]:
    return {word for word in words if not word.startswith(":")}
