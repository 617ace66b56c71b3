"""Whether two texts are one memory: keyed digests, SimHash and token hashes, and the guards over all of them. No text is kept.

Two texts match when their guards agree, and in addition
- `exact`: they are worded the same, but for case, punctuation, space, contractions, articles, fillers and citations; or
- `simhash`: their SimHashes are at most 3 bits apart; or
- `jaccard`: at least 0.75 of their words are shared (0.9 of long ones').

The guards hold every word that can turn a meaning, in its order. Of a text of fewer than 40 words, or not in English, that is
every word but a few neutral ones such as `that`; so nothing but an edit of no weight merges there, in any language.
Sources: ../reference/memory-upgrade-spec.md, "Near-Duplicate Detection"; ../reference/memory-system.md, "memory" (Jaccard);
design/mission.md, "SimHash alone is not a duplicate test".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from services.ingest.domain.simhash import distance, jaccard, keyed_hashes, packed, simhash
from shared.domain.digests import Digester
from shared.text.guards import Guards, guards
from shared.text.wording import Wording, wording

VERSION = "likeness/3"
"""Changes whenever the same text may give another likeness: what is kept of old texts must be made anew then."""

NEAREST_BITS = 3
LEAST_SIMILARITY = 0.75
LEAST_SIMILARITY_LONG = 0.9

_TOKENS = b"tokens"
_BESIDE = slice(0, 5)
_SETTLED = slice(5, 13)
_DECORATION = slice(13, 16)
_NONE = bytes(3)
_HASH_BYTES = 8
_LONG_TOKENS = 40 * _HASH_BYTES


@dataclass(frozen=True, slots=True)
class Likeness:
    """What is kept of a text to recognise its repeats."""

    digest: bytes  # 16 bytes: keyed digest of the wording
    simhash: int  # unsigned 64 bits
    guard: bytes  # 16 bytes: what stands beside the words (5), the words that must agree (8), decoration (3)
    tokens: bytes  # the set of the words' keyed hashes: 8 bytes each, sorted

    @property
    def key(self) -> int:
        """Key of an index, signed 64 bits: any two texts that match as `simhash` or `jaccard` have the same.

        A prefix filter would need many keys for each text, most of them of common words; as nothing matches unless the words
        that must agree do, their hash is the one key that is needed.
        """
        return int.from_bytes(self.guard[_SETTLED], "big", signed=True)


@dataclass(frozen=True, slots=True)
class Match:
    """That two texts are one memory, and how it was seen."""

    kind: Literal["exact", "simhash", "jaccard"]
    distance: int  # bits between the SimHashes
    similarity: float  # Jaccard, in [0, 1]


def likeness(text: str, digester: Digester) -> Likeness:
    """What to keep of a text; the same for every wording that differs in nothing that matters."""
    said = wording(text)
    return Likeness(
        digest=digester.digest("wording", *said.keys),
        simhash=simhash(keyed_hashes(digester.key, b"features", _features(said))),
        guard=_guard(guards(said), digester),
        tokens=packed(keyed_hashes(digester.key, _TOKENS, said.keys)),
    )


def words_of(text: str, digester: Digester) -> list[bytes]:
    """The keyed hashes of a text's words, 8 bytes each, in order: as `Likeness.tokens` has them."""
    return keyed_hashes(digester.key, _TOKENS, wording(text).keys)


def hashes_of(tokens: bytes) -> frozenset[bytes]:
    """The hashes that `Likeness.tokens` packs."""
    return frozenset(tokens[place : place + _HASH_BYTES] for place in range(0, len(tokens), _HASH_BYTES))


def match(known: Likeness, new: Likeness) -> Match | None:
    """How the new text repeats the known one; None where it does not, or where that is in doubt. Symmetric."""
    if known.guard[_BESIDE] != new.guard[_BESIDE] or not _decoration_agrees(known, new):
        return None
    bits, similarity = distance(known.simhash, new.simhash), jaccard(known.tokens, new.tokens)
    if known.digest == new.digest:
        return Match("exact", bits, similarity)
    if known.guard[_SETTLED] != new.guard[_SETTLED]:
        return None
    if bits <= NEAREST_BITS and similarity >= LEAST_SIMILARITY:
        return Match("simhash", bits, similarity)
    is_long = min(len(known.tokens), len(new.tokens)) >= _LONG_TOKENS
    return (
        Match("jaccard", bits, similarity) if similarity >= (LEAST_SIMILARITY_LONG if is_long else LEAST_SIMILARITY) else None
    )


def _features(said: Wording) -> list[str]:
    """Words and pairs of neighbours; of text without spaces the single characters, pairs and threes."""
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
