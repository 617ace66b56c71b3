"""Slips of the finger, without a list: a letter left out, doubled, exchanged with its neighbour, or hit beside it."""

from collections.abc import Callable, Collection, Iterable, Iterator
from string import ascii_lowercase

_SHORTEST = 6
"""Least letters of a word. Slips of shorter ones are too often other words; a language file lists the common ones."""
_SHORTEST_CRUCIAL, _SHORTEST_LEFT_OUT, _SHORTEST_ANYHOW = 4, 5, 7
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def slips(known: Collection[str], *, real: Collection[str]) -> dict[str, str]:
    """The known word, by each slip of it. A slip that is a `real` word, or of two known words, is left out.

    >>> slips(["forget"], real=["forge"])["froget"]
    'forget'
    """
    return _worked_out(known, _slips, shortest=_SHORTEST, real=real)


def _worked_out(
    known: Collection[str], slips_of: Callable[[str], Iterable[str]], *, shortest: int, real: Collection[str]
) -> dict[str, str]:
    """The known word of so many letters at least, by each slip of it that is neither a `real` word nor of two of them."""
    meant: dict[str, str] = {}
    doubted = {*real, *known}
    for word in sorted(known):
        for slip in slips_of(word) if len(word) >= shortest and word.isalpha() else ():
            if meant.setdefault(slip, word) != word:
                doubted.add(slip)
    return {slip: word for slip, word in meant.items() if slip not in doubted}


def _slips(word: str) -> Iterator[str]:
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]
        if at:
            yield word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]


def crucial_slips(crucial: Collection[str], *, real: Collection[str]) -> dict[str, str]:
    """The crucial word, by each slip of it: of words from four letters on, and with a letter hit beside the right one too.

    Of words from seven letters on with any letter put in, or in the place of another.

    A slip that is a `real` word is left out, and what may be a slip of two: so `real` is to hold the words of the language.

    >>> slips = crucial_slips(["dont", "save"], real=["sane"])
    >>> slips["dnot"], slips["svae"], slips["sabe"], "sane" in slips
    ('dont', 'save', 'save', False)
    """
    return _worked_out(crucial, _crucial_slips, shortest=_SHORTEST_CRUCIAL, real=real)


def _crucial_slips(word: str) -> Iterator[str]:
    for slip in _slips(word):
        if len(slip) >= len(word) or len(word) >= _SHORTEST_LEFT_OUT:
            yield slip
    is_long = len(word) >= _SHORTEST_ANYHOW
    for at, letter in enumerate(word):
        for other in ascii_lowercase if is_long else _beside(letter):
            yield word[:at] + other + word[at + 1 :]
        for put_in in ascii_lowercase if is_long else "":
            yield word[:at] + put_in + word[at:]


def _beside(letter: str) -> Iterator[str]:
    """The letters of the keys to the left and the right of one."""
    for row in _ROWS:
        at = row.find(letter)
        if at >= 0:
            yield from row[max(at - 1, 0) : at] + row[at + 1 : at + 2]
