"""Sequences as limited bots see them: numbers that tell nothing of what others send."""

from shared.domain.digests import Digester

_HALF_BITS = 24
_HALF = (1 << _HALF_BITS) - 1
_MARK = 1 << 52
"""Added to what is sealed: above all sequences, and still a number that JSON parsers of all languages keep."""
_ROUNDS = 4
_BYTES = 3


def sealed(sequence: int, space: str, user: str, digester: Digester) -> int:
    """A sequence of SEND, below 2**48, as a number that only whoever has the keys can read; each person has their own.

    `space` and `user` are the tokens of a subject. A Feistel network with a keyed digest: every sequence has another number.
    """
    left, right = sequence >> _HALF_BITS & _HALF, sequence & _HALF
    for index in range(_ROUNDS):
        left, right = right, left ^ _mixed(index, right, space, user, digester)
    return _MARK + (left << _HALF_BITS | right)


def opened(number: int, space: str, user: str, digester: Digester) -> int:
    """The sequence of a sealed number; any other number as it is."""
    if number < _MARK:
        return number
    left, right = number >> _HALF_BITS & _HALF, number & _HALF
    for index in reversed(range(_ROUNDS)):
        left, right = right ^ _mixed(index, left, space, user, digester), left
    return left << _HALF_BITS | right


def _mixed(index: int, half: int, space: str, user: str, digester: Digester) -> int:
    return int.from_bytes(digester.digest("sequence", space, user, str(index), str(half))[:_BYTES], "big")
