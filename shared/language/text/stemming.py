"""Cuts the endings of words, by Snowball's rules for seven languages. The full-text index has a stemmer of its own (Porter).

Source: M. Porter, Snowball, https://snowballstem.org; decision 0083.
"""

from functools import lru_cache

from Stemmer import Stemmer

_ALGORITHMS = {
    "en": "english",
    "de": "german",
    "fr": "french",
    "es": "spanish",
    "it": "italian",
    "pt": "portuguese",
    "nl": "dutch",
}


@lru_cache(maxsize=32_768)
def stem(word: str, language: str = "en") -> str:
    """The stem of a word in lower case: equal for most forms of a word, but not always its beginning.

    >>> stem("painted"), stem("studies"), stem("katzen", "de")
    ('paint', 'studi', 'katz')
    """
    stemmer = Stemmer(_ALGORITHMS[language], maxCacheSize=0)  # a new one each time: it has a state, and threads share us
    found: str = stemmer.stemWord(word)
    return found
