"""Keeps the signs of all vectors in packed blocks, so that a search looks through 100,000 of them in milliseconds.

A block holds the memories whose numbers differ in their last nine bits only, so what a block holds does not depend on the
order in which it was written.
"""

from __future__ import annotations

import functools
import json
from collections import defaultdict
from collections.abc import Collection

from sqlalchemy import Connection, bindparam, delete, text
from sqlalchemy.dialects.sqlite import insert

from services.retriever.store.schema import coarse_vectors as blocks
from shared.domain.arrays import NDArray, np
from shared.runtime.sqlite import rows

_BITS_OF_BLOCK = 9
_NUMBER = "<i8"
_NUMBER_BYTES = 8
_FRESH = text(
    """
    SELECT number, model, vec_quantize_binary(embedding) AS bits FROM vec_memories JOIN memories USING (number)
    WHERE number IN (SELECT value FROM json_each(:numbers)) AND memories.valid_until IS NULL
      AND length(embedding) % 32 = 0 -- 8 signs are a byte
    """
)
_OF_BLOCKS = text("SELECT * FROM vec_coarse WHERE block IN (SELECT value FROM json_each(:blocks))")
_PUT = insert(blocks).prefix_with("OR REPLACE")
_REMOVE = delete(blocks).where(
    blocks.c.model == bindparam("of_model"), blocks.c.size == bindparam("of_size"), blocks.c.block == bindparam("at")
)
_OF_MODEL = "SELECT numbers, bits FROM vec_coarse WHERE model = :model AND size = :size ORDER BY block"
_BYTES = "SELECT coalesce(sum(length(numbers)), 0) FROM vec_coarse WHERE model = :model"

Key = tuple[str, int, int]


def update(db: Connection, numbers: Collection[int]) -> None:
    """Pack the signs of these memories anew from their rows; memories that have ended or are gone have none."""
    asked = {"blocks": json.dumps(sorted({number >> _BITS_OF_BLOCK for number in numbers}))}
    held: defaultdict[Key, dict[int, bytes]] = defaultdict(dict)
    for row in db.execute(_OF_BLOCKS, asked):
        of_block = held[row.model, row.size, row.block]
        for index, number in enumerate(np.frombuffer(row.numbers, _NUMBER).tolist()):
            of_block[number] = row.bits[index * row.size : (index + 1) * row.size]
    for of_block in held.values():
        for number in numbers:
            of_block.pop(number, None)
    for number, model, bits in db.execute(_FRESH, {"numbers": json.dumps(sorted(numbers))}):
        held[model, len(bits), number >> _BITS_OF_BLOCK][number] = bits
    for (model, size, block), signs in held.items():
        if signs:
            packed = {"numbers": np.array(sorted(signs), _NUMBER).tobytes(), "bits": b"".join(signs[n] for n in sorted(signs))}
            db.execute(_PUT, {"model": model, "size": size, "block": block} | packed)
        else:
            db.execute(_REMOVE, {"of_model": model, "of_size": size, "at": block})


def count(db: Connection, model: str) -> int:
    """The number of memories with a vector of this model."""
    [(held,)] = rows(db, _BYTES, {"model": model})
    return int(held) // _NUMBER_BYTES


def nearest(db: Connection, model: str, vector: bytes, most: int) -> list[int]:
    """The numbers of the memories whose vectors agree with float32[dimensions] in the most signs; of equals the older."""
    asked = _signs(vector)
    packed = rows(db, _OF_MODEL, {"model": model, "size": len(asked)})
    numbers = np.frombuffer(b"".join(numbers for numbers, _ in packed), _NUMBER)
    bits = np.frombuffer(b"".join(bits for _, bits in packed), np.uint8).reshape(-1, len(asked))
    unlike = np.bitwise_count(_words(bits) ^ _words(asked[None])).astype(np.uint16)
    distance = functools.reduce(np.add, unlike.T)  # far quicker than a sum along so short an axis
    best = np.argsort(distance, kind="stable")[:most]
    return numbers[best].tolist()  # type: ignore[no-any-return]


def _signs(vector: bytes) -> NDArray[np.uint8]:
    """The sign bits of float32[dimensions], packed like those of sqlite-vec's `vec_quantize_binary`."""
    return np.packbits(np.frombuffer(vector, np.float32) > 0, bitorder="little")


def _words(bits: NDArray[np.uint8]) -> NDArray[np.unsignedinteger]:
    """Rows of bytes as rows of 64-bit words, if their length allows it: an eighth of the work."""
    return bits.view(np.uint64) if bits.shape[1] % 8 == 0 else bits
