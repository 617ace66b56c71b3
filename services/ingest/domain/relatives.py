"""Tells that facts are about one person where one says `the user's partner` and another `Nora`.

Whom a relative's name means follows from what the user said, `my girlfriend Nora`, as long as that stands. So the birth of a
child ends the pregnancy of Nora, though nobody named her that day.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from services.ingest.domain.claims import Claims, claims_of, keys_sought, sought_by, unpacked
from services.ingest.domain.lacks import Needs
from services.ingest.domain.memories import Status
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from shared.contracts.parts import FactSlot
from shared.domain.digests import Digester
from shared.statements.attributes import names_of_one
from shared.statements.slots import SlotClaim
from shared.statements.subjects import USER


class Relatives(NamedTuple):
    """The names of relatives by what they are to the user, all of them keyed hashes as the subjects of claims are."""

    names: Mapping[str, str]

    def named(self, claims: Claims) -> Claims:
        """The claims, those about a relative as claims about the one of that name."""
        return _about(self.names, claims) if self.names else claims

    def keys_sought(self, claims: Claims) -> frozenset[bytes]:
        """The keys of all that may contradict these claims, which are named, whatever it calls whom they are about."""
        unnamed = (_about({name: relation}, claims) for relation, name in self.names.items())
        return frozenset().union(*map(keys_sought, (claims, *unnamed)))


def relatives_of(claims: Claims, told_at: datetime, ruling: Ruling) -> Relatives:
    """The names of those relatives whom claims are about, by the facts that stand. Raises Lacks."""
    known = _KinHashes.of(ruling.given.digester)
    about = {claim.subject for claim in claims.stated} - {known.user}
    if not about:
        return Relatives({})
    asked = [SlotClaim(known.user, name, None) for name, subject in known.relations.items() if subject in about]
    asked += [SlotClaim(known.user, "", None, replaces=(name,)) for name in about.difference(known.relations.values())]
    ruling.state.require(Needs(claims=sought_by(keys_sought(Claims(tuple(asked))), told_at)))
    found = ((known.relations[claim.attribute], claim.words[0]) for claim in _namings(known, ruling.state) if claim.words)
    return Relatives({relation: name for relation, name in found if relation in about or name in about})


class _KinHashes(NamedTuple):
    """Hashes of words that every person's claims share."""

    user: str
    relations: Mapping[str, str]  # the subject of what is said of a relative, by the attribute that tells their name

    @classmethod
    @lru_cache(maxsize=16)
    def of(cls, digester: Digester) -> "_KinHashes":
        """The hashes by a key."""
        slots = (
            FactSlot(subject=USER, attribute="name"),
            *(FactSlot(subject=f"{USER}'s {name}", attribute=name) for name in sorted(names_of_one())),
        )
        user, *others = claims_of(slots, digester, is_whole=False).stated
        return cls(user.subject, {claim.attribute: claim.subject for claim in others})


def _namings(known: _KinHashes, state: ScopeState) -> Iterator[SlotClaim]:
    """The claims that tell what a relative is called, and stand, oldest first."""
    order = sorted((fact.told_at, state.memories[each].number, each) for each, fact in state.facts.items() if fact.claims)
    for *_, memory_id in order:
        if state.memories[memory_id].status is Status.SUPERSEDED:
            continue
        claims = unpacked(state.facts[memory_id].claims)
        for place, claim in enumerate(claims.stated):
            is_naming = claim.subject == known.user and claim.attribute in known.relations and len(claim.words or ()) == 1
            if is_naming and place not in claims.ended and not (claim.negated or claim.is_doubtful or claim.is_future):
                yield claim


def _about(subjects: Mapping[str, str], claims: Claims) -> Claims:
    stated = (replace(claim, subject=subjects.get(claim.subject, claim.subject)) for claim in claims.stated)
    return replace(claims, stated=tuple(stated))
