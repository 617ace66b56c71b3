"""Decides whether two texts are one memory, by keyed digests, SimHash, token hashes, and guards. No text is kept.

Two texts match when their guards agree, and in addition
- `exact`: they are worded alike, except for case, punctuation, space, contractions, articles, fillers and citations; or
- `simhash`: their SimHashes are at most 3 bits apart; or
- `jaccard`: at least 0.75 of their words are shared (0.9 of long ones').

The guards hold every word that can change the meaning, in order. Of a text of fewer than 40 words, or not in English, that is
every word but a few neutral ones such as `that`; so only trivial edits merge there, in any language.
Sources: ../reference/memory-upgrade-spec.md, "Near-Duplicate Detection"; ../reference/memory-system.md, "memory" (Jaccard);
design/mission.md, "SimHash alone is not a duplicate test".
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from services.ingest.domain.simhash import HASH_BYTES, distance, jaccard, keyed_hashes, packed, simhash
from shared.domain.digests import Digester
from shared.language.text.guards import Guards, guards
from shared.language.text.length import is_read
from shared.language.text.wording import Wording, wording

VERSION = "likeness/5"
"""Changes whenever a text may get another likeness: what is stored of old texts is built again then."""

NEAREST_BITS = 3
LEAST_SIMILARITY = 0.75
LEAST_SIMILARITY_LONG = 0.9

_TOKENS = b"tokens"
_BESIDE = slice(0, 5)
_SETTLED = slice(5, 13)
_DECORATION = slice(13, 16)
_NONE = bytes(3)
_LONG_TOKENS = 40 * HASH_BYTES


@dataclass(frozen=True, slots=True)
class Likeness:
    """What is stored of a text to recognise its repeats."""

    digest: bytes  # 16 bytes: keyed digest of the wording
    simhash: int  # unsigned 64 bits
    guard: bytes  # 16 bytes: what stands beside the words (5), the words that must agree (8), decoration (3)
    tokens: bytes  # the set of the words' keyed hashes: 8 bytes each, sorted

    @property
    def key(self) -> int:
        """Key of an index, signed 64 bits: any two texts that match as `simhash` or `jaccard` have the same key.

        It is the hash of the words that must agree. A prefix filter would need many keys for each text.
        """
        return int.from_bytes(self.guard[_SETTLED], "big", signed=True)


@dataclass(frozen=True, slots=True)
class Match:
    """The way in which two texts are one memory."""

    kind: Literal["exact", "simhash", "jaccard", "slot"]
    distance: int | None  # bits between the SimHashes, where the words are alike
    similarity: float | None  # Jaccard, in [0, 1], likewise


def likeness(text: str, digester: Digester) -> Likeness:
    """The likeness of a text; equal for wordings that differ only in trifles. One too long to be read is like itself."""
    if not is_read(text):
        unread = digester.digest("unread", text)
        return Likeness(digest=unread, simhash=0, guard=unread, tokens=b"")
    said = wording(text)
    return Likeness(
        digest=digester.digest("wording", *said.keys),
        simhash=simhash(keyed_hashes(digester.key, b"features", _features(said))),
        guard=_guard(guards(said), digester),
        tokens=packed(keyed_hashes(digester.key, _TOKENS, said.keys)),
    )


def words_of(text: str, digester: Digester) -> list[bytes]:
    """The keyed hashes of a text's words, 8 bytes each, in text order."""
    return keyed_hashes(digester.key, _TOKENS, wording(text).keys)


def match(known: Likeness, new: Likeness) -> Match | None:
    """How the new text repeats the known one; None if it does not, or if that is in doubt. Symmetric."""
    if known.guard[_BESIDE] != new.guard[_BESIDE] or not _decoration_agrees(known, new):
        return None
    is_exact = known.digest == new.digest
    if not is_exact and known.guard[_SETTLED] != new.guard[_SETTLED]:  # before all else: of many tombstones this is most
        return None
    bits, similarity = distance(known.simhash, new.simhash), jaccard(known.tokens, new.tokens)
    if is_exact:
        return Match("exact", bits, similarity)
    if bits <= NEAREST_BITS and similarity >= LEAST_SIMILARITY:
        return Match("simhash", bits, similarity)
    is_long = min(len(known.tokens), len(new.tokens)) >= _LONG_TOKENS
    return (
        Match("jaccard", bits, similarity) if similarity >= (LEAST_SIMILARITY_LONG if is_long else LEAST_SIMILARITY) else None
    )


def _features(said: Wording) -> list[str]:
    """The features of a wording: words and pairs of neighbours; in scripts without spaces also three characters."""
    keys = said.keys
    pairs = [f"{one} {other}" for one, other in pairwise(keys)]
    if not any(token.kind == "unspaced" for token in said.tokens):
        return [*keys, *pairs]
    return [*keys, *pairs, *map(" ".join, zip(keys, keys[1:], keys[2:], strict=False))]


def _guard(found: Guards, digester: Digester) -> bytes:
    decoration = digester.digest("decoration", *found.decoration)[:3] if found.decoration else _NONE
    return digester.digest("beside", *found.beside)[:5] + digester.digest("settled", *found.settled)[:8] + decoration


def _decoration_agrees(known: Likeness, new: Likeness) -> bool:
    one, other = known.guard[_DECORATION], new.guard[_DECORATION]
    return one == other or _NONE in {one, other}
