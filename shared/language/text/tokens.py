"""A text's tokens: words, numbers, times, dates, signs, and single characters of scripts that write no spaces."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from shared.language.text.cleaning import clean, folded
from shared.language.text.scripts import UNSPACED

_EMOJI = "\u203c\u2049\u20e3\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\U0001f000-\U0001faff"
_SIGNS = "@#$%&+<=>^~\u00a2-\u00a5\u00b0\u00b1\u00d7\u00f7\u20a0-\u20cf\u2200-\u22ff"
_MARKS = (
    r"\s\x00-\x1f\x7f!\"'()*,\-./:;?\[\\\]_`{|}\u00a1\u00a7\u00ab\u00b6\u00b7\u00bb\u00bf\u037e\u0387\u055a-\u055f\u0589\u05be"
    r"\u05c0\u05c3\u060c\u061b\u061f\u066a-\u066d\u06d4\u0964\u0965\u1362-\u1368\u2010-\u2027\u2039-\u203e\u2e00-\u2e7f"
    r"\u3000-\u3003\u3008-\u3020\u30a0\u30fb"
)
_LETTER = f"[^{_MARKS}{_SIGNS}{_EMOJI}{UNSPACED}]"
_END = f"(?!{_LETTER})"
_UNIT = r"(?i:k?g|kgs|km|cm|mm|kms|lbs?|mins?|hrs?|h|secs?|ml|cl|mph|kmh|yrs?|days?|weeks?|years?|eur|usd)"
_BEFORE = r"(?<![\w.,])"

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\d,])|\d*\.\d+|\d+(?:,\d+)?"

_NEEDS_DIGITS_OR_AT = re.compile(r"\(\?P<(?:email|iso|date|clock|ordinal|series|number|range)>")
_KINDS = (
    r"(?P<email>[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+)",
    rf"(?P<iso>{_BEFORE}\d{{4}}-\d{{1,2}}-\d{{1,2}}(?!\d)){_END}",
    rf"(?P<date>{_BEFORE}\d{{1,2}}(?P<between>[./-])\d{{1,2}}(?P=between)(?:\d{{4}}|\d{{2}}))(?![\d.]\d){_END}",
    rf"(?P<clock>{_BEFORE}\d{{1,2}}(?::[0-5]\d){{1,2}}(?!\d)(?i:\s?[ap]\.?\s?m\b\.?)?|{_BEFORE}\d{{1,2}}(?i:\s?[ap]\.?\s?m\b\.?))",
    rf"(?P<ordinal>{_BEFORE}\d+(?i:st|nd|rd|th)){_END}",
    r"(?P<series>\d+(?:[.:/]\d+){2,}|\d+[:/]\d+|(?!\d{1,3}(?:,\d{3})+(?![\d,]))\d+(?:,\d+){2,})",
    rf"(?P<number>(?<![\w.,)\]])-(?=\.?\d))?(?P<digits>{_DIGITS})(?={_UNIT}{_END}|{_END})",
    r"(?P<range>(?<=\d)\s?-\s?(?=\d))",
    rf"(?P<unspaced>[{UNSPACED}])",
    rf"(?P<emoji>(?:[\U0001f1e6-\U0001f1ff]{{2}}|[#*0-9]\u20e3|[{_EMOJI}]))",
    rf"(?P<tagged>[@#]{_LETTER}+)",
    rf"(?P<word>{_LETTER}+(?:'{_LETTER}+)*)",
    rf"(?P<sign>[{_SIGNS}])",
    r"(?P<asks>[?\u061f\u037e])",
    r"(?P<stop>[.!:\u0964\n](?=\s|$)|\u3002)",
    r"(?P<mark>[,;()\[\]\"|]|(?<=\s)-+(?=\s))",
)
_SHORT = re.compile(r"\b(?:[^\W\d_]\.){2,}", re.IGNORECASE)
_HEARTS = re.compile(r"(?<!\S)(<3+|</3)(?!\S)")
_SMILE = re.compile(r"(?<!\S)(?:[:;]-?[DPp]|xD+)(?=[\s.,!?]|$)")
_FROWN = re.compile(r"[:;=]['-]?\((?!\w)")
_WITH = re.compile(r"\bw/(o\b)?", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
_TIME = re.compile(r"(\d+)(?::(\d+))?(?::(\d+))?\s?([ap])?", re.IGNORECASE)


class Token(NamedTuple):
    """One piece of a text, and how it was written. A tuple, for texts have many."""

    key: str  # folded, in one spelling
    kind: str  # word, number, ordinal, clock, date, sign, unspaced, email, tagged or series
    is_capital: bool = False  # begins with a capital
    opens: bool = False  # first of a sentence
    breaks: bool = False  # a punctuation mark stands before it

    def written(self, key: str, kind: str | None = None) -> Token:
        """This token with another key, and kind if given."""
        return self if key == self.key else Token(key, kind or self.kind, self.is_capital and not kind, self.opens, self.breaks)


@dataclass(frozen=True, slots=True)
class Surface:
    """All tokens of a text, before any is left out, with its URLs and emoji."""

    tokens: tuple[Token, ...]
    urls: tuple[str, ...]
    emoji: tuple[str, ...]
    asks: bool  # has a question mark
    rest: str  # the cleaned text, folded


@cache
def _pattern(*, has_numbers: bool) -> re.Pattern[str]:
    """Matches tokens. Most texts have no digits and no `@`: theirs is faster, as it does not try every word as a number.

    Compiled when first needed, and without IGNORECASE, which takes 50 ms to fold the ranges of the classes.
    """
    return re.compile("|".join(each for each in _KINDS if has_numbers or not _NEEDS_DIGITS_OR_AT.match(each)))


def surface(text: str) -> Surface:
    """Split a text into its tokens, in order.

    >>> [token.key for token in surface("Anna's 3 cats, at 3pm!").tokens]
    ["anna's", '3', 'cats', 'at', '15:00']
    """
    cleaned = clean(text)
    tokens: list[Token] = []
    emoji: list[str] = []
    asks, opens, breaks = False, True, False
    plain = _plain(cleaned.text)
    pattern = _pattern(has_numbers="@" in plain or bool(_DIGIT.search(plain)))
    for match in pattern.finditer(plain):
        kind = match.lastgroup or ""
        if kind == "word":
            word = match[0]
            tokens.append(Token(folded(word), kind, word[0].isupper(), opens, breaks))
            opens = breaks = False
        elif kind == "emoji":
            emoji.append(match[0])
        elif kind in {"asks", "stop", "mark"}:
            asks, breaks = asks or kind == "asks", True
            opens = opens or kind != "mark"
        else:
            tokens.append(_token(kind, match, opens=opens, breaks=breaks))
            opens = breaks = False
    return Surface(tuple(tokens), cleaned.urls, tuple(emoji), asks, folded(cleaned.text))


def _plain(text: str) -> str:
    """The text with abbreviations without points, `w/o` in words, frowns and hearts as emoji, and no smiles like `:D`."""
    if text.count(".") > 1:  # what each pattern cannot do without: most texts have none of it
        text = _SHORT.sub(_joined, text)
    if "/" in text:
        text = _WITH.sub(lambda match: "without " if match[1] else "with ", text)
    if "<" in text:
        text = _HEARTS.sub(lambda match: "\U0001f494" if "/" in match[0] else "\u2764", text)
    if ":" in text or ";" in text or "xD" in text:
        text = _SMILE.sub(" ", text)
    return _FROWN.sub("\U0001f641", text) if "(" in text else text


def _joined(match: re.Match[str]) -> str:
    letters = match[0].replace(".", "")
    return match[0] if letters.lower() in {"am", "pm"} else f"{letters} "


def _token(kind: str, match: re.Match[str], *, opens: bool, breaks: bool) -> Token:
    text = match[0]
    match kind:
        case "iso":
            kind, key = "date", "-".join(str(int(part)) for part in text.split("-"))
        case "date" | "between":
            kind, key = "date", "/".join(str(int(part)) for part in re.split(r"\D", text))
        case "clock":
            key = _clock(text)
        case "ordinal":
            key = text[:-2].lstrip("0") + "."
        case "digits":
            kind, key = "number", _number(text)
        case "range":
            kind, key = "sign", "-"
        case _:
            key = folded(text)
    return Token(key, kind, is_capital=text[:1].isupper(), opens=opens, breaks=breaks)


def _clock(text: str) -> str:
    match = _TIME.match(text)
    assert match is not None  # noqa: S101 - the pattern of a clock begins with digits
    hour, half = int(match[1]), (match[4] or "").lower()
    if half and 1 <= hour <= 12:  # noqa: PLR2004 - hours of a half day
        hour = hour % 12 + 12 * (half == "p")
    elif half:
        return folded(text)
    seconds = f":{match[3]}" if match[3] else ""
    return f"{hour}:{match[2] or '00'}{seconds}"


def _number(text: str) -> str:
    """A number in one spelling: 1,000 as 1000, 3,50 as 3.50. 007 and 1.000, which are ambiguous, stay as they are."""
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole = digits.partition(".")[0].partition(",")[0]
    if (whole.startswith("0") and len(whole) > 1) or re.fullmatch(r"\d{1,3}\.\d{3}", digits):
        return sign + digits
    grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits)
    plain = digits.replace(",", "") if grouped else digits.replace(",", ".")
    whole, point, decimals = plain.partition(".")  # no Decimal: it rounds to 28 digits
    return sign + (whole or "0") + (point + decimals if decimals else "")
