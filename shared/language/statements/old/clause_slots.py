"""Slots as a clause states them: what its marks say of them."""

from dataclasses import replace

from shared.language.statements.old.attributes import ValueKind
from shared.language.statements.old.marking import MarkedClause
from shared.language.statements.old.slots import ReadSlot
from shared.language.statements.old.tables import Mark

DENIED = frozenset({Mark.NEGATED, Mark.ENDED})
"""The marks by which something does not hold."""


def stated_slot(
    whose: tuple[str, str],
    value: str | None,
    marked: MarkedClause,
    *,
    negated: bool = False,
    replaces: str | None = None,
    is_generic: bool = False,
) -> ReadSlot:
    """A slot as a clause with such marks states it."""
    return ReadSlot(
        subject=whose[0],
        attribute=whose[1],
        value=value,
        negated=negated or not marked.marks.isdisjoint(DENIED),
        is_doubtful=Mark.DOUBT in marked.marks,
        is_future=Mark.FUTURE in marked.marks,
        replaces=replaces,
        is_generic=is_generic,
    )


def known_slot(whose: tuple[str, str], value: str, *, is_over: bool) -> ReadSlot:
    """A slot of which the clause speaks as known: `my sister Nadia`, `my ex-wife Anna`."""
    return ReadSlot(
        subject=whose[0], attribute=whose[1], value=value, negated=is_over, replaces=value if is_over else None, is_plain=True
    )


def without_plan(marked: MarkedClause, kind: ValueKind) -> MarkedClause:
    """An appointment to come is no plan: it is an appointment now."""
    return replace(marked, marks=marked.marks - {Mark.FUTURE}) if kind is ValueKind.TIME else marked
