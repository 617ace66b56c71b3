"""Compares texts without the texts: SimHash over keyed hashes, and Jaccard over sets of them.

Source: M. Charikar, "Similarity estimation techniques from rounding algorithms", 2002.
"""

import hashlib
from collections.abc import Iterable, Sequence

from shared.domain.arrays import np

HASH_BYTES = 8


def keyed_hashes(key: bytes, purpose: bytes, features: Iterable[str]) -> list[bytes]:
    """Keyed hashes of the features, 8 bytes each, in order. Without the key nobody can try words against them."""
    hashed = hashlib.blake2b(key=key, digest_size=HASH_BYTES, person=purpose)
    found = []
    for feature in features:
        one = hashed.copy()
        one.update(feature.encode(errors="surrogatepass"))
        found.append(one.digest())
    return found


def simhash(hashes: Sequence[bytes]) -> int:
    """64 bits, each the majority of that bit over the hashes, a tie counting as 0; 0 for none.

    >>> simhash([bytes([0] * 7 + [3]), bytes([0] * 7 + [1]), bytes(8)])
    1
    """
    if not hashes:
        return 0
    bits = np.unpackbits(np.frombuffer(b"".join(hashes), np.uint8).reshape(len(hashes), HASH_BYTES), axis=1)
    return int.from_bytes(np.packbits(2 * bits.sum(axis=0, dtype=np.int64) > len(hashes)).tobytes(), "big")


def distance(one: int, other: int) -> int:
    """The number of bits, of 64, in which two SimHashes differ (Hamming distance).

    >>> distance(0b1011, 0b0010)
    2
    """
    return (one ^ other).bit_count()


def packed(hashes: Iterable[bytes]) -> bytes:
    """The set of these hashes as one blob: 8 bytes each, sorted, without repeats."""
    return b"".join(sorted(set(hashes)))


def jaccard(one: bytes, other: bytes) -> float:
    """Shared hashes over all hashes of two packed sets, in [0, 1]; 1 for two empty ones.

    >>> jaccard(packed([b"a" * 8, b"b" * 8]), packed([b"b" * 8]))
    0.5
    """
    ones, others = hashes_of(one), hashes_of(other)
    union = len(ones | others)
    return len(ones & others) / union if union else 1.0


def hashes_of(blob: bytes) -> frozenset[bytes]:
    """The hashes that `packed` put into a blob."""
    return frozenset(blob[place : place + HASH_BYTES] for place in range(0, len(blob), HASH_BYTES))
