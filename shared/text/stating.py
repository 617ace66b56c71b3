"""Whether a text says what some words say: the coarse question that a forgetting asks of every turn."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u0e00-\u0e7f]+")
"""Kana, Han and Thai, written without spaces: pairs of characters stand for words."""
_ENOUGH = 0.75
_LEAST = 2
_STEM = re.compile(r"(?:'s|’s|ing|ed|es|s)$")
_SHORTEST_STEM = 3
_STOP_WORDS = """
    a an and are as at be been but by can could did do does for from had has have he her hers him his how i i'm i've if
    in into is it it's its just like me my mine no not of on or our ours out she so some that the their them then there
    these they this those to too up us user was we were what when where which who will with would you your yours about
    also am any because s t said say says tell told know really very much
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def content_words(text: str) -> frozenset[str]:
    """The words that carry a meaning, folded and with their commonest endings cut off.

    >>> sorted(content_words("My sister lives in Bergen, doesn't she?"))
    ['bergen', "doesn't", 'liv', 'sister']
    """
    found = (word.casefold().replace("’", "'") for word in _WORD.findall(text))
    stems = (_stem(word) for word in found if word not in STOP_WORDS and not _UNSPACED.search(word))
    spaced = frozenset(stem for stem in stems if stem not in STOP_WORDS)
    pairs = (run[i : i + 2] for run in _UNSPACED.findall(text) for i in range(max(len(run) - 1, 1)))
    return spaced.union(pairs)


def holds(text: str, words: frozenset[str]) -> bool:
    """Whether the text has every one of these content words."""
    return words <= content_words(text)


def states(text: str, words: frozenset[str]) -> bool:
    """Whether the text has enough of these content words to say what they say: three quarters, and at least two.

    >>> states("Oh, Bergen! So that is where your sister lives.", content_words("The user's sister lives in Bergen"))
    True
    """
    return has_enough(content_words(text), words)


def has_enough(said: frozenset[str], words: frozenset[str]) -> bool:
    """The same of the content words of a text."""
    shared = len(words & said)
    return shared >= _LEAST and shared >= _ENOUGH * len(words)


def _stem(word: str) -> str:
    cut = _STEM.sub("", word).rstrip("e")
    return cut if len(cut) >= _SHORTEST_STEM else word
