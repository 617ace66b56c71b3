"""What facts claim: their slots as keyed hashes, kept as one string a fact, and the keys by which rivals find each other.

A claim is found by its subject and attribute, by the words of its value, and by the last word of what it replaces. So what may
contradict a new claim is a few look-ups, however many facts there are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from functools import lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

from shared.contracts.parts import FactSlot
from shared.domain.digests import Digester
from shared.domain.moments import microseconds, moment
from shared.statements.attributes import are_joint
from shared.statements.slots import SlotClaim, claim_of
from shared.statements.stems import stem
from shared.text.phrasing import NEGATIONS
from shared.text.wording import wording

VERSION = "claims/7"
"""Changes whenever a slot may get another claim, or a claim other keys: what is stored of old facts is built again then."""

_HASH_CHARACTERS = 16
_LONGEST_SAYING = 80
_AUXILIARIES = frozenset(("do", "does", "did"))
_KEY_BYTES = 8


class Sought(NamedTuple):
    """A key of claims. Facts that are superseded are looked for only if they were told after a moment."""

    key: bytes
    after: datetime


@dataclass(frozen=True, slots=True)
class Claims:
    """All that a fact claims. Places are those of its slots."""

    stated: tuple[SlotClaim, ...] = ()
    implied: frozenset[int] = frozenset()  # places of those that only follow from others
    ended: frozenset[int] = frozenset()  # places of those that do not hold any more
    is_whole: bool = False  # it says nothing else
    since: tuple[datetime | None, ...] = ()  # when each began to hold, where it is said; empty: of none it is
    is_joint: bool = False  # its essential places are said in one breath, and do not hold without each other
    says_more: bool = False  # its text has words of which nothing is claimed: it never ends as a whole
    saying: str = ""  # the hash of its words but for negations, where they are few
    is_denial: bool = False  # it denies these words

    def opposes(self, other: Claims) -> bool:
        """True if both have the same words, but that one of the two denies them."""
        return bool(self.saying) and self.saying == other.saying and self.is_denial != other.is_denial

    @property
    def essential(self) -> frozenset[int]:
        """The places that a fact is about: what it says that holds or, if it only says what does not, that."""
        own = frozenset(range(len(self.stated))) - self.implied
        return frozenset(place for place in own if not self.stated[place].negated) or own

    @property
    def identity(self) -> bytes | None:
        """A key that is the same for facts that state the same and nothing else; None if more is said than could be read."""
        own = [claim for place, claim in enumerate(self.stated) if place not in self.implied]
        if not self.is_whole or not own:
            return None
        told = [
            (
                one.subject,
                one.attribute,
                None if one.words is None else sorted(one.words),
                one.negated,
                one.is_doubtful,
                one.is_future,
            )
            for one in own
        ]
        return _key("identity", json.dumps(sorted(told, key=repr)))

    def with_ended(self, places: frozenset[int]) -> Claims:
        """These claims, of which exactly those at the places have ended."""
        return replace(self, ended=places)

    def ended_by(self, places: Iterable[int]) -> frozenset[int]:
        """The essential places that end where these do: what only goes with another claim does not end without it."""
        ending = frozenset(places)
        return self.essential if ending & self.implied and len(list(self._said())) == 1 else self.said_at(ending)

    def denied_among(self, places: frozenset[int]) -> frozenset[int]:
        """The places among these at which the fact says, beside what holds, what does not: `no coffee, only tea`."""
        return frozenset(place for place in places - self.implied if self.stated[place].negated)

    def said_at(self, places: frozenset[int]) -> frozenset[int]:
        """The essential places that say the same as one of these."""
        return frozenset().union(*(same for same in self._said() if not places.isdisjoint(same)))

    def _said(self) -> Iterable[frozenset[int]]:
        """The essential places, those together that say one thing: of one with several names, or as a whole."""
        if self.is_joint:
            return [self.essential]
        same: dict[object, set[int]] = {}
        for place in sorted(self.essential):
            claim = self.stated[place]
            same.setdefault((claim.attribute, claim.words, claim.negated), set()).add(place)
        return map(frozenset, same.values())


NO_CLAIMS = Claims()


@lru_cache(maxsize=1_024)
def claims_of(
    slots: tuple[FactSlot, ...], digester: Digester, *, is_whole: bool, says_more: bool = False, text: str = ""
) -> Claims:
    """The claims of a fact with these slots; of its text, what it affirms or denies as a whole."""

    def hashed(word: str) -> str:
        return digester.digest("claim", word).hex()[:_HASH_CHARACTERS]

    implied = frozenset(place for place, slot in enumerate(slots) if slot.is_implied)
    stated = tuple(claim_of(slot, hashed) for slot in slots)
    since = tuple(slot.valid_from for slot in slots)
    saying, is_denial = _saying(text)
    found = Claims(
        stated,
        implied,
        is_whole=is_whole,
        since=since if any(since) else (),
        says_more=says_more,
        saying=saying and hashed(saying),
        is_denial=is_denial,
    )
    own = [slots[place] for place in found.essential]
    is_one = len({slot.subject for slot in own}) == 1 and not any(slot.negated for slot in own)
    return replace(found, is_joint=is_one and are_joint(slot.attribute for slot in own))


def _saying(text: str) -> tuple[str, bool]:
    """The words of a short text without its negations, and whether these deny it; nothing of a long one.

    >>> _saying("Anna may not eat peanuts") == (_saying("Anna may eat peanuts")[0], True)
    True
    """
    keys = wording(text).keys if len(text) <= _LONGEST_SAYING else ()
    denials = [key for key in keys if key in NEGATIONS]
    words = sorted(stem(key) for key in keys if key not in NEGATIONS and key not in _AUXILIARIES)
    return " ".join(words), len(denials) % 2 == 1


def packed(claims: Claims) -> str:
    """The claims as one string, without what the table of attributes says: that may change."""
    if not (claims.stated or claims.saying):
        return ""
    stated = [asdict(replace(claim, is_single=False, has_parts=False)) for claim in claims.stated]
    since = [each and microseconds(each) for each in claims.since]
    return json.dumps(
        [
            *(stated, sorted(claims.implied), sorted(claims.ended), claims.is_whole, since, claims.is_joint),
            *(claims.says_more, claims.saying, claims.is_denial),
        ]
    )


@lru_cache(maxsize=4_096)
def unpacked(text: str) -> Claims:
    """The claims of a packed string."""
    if not text:
        return NO_CLAIMS
    stated, implied, ended, is_whole, since, is_joint, *rest = json.loads(text)
    began = tuple(None if each is None else moment(each) for each in since)
    return Claims(tuple(map(_claim, stated)), frozenset(implied), frozenset(ended), is_whole, began, is_joint, *rest)


@lru_cache(maxsize=4_096)
def keys_of(text: str) -> frozenset[bytes]:
    """The keys by which packed claims are found."""
    claims = unpacked(text)
    return frozenset({key for claim in claims.stated for key in _keys(claim)} | _of_all(claims))


def keys_sought(claims: Claims) -> frozenset[bytes]:
    """The keys of all claims that one of these may end, may be ended by, or repeats."""
    return frozenset({key for claim in claims.stated for key in _rivals(claim)} | _of_all(claims))


def _of_all(claims: Claims) -> set[bytes]:
    """The keys of what a fact says as a whole."""
    saying = _key("saying", claims.saying) if claims.saying else None
    return {key for key in (claims.identity, saying) if key}


def sought_by(keys: Iterable[bytes], told_at: datetime) -> set[Sought]:
    """What is to be looked up for claims with these keys that were told at a time."""
    return {Sought(key, told_at) for key in keys}


def _keys(claim: SlotClaim) -> Iterator[bytes]:
    whose, name, words = claim.subject, claim.attribute, claim.words
    yield _key("attribute", whose, name)
    yield from [_key("attribute", whose, claim.sort)] if claim.sort else []
    if words:
        yield from (_key("word", whose, name, word) for word in words)
        yield _key("last", whose, name, words[-1])
        yield from (_key("held", whose, tail[-1]) for tail in (words, claim.head) if tail)
    else:
        yield _key("any", whose, name)
    if claim.replaces:
        yield _key("replaced", whose, claim.replaces[-1])


def _rivals(claim: SlotClaim) -> Iterator[bytes]:
    """The keys under which a claim's rivals are found: where one value has all words of another, it has its last word."""
    whose, name, words = claim.subject, claim.attribute, claim.words
    if claim.is_single or not words:
        yield _key("attribute", whose, name)
    yield _key("any", whose, name)
    if words:
        yield _key("word", whose, name, words[-1])
        yield from (_key("last", whose, name, word) for word in words)
        yield _key("replaced", whose, words[-1])
    if claim.replaces:
        yield _key("held", whose, claim.replaces[-1])


def _key(*parts: str) -> bytes:
    return blake2b("\0".join(parts).encode(), digest_size=_KEY_BYTES).digest()


def _claim(said: dict[str, Any]) -> SlotClaim:
    fields: dict[str, Any] = {name: _tupled(value) for name, value in said.items()}
    return SlotClaim(**fields)


def _tupled(value: object) -> object:
    return tuple(map(_tupled, value)) if isinstance(value, list) else value
