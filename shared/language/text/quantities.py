"""Writes quantities in one way: English number words and ordinals, units, currencies, dates with a month's name."""

from collections.abc import Callable, Sequence
from decimal import Decimal

from shared.language.text.calendar import MONTHS, NUMBERS
from shared.language.text.tokens import Token

_SMALL = {word: number for number, word in enumerate(NUMBERS)}
_TENS = {
    word: 10 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)  # noqa: SIM905
}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_ORDINALS = {
    word: number
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split(),  # noqa: SIM905
        start=1,
    )
}
_COUNTING = frozenset({"a", "noon", "midnight", *_SMALL, *_TENS, *_ORDINALS})
_OF_A_DAY = frozenset({"number", "ordinal"})
_UNITS = {
    alias: unit
    for unit, aliases in {
        "kg": "kgs kilo kilos kilogram kilograms",
        "g": "gram grams",
        "km": "kms kilometer kilometers kilometre kilometres",
        "cm": "centimeter centimeters centimetre centimetres",
        "mm": "millimeter millimeters millimetre millimetres",
        "ml": "milliliter milliliters millilitre millilitres",
        "lb": "lbs",
        "min": "mins minute minutes",
        "h": "hr hrs hour hours",
        "s": "sec secs seconds",
        "day": "days",
        "week": "weeks",
        "month": "months",
        "year": "years yr yrs",
        "%": "percent",
        "$": "dollar dollars usd bucks",
        "€": "euro euros eur",
    }.items()
    for alias in aliases.split()
}
_CURRENCIES = frozenset("$€£¥₹₽₩")
_MEASURES = _CURRENCIES.union(_UNITS, _UNITS.values())
_LARGEST = 10**15  # what is larger is no longer exact in a Decimal's 28 digits once it is multiplied
_LONGEST_NUMBER = 15
_DAYS = range(1, 32)
_YEAR_DIGITS = 4
_DAY_DIGITS = 4


def in_one_spelling(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with every quantity written in one way; units and currencies stand after their number.

    Number words are read as English: call it for English texts only.
    """
    return _replaced(measured(_replaced(tokens, _counted)), _dated)


def _replaced(tokens: Sequence[Token], found: Callable[[Sequence[Token], int], tuple[int, Token]]) -> list[Token]:
    """The tokens with a single one for as many as are found at a place; where none are, the one there stays."""
    done: list[Token] = []
    place = 0
    while place < len(tokens):
        length, token = found(tokens, place)
        done.append(token)
        place += length
    return done


def _counted(tokens: Sequence[Token], place: int) -> tuple[int, Token]:
    """Number words and scales as digits: twenty-five, a hundred and two, 2.5 million."""
    token = tokens[place]
    if token.kind != "number" and token.key not in _COUNTING:
        return 1, token
    length, value = _value(tokens, place)
    if length == 1 and token.kind == "number":
        return 1, token  # a version or a section: 3.10 is not 3.1
    return (length, token.written(f"{value.normalize():f}", "number")) if length else (1, _ordinal(token))


def _value(tokens: Sequence[Token], place: int) -> tuple[int, Decimal]:
    """How many tokens from `place` on make one number, and its value; (0, 0) if none begins there."""
    first = tokens[place]
    if first.key == "a" and place + 1 < len(tokens) and tokens[place + 1].key in _SCALES and not tokens[place + 1].breaks:
        length, value = 1, Decimal(1)
    else:
        length, value = _below_hundred(tokens, place)
    if not length and not (first.kind == "number" and _is_plain(first.key)):
        return 0, Decimal(0)
    if not length:
        length, value = 1, Decimal(first.key)
    whole = Decimal(0)
    while place + length < len(tokens) and not tokens[place + length].breaks:
        word = tokens[place + length].key
        if word in _SCALES and 0 < value < _LARGEST:
            value *= _SCALES[word]
            length += 1
            if _SCALES[word] > 100:  # noqa: PLR2004 - hundreds are multiplied on, thousands are complete
                whole, value = whole + value, Decimal(0)
            continue
        skipped = int(word == "and")
        more, added = _below_hundred(tokens, place + length + skipped)
        if not added or not (value or whole) or (value or whole) % 100 or first.kind == "number":
            break
        value, length = value + added, length + skipped + more
    return length, whole + value


def _below_hundred(tokens: Sequence[Token], place: int) -> tuple[int, Decimal]:
    if place >= len(tokens):
        return 0, Decimal(0)
    word = tokens[place].key
    if word in _SMALL:
        return 1, Decimal(_SMALL[word])
    if word not in _TENS:
        return 0, Decimal(0)
    following = tokens[place + 1] if place + 1 < len(tokens) else None
    if following and not following.breaks and 0 < _SMALL.get(following.key, 0) < 10:  # noqa: PLR2004 - one digit
        return 2, Decimal(_TENS[word] + _SMALL[following.key])
    return 1, Decimal(_TENS[word])


def _is_plain(key: str) -> bool:
    is_number = key.isascii() and key.replace(".", "", 1).isdigit()
    return is_number and not key.startswith("0") and len(key) <= _LONGEST_NUMBER


def _ordinal(token: Token) -> Token:
    if token.kind == "word" and token.key in _ORDINALS:
        return token.written(f"{_ORDINALS[token.key]}.", "ordinal")
    if token.key in {"noon", "midnight"}:
        return token.written("12:00" if token.key == "noon" else "0:00", "clock")
    return token


def measured(tokens: Sequence[Token]) -> list[Token]:
    """The tokens with one name for each unit after a number, and currencies after their number: 14.50 € as 14.5 €."""
    done: list[Token] = []
    for token in tokens:
        before = done[-1] if done else None
        if token.kind == "number" and before and before.key in _CURRENCIES and before.kind == "sign":
            done[-1:] = [_amount(token), Token(before.key, "sign")]
        elif before and before.kind == "number" and token.key in _MEASURES:
            done[-1:] = [_amount(before), token.written(_UNITS.get(token.key, token.key))]
        elif token.key == "cent" and before and before.key == "per" and len(done) > 1:
            done[-1] = before.written("%")
        else:
            done.append(token)
    return done


def _amount(number: Token) -> Token:
    return number.written(number.key.rstrip("0").rstrip(".")) if "." in number.key else number


def _dated(tokens: Sequence[Token], place: int) -> tuple[int, Token]:
    """3 May 2024, May 3rd, the 3rd of May, as one token: year, month and day, as far as they are said."""
    token = tokens[place]
    length, day, month = _day_and_month(tokens, place) if token.kind in _OF_A_DAY or token.key in MONTHS else (0, 0, 0)
    if not length:
        return 1, token
    year = tokens[place + length].key if place + length < len(tokens) else ""
    has_year = len(year) == _YEAR_DIGITS and year.isdigit()
    return length + has_year, token.written(f"{year if has_year else ''}-{month}-{day}", "date")


def _day_and_month(tokens: Sequence[Token], place: int) -> tuple[int, int, int]:
    """How many tokens from `place` on name a day of a month, the day, and the month; zeros if none do."""
    keys = [token.key for token in tokens[place : place + 3]]
    day = _day(tokens[place])
    if day and len(keys) > 1 and keys[1] in MONTHS:
        return 2, day, MONTHS[keys[1]]
    if day and len(keys) > 2 and keys[1] == "of" and keys[2] in MONTHS:  # noqa: PLR2004 - three words
        return 3, day, MONTHS[keys[2]]
    if keys[0] in MONTHS and len(keys) > 1 and (day := _day(tokens[place + 1])):
        return 2, day, MONTHS[keys[0]]
    return 0, 0, 0


def _day(token: Token) -> int:
    digits = token.key.rstrip(".")
    is_number = token.kind in _OF_A_DAY and digits.isascii() and digits.isdigit()
    is_day = is_number and len(digits) <= _DAY_DIGITS and int(digits) in _DAYS  # of thousands of digits Python makes no number
    return int(digits) if is_day else 0
