"""Recognises the person in a fact that an agent tells of them by name: `Anna moved to York`, where they said who they are."""

from collections.abc import Iterator
from dataclasses import replace

from services.ingest.domain.ruling import Ruling
from services.ingest.domain.superseding import is_stated
from services.ingest.domain.told_fact import ToldFact
from shared.contracts.parts import FactSlot
from shared.language.statements.subjects import USER

_ATTRIBUTES = ("name", "nickname")


def known_by_name(told: ToldFact, ruling: Ruling) -> ToldFact:
    """The fact, with the name by which it means the person if it does. Raises Lacks."""
    for name in _subjects(told):
        if any(is_stated(FactSlot(subject=USER, attribute=each, value=name), ruling) for each in _ATTRIBUTES):
            return replace(told, names=(*told.names[:1], name))
    return told


def _subjects(told: ToldFact) -> Iterator[str]:
    """The names of those of whom a fact tells; one may be the name of the person."""
    subjects = dict.fromkeys(slot.subject for slot in told.stated)
    return (each for each in subjects if not each.startswith(USER) and "'s " not in each)
