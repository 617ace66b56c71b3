"""Checks the value of a slot by its type, and writes it as it is compared: lower case, without articles, in one spelling."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from shared.language.statements.attributes import ValueKind
from shared.language.statements.language import StatementLanguage, shared_list

_MOST_WORDS = 4
_MOST_AGE = 115
_SHORTEST_OF_COMPOUND = 4
_DIGITS = re.compile(r"\d+")
_DOSE = re.compile(r"(\d+(?:[.,]\d+)?) ?(mg|mcg|µg|g|ml|units?|iu|puffs?|drops?|tropfen|gotas|gouttes)")
_CLOCK = re.compile(r"(\d{1,2})(?:[:.h](\d\d))?(?: ?(am|pm|uhr|h|o'clock))?")
_ORDINAL = re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|\.)?")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]+")
_MONEY = re.compile(r"([$£€])? ?(\d[\d.,']*)(k)? ?(\$|£|€|[a-zé]+)?(?: (?:a|per|pro|al|par|each|every) \w+)?")
_CURRENCY = {
    **dict.fromkeys(("$", "usd", "dollars", "dollar", "bucks", "dólares"), "usd"),
    **dict.fromkeys(("€", "eur", "euros", "euro"), "eur"),
    **dict.fromkeys(("£", "gbp", "pounds", "quid"), "gbp"),
    **dict.fromkeys(("brl", "reais"), "brl"),
}
_LEAST_PHONE_DIGITS = 7
_NOON, _HOURS, _MINUTES = 12, 24, 60
_SMALL_OF_NAMES = frozenset(
    "of the de la le du des del los las el d l an am der den die das im von van upon on san y und &".split()  # noqa: SIM905
)


class Token(NamedTuple):
    """A word of a clause in the form in which it is matched, and how it was written."""

    word: str
    is_capital: bool  # with a large letter, and not only because a sentence begins
    start: int  # in the text
    end: int

    @property
    def is_word(self) -> bool:
        """True unless it is a punctuation mark."""
        return any(map(str.isalnum, self.word))


class ValueReader(NamedTuple):
    """Reads the values of one text."""

    language: StatementLanguage
    has_capitals: bool  # the text has large letters at all, so that a name without one is none

    def read(self, kind: str, tokens: Sequence[Token]) -> tuple[str, ...]:
        """Return the values that the words name, all of the type; nothing if any is not."""
        if kind in _LISTED:
            parts = _split(tokens, self.language)
            found = [self._one(kind, part) for part in parts]
            return tuple(filter(None, found)) if all(found) else ()
        value = self._one(kind, tokens)
        return (value,) if value else ()

    def _one(self, kind: str, tokens: Sequence[Token]) -> str | None:
        said, tokens = tokens, _without_articles(tokens, self.language)
        if kind == ValueKind.LIKING and said[0].word in self.language.at_hand:
            return None
        if kind == ValueKind.PERSON and len(tokens) < len(said) and not self._is_with_article(said):
            return None
        if not tokens or len(tokens) > 2 * _MOST_WORDS:
            return None
        return _READERS[kind](self, tokens)

    def place(self, tokens: Sequence[Token]) -> str | None:
        """A place of the list, or words with large letters."""
        words = _text(tokens).replace(" ,", ",")
        known = shared_list("places")
        if words in known or (len(tokens) > 2 and all(each.strip() in known for each in words.split(","))):  # noqa: PLR2004
            return words
        return words if self._is_name(tokens) and self.language.code != "de" else None

    def known_place(self, tokens: Sequence[Token]) -> str | None:
        """A place of the list."""
        words = _text(tokens).replace(" ,", ",")
        return words if all(each.strip() in shared_list("places") for each in words.split(",")) else None

    def person(self, tokens: Sequence[Token]) -> str | None:
        """One to three words that may be a name."""
        if len(tokens) > 3 or any(not each.word.replace("-", "").replace("'", "").isalpha() for each in tokens):  # noqa: PLR2004
            return None
        if any(self._is_little(each.word) or each.word in self.language.empty for each in tokens):
            return None
        if self._is_name(tokens):
            return _text(tokens)
        may_be = not self.has_capitals and not any(each.word in self.language.frequent for each in tokens)
        return _text(tokens) if may_be else None

    def _is_with_article(self, tokens: Sequence[Token]) -> bool:
        """True if words with an article may be a name: `la Giulia`, but not `a taxi` or `my job`."""
        return tokens[0].word not in self.language.numbers and tokens[-1].is_capital

    def firm(self, tokens: Sequence[Token]) -> str | None:
        """Words with large letters, or one of a kind of firm: `a bakery`."""
        if found := self.known_firm(tokens):
            return found
        words = _text(tokens)
        is_place = self.language.code in _WITH_ONE_PREPOSITION and words in shared_list("places")
        is_other = is_place or words in self.language.kin or words in _NO_FIRMS
        is_noun = self.language.code == "de" and any(self._is_plain(each.word) for each in tokens)
        return words if self._is_name(tokens) and not is_noun and not is_other else None

    def _is_plain(self, word: str) -> bool:
        return word in self.language.frequent or word in self.language.empty or word in self.language.little

    def known_firm(self, tokens: Sequence[Token]) -> str | None:
        """One of a kind of firm: `a bakery`."""
        is_short = len(tokens) <= _MOST_WORDS and not self._has_little(tokens)
        return _text(tokens) if is_short and tokens[-1].word in self.language.lists["firm"] else None

    def role(self, tokens: Sequence[Token]) -> str | None:
        """A job of the list, with at most three words before it."""
        is_short = len(tokens) <= _MOST_WORDS and not self._has_little(tokens)
        is_deed = any(each.word.endswith("ing") or not each.word[0].isalpha() for each in tokens[:-1])
        head = tokens[: next((place for place, each in enumerate(tokens) if each.word in _BEHIND_ROLES), len(tokens))]
        is_role = any(self._ends_in("role", each, has_plural=False) for each in (tokens, head)) or self._is_compound(tokens[-1])
        return _text(tokens) if is_short and not is_deed and is_role else None

    def _is_compound(self, token: Token) -> bool:
        """True if a German noun ends with a job: `Grundschullehrerin`."""
        jobs = tuple(word for word in self.language.lists["role"] if len(word) > _SHORTEST_OF_COMPOUND)
        return self.language.code == "de" and token.word.endswith(jobs)

    def words(self, tokens: Sequence[Token]) -> str | None:
        """At most four words, none of them a small one or somebody, and not only words that say nothing."""
        is_short = len(tokens) <= _MOST_WORDS and not self._has_little(tokens)
        words = {each.word for each in tokens}
        if words <= self.language.empty or not words.isdisjoint(self.language.subjects | self.language.first_person):
            return None
        return _text(tokens) if is_short and any(each.word[0].isalpha() for each in tokens) else None

    def liking(self, tokens: Sequence[Token]) -> str | None:
        """Words that name one thing to like. Lists and possessives are none."""
        is_one = all(each.is_word and each.word != "'s" for each in tokens)
        return self.words(tokens) if is_one else None

    def listed(self, kind: str, tokens: Sequence[Token]) -> str | None:
        """A value of the list of the type, as it is compared in every language."""
        return self.language.lists[kind].get(_text(tokens))

    def headed(self, kind: str, tokens: Sequence[Token]) -> str | None:
        """Words of which the last one is in the list of the type, in the singular or the plural; of a brand the first."""
        if _text(tokens) in self.language.lists[kind]:
            return _text(tokens)
        is_short = len(tokens) <= _MOST_WORDS - 1 and not self._has_little(tokens[:-1])
        is_brand = kind in (ValueKind.CAR, ValueKind.DEVICE) and tokens[0].word in self.language.lists[kind]
        is_brand = is_brand and all(self._is_of_model(each) for each in tokens[1:])
        return _text(tokens) if is_short and (is_brand or self._ends_in(kind, tokens)) else None

    def drug(self, tokens: Sequence[Token]) -> str | None:
        """A medicine of the list, or one that ends as medicines do."""
        last = tokens[-1].word
        is_known = self._ends_in("drug", tokens) or last.endswith(self.language.tables.endings_of.get("drug", ()))
        return _text(tokens) if len(tokens) <= 2 and is_known and not self._has_little(tokens) else None  # noqa: PLR2004

    def dose(self, tokens: Sequence[Token]) -> str | None:
        """An amount: `5 mg`."""
        found = _DOSE.fullmatch(_text(tokens))
        return f"{found[1].replace(',', '.')} {found[2]}" if found else None

    def number(self, tokens: Sequence[Token]) -> str | None:
        """A whole number, in digits or in words."""
        word = tokens[0].word
        number = int(word) if _DIGITS.fullmatch(word) and len(word) < _MOST_WORDS else self.language.numbers.get(word)
        return str(number) if number and len(tokens) == 1 else None

    def age(self, tokens: Sequence[Token]) -> str | None:
        """An age in years."""
        found = self.number(tokens)
        return found if found and int(found) <= _MOST_AGE else None

    def money(self, tokens: Sequence[Token]) -> str | None:
        """An amount with its currency."""
        found = _MONEY.fullmatch(_text(tokens))
        if found is None:
            return None
        currency = _CURRENCY.get(found[1] or found[4] or "", "")
        digits = re.sub(r"[.,'](?=\d{3}\b)", "", found[2]).replace(",", ".").rstrip(".")
        return f"{digits}{'000' if found[3] else ''} {currency}".strip() if currency or not found[4] else None

    def date(self, tokens: Sequence[Token]) -> str | None:
        """A day of a month: `3 may`."""
        words = [each.word for each in tokens if each.word not in self.language.articles and each.word not in _SMALL_OF_NAMES]
        months = [word for word in words if word in self.language.months]
        days = [found[1] for word in words if (found := _ORDINAL.fullmatch(word)) and 0 < int(found[1]) <= 31]  # noqa: PLR2004
        rest = [
            word
            for word in words
            if word not in months and not _ORDINAL.fullmatch(word) and not re.fullmatch(r"(19|20)\d\d", word)
        ]
        return f"{int(days[0])} {months[0]}" if len(months) == len(days) == 1 and not rest else None

    def time(self, tokens: Sequence[Token]) -> str | None:
        """A weekday, a day of a month, a time of day, or several of these."""
        days: list[str] = []
        clocks: list[str] = []
        rest: list[Token] = []
        for place, token in enumerate(tokens):
            before = tokens[place - 1].word if place else ""
            if token.word.removesuffix("s") in self.language.weekdays or token.word in self.language.weekdays:
                days.append(token.word if token.word in self.language.weekdays else token.word[:-1])
            elif clock := self._clock(token, tokens[place + 1 : place + 2], before):
                clocks.append(clock)
            elif token.word not in _OF_TIMES:
                rest.append(token)
        date = self.date(rest) if rest else None
        found = [*days, *([date] if date else []), *clocks]
        return " ".join(found) if found and (date or not rest) else None

    def _clock(self, token: Token, following: Sequence[Token], before: str) -> str | None:
        behind = following[0].word if following and following[0].word in ("am", "pm", "uhr", "h", "o'clock") else ""
        found = _CLOCK.fullmatch(f"{token.word}{behind}")
        if found is None or not (found[2] or found[3] or before in _BEFORE_CLOCKS):
            return None
        hour = int(found[1]) % _NOON + _NOON * (found[3] == "pm") if found[3] in ("am", "pm") else int(found[1])
        minute = int(found[2] or 0)
        return f"{hour}:{minute:02}" if hour < _HOURS and minute < _MINUTES else None

    def contact(self, tokens: Sequence[Token]) -> str | None:
        """A number to call, an address of mail, or a street with its number."""
        words = _text(tokens)
        digits = sum(map(str.isdigit, words))
        if _EMAIL.fullmatch(words) or (digits >= _LEAST_PHONE_DIGITS and not re.search(r"[^\d +()/.-]", words)):
            return words
        has_street = digits and any(each.is_capital for each in tokens)
        return words.replace(" ,", ",") if has_street else None

    def text(self, tokens: Sequence[Token]) -> str | None:
        """Any words."""
        return _text(tokens)

    def _is_name(self, tokens: Sequence[Token]) -> bool:
        is_short = len(tokens) <= _MOST_WORDS and "," not in {each.word for each in tokens}
        small = [each for each in tokens if each.word in _SMALL_OF_NAMES]
        large = [each for each in tokens if each not in small]
        is_large = all(each.is_capital and each.word not in self.language.times for each in large)
        return is_short and bool(large) and is_large and large[0] is tokens[0] and large[-1] is tokens[-1]

    def _is_of_model(self, token: Token) -> bool:
        """True if a word behind a brand may name the model: `Golf GTI`, `iphone 15 pro`, but not `car problems`."""
        has_large = token.is_capital and self.language.code != "de"  # all nouns of German have one
        return has_large or token.word in _OF_MODELS or any(map(str.isdigit, token.word))

    def _is_little(self, word: str) -> bool:
        return word in self.language.little or word in self.language.times or word in self.language.kin

    def _has_little(self, tokens: Sequence[Token]) -> bool:
        return any(each.word in self.language.little and each.word not in ("of", "de", "the") for each in tokens)

    def _ends_in(self, kind: str, tokens: Sequence[Token], *, has_plural: bool = True) -> bool:
        known = self.language.edible if kind == ValueKind.FOOD else self.language.lists[kind].keys()
        words = [each.word for each in tokens]
        endings = (" ".join(words[start:]) for start in range(len(words)))
        return any(
            each in known or (has_plural and (each.removesuffix("s") in known or _singular(each) in known)) for each in endings
        )


_OF_TIMES = frozenset(
    "on at the am pm uhr um den el la las a à le les de h next from o'clock il alle ore no na às ao".split()  # noqa: SIM905
)
_BEFORE_CLOCKS = frozenset(("at", "um", "à", "las", "la", "a", "alle", "ore", "às"))
_TOOLS = "python java javascript typescript excel word powerpoint photoshop sql php html css rust linux"
_FEASTS = "christmas easter weihnachten ostern navidad natale pasqua natal páscoa noël pâques"
_NO_FIRMS = frozenset((*_TOOLS.split(), *_FEASTS.split()))
"""What one works with or at, of a large letter and no firm."""
_WITH_ONE_PREPOSITION = frozenset(("es", "fr", "it", "pt"))
"""Languages that say `in` of firms and of places: who works `en Madrid` is not employed by it; `at Leeds` is its university."""
_OF_MODELS = frozenset(("pro", "max", "plus", "ultra", "mini", "lite", "gti", "tdi"))
_BEHIND_ROLES = frozenset(("of", "de", "d'", "di", "en"))
_LISTED = frozenset((ValueKind.ALLERGEN, ValueKind.FOOD, ValueKind.TONGUE, ValueKind.CONDITION, ValueKind.PERSON))


def _singular(word: str) -> str:
    return f"{word[:-3]}y" if word.endswith("ies") else word.removesuffix("es")


def _text(tokens: Sequence[Token]) -> str:
    return " ".join(each.word for each in tokens)


def _without_articles(tokens: Sequence[Token], language: StatementLanguage) -> Sequence[Token]:
    while tokens and tokens[0].word in language.articles:
        tokens = tokens[1:]
    return tokens


def _split(tokens: Sequence[Token], language: StatementLanguage) -> list[list[Token]]:
    parts: list[list[Token]] = [[]]
    for token in tokens:
        if token.word == "," or token.word in language.tables.joined:
            parts.append([])
        elif parts[-1] or len(parts) == 1 or token.word not in language.tables.repeated:
            parts[-1].append(token)
    return [part for part in parts if part]


_Check = Callable[[ValueReader, Sequence[Token]], "str | None"]


def _of_list(kind: ValueKind) -> _Check:
    return lambda reader, tokens: reader.listed(kind, tokens)


def _of_head(kind: ValueKind) -> _Check:
    return lambda reader, tokens: reader.headed(kind, tokens)


_READERS: dict[str, _Check] = {
    ValueKind.PLACE: ValueReader.place,
    "known_place": ValueReader.known_place,
    "known_firm": ValueReader.known_firm,
    ValueKind.PERSON: ValueReader.person,
    ValueKind.FIRM: ValueReader.firm,
    ValueKind.ROLE: ValueReader.role,
    ValueKind.WORDS: ValueReader.words,
    ValueKind.LIKING: ValueReader.liking,
    ValueKind.DRUG: ValueReader.drug,
    ValueKind.DOSE: ValueReader.dose,
    ValueKind.NUMBER: ValueReader.number,
    ValueKind.AGE: ValueReader.age,
    ValueKind.MONEY: ValueReader.money,
    ValueKind.DATE: ValueReader.date,
    ValueKind.TIME: ValueReader.time,
    ValueKind.CONTACT: ValueReader.contact,
    ValueKind.TEXT: ValueReader.text,
    "event": lambda reader, tokens: reader.listed("event", tokens),
    **{kind: _of_list(kind) for kind in (ValueKind.STATUS, ValueKind.DIET, ValueKind.TONGUE)},
    **{
        kind: _of_head(kind)
        for kind in (ValueKind.ALLERGEN, ValueKind.FOOD, ValueKind.CONDITION, ValueKind.CAR, ValueKind.DEVICE)
    },
}
