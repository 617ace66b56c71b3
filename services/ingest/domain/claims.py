"""What facts claim: their slots as keyed hashes, kept as one string a fact, and the keys by which rivals find each other.

Only slots of the closed list are claims: a plain value of a known attribute, neither hedged nor implied. All else that a fact
says ends nothing and is ended by nothing.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import NamedTuple

from shared.contracts.parts import FactSlot
from shared.domain.digests import Digester
from shared.domain.moments import microseconds, moment
from shared.language.statements.attributes import is_listed
from shared.language.statements.never import deeds
from shared.language.statements.slots import SlotClaim, claim_of
from shared.language.text.calendar import DAYS, MONTHS

VERSION = "claims/11"
"""Changes whenever a slot may get another claim, or a claim other keys: what is stored of old facts is built again then."""

_HASH_CHARACTERS = 16
_KEY_BYTES = 8


class Sought(NamedTuple):
    """A key of claims. Facts that are superseded are looked for only if they were told after a moment."""

    key: bytes
    after: datetime


@dataclass(frozen=True, slots=True)
class Claims:
    """All that a fact claims. Places are those of its slots."""

    stated: tuple[SlotClaim | None, ...] = ()  # None for a slot that is no claim
    ended: frozenset[int] = frozenset()  # places of those that do not hold any more
    since: tuple[datetime | None, ...] = ()  # when each began to hold, where it is said; empty: of none it is
    is_whole: bool = False  # the fact says nothing else
    says_more: bool = False  # the fact has words of which nothing is claimed: it never ends as a whole
    done: frozenset[str] = frozenset()  # hashes of what it tells that somebody did
    never: frozenset[str] = frozenset()  # hashes of what it tells that somebody never did

    def at_places(self) -> Iterator[tuple[int, SlotClaim]]:
        """Yield each claim with its place."""
        return ((place, claim) for place, claim in enumerate(self.stated) if claim)

    @property
    def essential(self) -> frozenset[int]:
        """The places that a fact is about: what it says that holds or, if it only says what does not, that."""
        own = frozenset(place for place, _ in self.at_places())
        return frozenset(place for place, claim in self.at_places() if not claim.negated) or own

    @property
    def may_end(self) -> bool:
        """True if nothing is left of a fact once all its claims have ended."""
        return any(self.stated) and not self.says_more

    @property
    def identity(self) -> bytes | None:
        """A key that is the same for facts that state the same and nothing else; None if more is said than could be read."""
        if not (self.is_whole and self.may_end):
            return None
        told = sorted((each.subject, *_value(each), each.is_future) for _, each in self.at_places())
        return _key("identity", json.dumps(told))

    def with_ended(self, places: frozenset[int]) -> Claims:
        """These claims, of which exactly those at the places have ended."""
        return replace(self, ended=places)

    def alike(self, places: frozenset[int]) -> frozenset[int]:
        """The places that say the same as one of these: of somebody with several names."""
        said = [_value(claim) for place, claim in self.at_places() if place in places]
        return frozenset(place for place, claim in self.at_places() if _value(claim) in said)


NO_CLAIMS = Claims()


@lru_cache(maxsize=1_024)
def claims_of(
    slots: tuple[FactSlot, ...], digester: Digester, *, is_whole: bool, says_more: bool = False, text: str = ""
) -> Claims:
    """The claims of a fact with these slots, and the deeds that its text tells."""

    def hashed(word: str) -> str:
        return digester.digest("claim", word).hex()[:_HASH_CHARACTERS]

    since = tuple(slot.valid_from for slot in slots)
    told = list(deeds(text))
    return Claims(
        stated=tuple(claim_of(slot, hashed) if _is_claim(slot) else None for slot in slots),
        since=since if any(since) else (),
        is_whole=is_whole,
        says_more=says_more or not all(slot.is_implied or _is_claim(slot) for slot in slots),
        done=frozenset(hashed(deed.words) for deed in told if not deed.is_never),
        never=frozenset(hashed(deed.words) for deed in told if deed.is_never),
    )


def _is_claim(slot: FactSlot) -> bool:
    """True for a plain value of the closed list: of a listed attribute, a favourite, or an appointment by its own name."""
    if slot.is_implied or slot.is_doubtful:
        return False
    *own_name, last = slot.attribute.split()
    is_appointment = bool(own_name) and all(map(_is_of_time, (slot.value or "").split()))
    return is_listed(slot.attribute) or is_listed(last) or own_name[:1] == ["favourite"] or is_appointment


def _is_of_time(word: str) -> bool:
    return word[0].isdigit() or word.lower() in DAYS or word.lower() in MONTHS


def packed(claims: Claims) -> str:
    """The claims as one string."""
    if claims == NO_CLAIMS or not (claims.stated or claims.done or claims.never):
        return ""
    said = asdict(claims)
    said["since"] = [each and microseconds(each) for each in claims.since]
    return json.dumps({name: sorted(value) if isinstance(value, frozenset) else value for name, value in said.items() if value})


@lru_cache(maxsize=4_096)
def unpacked(text: str) -> Claims:
    """The claims of a packed string."""
    said = json.loads(text or "{}")
    for name in ("ended", "done", "never"):
        said[name] = frozenset(said.get(name, ()))
    said["since"] = tuple(each and moment(each) for each in said.get("since", ()))
    claims = ({name: _tupled(value) for name, value in each.items()} if each else None for each in said.get("stated", ()))
    said["stated"] = tuple(each and SlotClaim(**each) for each in claims)  # type: ignore[arg-type] # as they were packed
    return Claims(**said)


@lru_cache(maxsize=4_096)
def keys_of(text: str) -> frozenset[bytes]:
    """The keys by which packed claims are found."""
    claims = unpacked(text)
    return frozenset(key for _, claim in claims.at_places() for key in _keys(claim)) | _of_all(claims, claims.done)


def keys_sought(claims: Claims) -> frozenset[bytes]:
    """The keys of all claims that one of these may end, may be ended by, or repeats."""
    return frozenset(key for _, claim in claims.at_places() for key in _rivals(claim)) | _of_all(claims, claims.never)


def sought_by(keys: Iterable[bytes], told_at: datetime) -> set[Sought]:
    """What is to be looked up for claims with these keys that were told at a time."""
    return {Sought(key, told_at) for key in keys}


def _of_all(claims: Claims, told: frozenset[str]) -> frozenset[bytes]:
    """The keys of what a fact says as a whole, and of the deeds that it tells or denies."""
    return frozenset(filter(None, (claims.identity, *(_key("deed", each) for each in told))))


def _keys(claim: SlotClaim) -> frozenset[bytes]:
    """The keys of a claim: of its attribute and its value. Two values that may name the same begin or end alike."""
    return _by_value(claim) | {_of(claim)} | (frozenset() if claim.words else {_of(claim, "any")})


def _rivals(claim: SlotClaim) -> frozenset[bytes]:
    return frozenset({_of(claim)}) if claim.is_single or not claim.words else _by_value(claim) | {_of(claim, "any")}


def _by_value(claim: SlotClaim) -> frozenset[bytes]:
    values = filter(None, (claim.words, claim.replaces))
    return frozenset(_of(claim, end, word) for words in values for end, word in (("first", words[0]), ("last", words[-1])))


def _of(claim: SlotClaim, *more: str) -> bytes:
    return _key(claim.subject, claim.attribute, *more)


def _value(claim: SlotClaim) -> tuple[object, ...]:
    return claim.attribute, sorted(claim.words or ()), claim.words is None, claim.negated


def _key(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(), digest_size=_KEY_BYTES).digest()


def _tupled(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
