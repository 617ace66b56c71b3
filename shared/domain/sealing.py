"""Numbers as limited bots see them: they tell nothing of what others send, and only whoever has the keys can read them."""

from dataclasses import dataclass

from shared.contracts.errors import Malformed
from shared.domain.digests import Digester

SEQUENCE = "sequence"
"""What the numbers of acknowledgements are sealed as."""

_HALF_BITS = 26
_HALF = (1 << _HALF_BITS) - 1
_MARK = 1 << 2 * _HALF_BITS
"""Added to what is sealed: above all sequences, and still a number that JSON parsers of all languages keep."""
_ROUNDS = 4
_BYTES = 4


def is_sealed(number: int) -> bool:
    """True for a number that a seal has made; sequences and positions are smaller."""
    return number >= _MARK


@dataclass(frozen=True, slots=True)
class Seal:
    """Seals the numbers of one kind for one person; each person has their own.

    A Feistel network with a keyed digest, over 52 bits: every number has another, and a guess is as good as never one in use.
    """

    what: str
    person: str  # the tokens of the space and the user
    digester: Digester

    def sealed(self, number: int) -> int:
        """A number below 2**52 as the bot may know it."""
        left, right = number >> _HALF_BITS, number & _HALF
        for index in range(_ROUNDS):
            left, right = right, left ^ self._mixed(index, right)
        return _MARK + (left << _HALF_BITS | right)

    def opened(self, number: int) -> int:
        """The number that was sealed. Raises Malformed for one that no seal has made."""
        if not _MARK <= number < 2 * _MARK:
            raise Malformed(f"this {self.what} was not given to this bot; give the one of the answer before, as it came")
        left, right = number >> _HALF_BITS & _HALF, number & _HALF
        for index in reversed(range(_ROUNDS)):
            left, right = right ^ self._mixed(index, left), left
        return left << _HALF_BITS | right

    def _mixed(self, index: int, half: int) -> int:
        mixed = self.digester.digest("seal", self.what, self.person, str(index), str(half))
        return int.from_bytes(mixed[:_BYTES], "big") & _HALF
