"""From the user's words to the terms that are looked for in texts."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise, takewhile

from shared.language.text.languages import LITTLE_WORDS, STOP_WORDS, find_other_language, language_of
from shared.language.text.stemming import stem
from shared.language.text.words import is_by_character, search_words

_SHORTEST_BEGINNING = 4
"""Letters; shorter words of other languages than English are looked for as they are."""

_MOST_TERMS = 64
"""A longer question is cut: its first words say what it is about."""

_MOST_PAIRS = 16


def terms(text: str) -> list[str]:
    """What to look for, quoted: words, beginnings of words, characters and pairs of them; no stop words.

    Words that say as little are looked for only where there are no others.

    >>> terms('When did Anna say "NEAR"?'), terms("Wo sind die Katzen?"), terms("我喜欢猫")
    (['"anna"', '"say"', '"near"'], ['"katz"*'], ['"我 喜"', '"喜 欢"', '"欢 猫"'])
    """
    found, language = search_words(text), find_other_language(text) or language_of(text)
    telling = [word for word in dict.fromkeys(found) if word not in STOP_WORDS[language]]
    telling = [word for word in telling if word not in LITTLE_WORDS.get(language, ())] or telling
    return [term for word in telling for term in _terms_of(word, language)][:_MOST_TERMS]


def near_pairs(found: Iterable[str], names: Collection[str] = ()) -> list[tuple[str, str]]:
    """Terms that stand side by side in the question: where they stand close in a text too, that counts more.

    Whole words only, and none of these names: who speaks is another leg's evidence.

    >>> near_pairs(terms("What did Anna paint last year?"), {"Anna"})
    [('"paint"', '"last"'), ('"last"', '"year"')]
    """
    of_names = {f'"{word}"' for name in names for word in search_words(name)}
    plain = [term for term in found if term not in of_names and " " not in term and not term.endswith("*")]
    return list(pairwise(plain))[:_MOST_PAIRS]


def too_common(frequencies: Mapping[str, int], most: int) -> frozenset[str]:
    """The terms that hardly tell one memory from another, if there are rarer ones: without them at most `most` match.

    The rarest stays in any case, and those that are as rare.

    >>> sorted(too_common({"anna": 4_000, "piano": 300, "lesson": 800}, 2_000))
    ['anna']
    """
    rarest = min(frequencies.values(), default=0)
    common, matched = set(), 0
    for term, frequency in sorted(frequencies.items(), key=lambda each: (each[1], each[0])):
        matched += frequency
        if matched > most and frequency > rarest:
            common.add(term)
    return frozenset(common)


def _terms_of(word: str, language: str) -> list[str]:
    if is_by_character(word):
        from shared.language.questions.chinese_japanese import pieces  # noqa: PLC0415 - patterns that few questions need

        return [f'"{" ".join(piece)}"' for piece in pieces(word)]
    return [f'"{word}"'] if language == "en" or len(word) < _SHORTEST_BEGINNING else [f'"{_beginning(word, language)}"*']


def _beginning(word: str, language: str) -> str:
    """What a word shares with its stem: the index stems English words only. Accents do not count, there or here."""
    bare = _without_accents(stem(word, language))
    both = zip(_without_accents(word), bare.replace("ss", "ß") if "ß" in word else bare, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    return word[: max(shared, _SHORTEST_BEGINNING)]


def _without_accents(word: str) -> str:
    return "".join(char for char in unicodedata.normalize("NFD", word) if not unicodedata.combining(char))


def phrases(text: str, longest: int = 3) -> list[str]:
    """Runs of one to `longest` words: what might be the name of an entity."""
    found = search_words(text)[:_MOST_TERMS]
    return list(
        dict.fromkeys(
            " ".join(found[start : start + length])
            for length in range(1, longest + 1)
            for start in range(len(found) - length + 1)
        )
    )


def named(speakers: Iterable[str], query: str) -> frozenset[str]:
    """The speakers whose whole name stands in the query, or whose first name does.

    >>> sorted(named(["Anna Lind", "Ben"], "What did Anna say?"))
    ['Anna Lind']
    """
    asked = set(search_words(query))
    return frozenset(speaker for speaker in speakers if (name := search_words(speaker)) and _is_named(name, asked, query))


def _is_named(name: Sequence[str], asked: Collection[str], query: str) -> bool:
    if is_by_character(name[0]):
        return name[0] in query  # no space tells where a word ends
    return name[0] in asked or set(asked).issuperset(name)


def without_names(query: str, speakers: Iterable[str]) -> str:
    """The query without the names of these speakers: a vector would look for whoever is spoken to.

    The speaker leg says who is meant; with the names 49 % of the evidence is found by vectors alone, without them 64 %.

    >>> without_names("What did Anna's sister say?", ["Anna Lind"])
    'What did sister say?'
    """
    names = {word for speaker in speakers for word in search_words(speaker)}
    kept = [word for word in query.split() if not (set(search_words(word)) & names)]
    return " ".join(kept) or query
