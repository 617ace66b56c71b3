"""Slips of the finger, without a list: a letter left out, doubled, or exchanged with its neighbour."""

from collections.abc import Collection, Iterator

_SHORTEST = 6
"""Least letters of a word. Slips of shorter ones are too often other words; a language file lists the common ones."""


def slips(known: Collection[str], *, real: Collection[str]) -> dict[str, str]:
    """The known word, by each slip of it. A slip that is a `real` word, or of two known words, is left out.

    >>> slips(["forget"], real=["forge"])["froget"]
    'forget'
    """
    meant: dict[str, str] = {}
    doubted: set[str] = set(real) | set(known)
    for word in sorted(known):
        if len(word) >= _SHORTEST and word.isalpha():
            for slip in _slips(word):
                if meant.setdefault(slip, word) != word:
                    doubted.add(slip)
    return {slip: word for slip, word in meant.items() if slip not in doubted}


def _slips(word: str) -> Iterator[str]:
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]
        if at:
            yield word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :]
