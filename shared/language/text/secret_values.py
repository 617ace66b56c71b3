"""Where a secret ends that begins with a word: a number, a word that no language has, a quotation, a phrase."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from shared.language.text.secret_shapes import CODE, KEY, PASSWORD, PHRASE, PIN, plain_digits
from shared.language.text.secret_words import secret_words

MARK = "••••"
_LONGEST = 2_048
_MOST_OF_A_PHRASE = 8
_MOST_OF_A_RECOVERY = 24
_FEWEST_DIGITS = {PIN: 4, CODE: 3}
_MOST_DIGITS = 12
_MOST_DAYS = 31
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "«": "»", "‘": "’", "`": "`", "»": "«", "‚": "‘’"}
_OUTSIDE = ".,;:?)]}>\"'”“’»«`*"
_DESCRIBING = ("ing", "ed", "able", "ible", "ful", "less", "é", "ée")


class NearWord(NamedTuple):
    """A word of a text, with the signs that touch it."""

    start: int
    end: int
    text: str

    @property
    def key(self) -> str:
        """The word as tables have it."""
        return self.text.lower().strip(".,;:!?()[]{}\"'“”„«»`*") or self.text

    @property
    def closes(self) -> bool:
        """Whether a clause ends with it."""
        return self.text[-1] in '.,;:!?)]}"”»'


def words_of(text: str, start: int, end: int | None = None) -> Iterator[NearWord]:
    """The words of a text from a place on, up to another; signs that join a name and a value stand apart."""
    return (NearWord(*found.span(), found[0]) for found in _word().finditer(text, start, len(text) if end is None else end))


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[:=]{1,2}>?(?=\S)|\S{1,2048}+")


def inner_start(text: str, start: int) -> int:
    """Where a value begins behind a quotation mark or a bracket."""
    return start + (text[start] in _QUOTES or text[start] in "([*_")


def end_of(text: str, kind: str, words: Sequence[NearWord], *, is_bound: bool) -> int:
    """Where the secret ends that begins with the first word; 0 if it is none."""
    if not words or MARK in words[0].text:
        return 0
    start = inner_start(text, words[0].start)
    if kind == PHRASE:
        return _end_of_phrase(text, start) if is_bound else 0
    if kind == PASSWORD and start != words[0].start and is_bound and (quoted := _end_of_quotation(text, words[0].start)):
        return quoted
    if kind in _FEWEST_DIGITS:
        return _end_of_digits(text, kind, start) or _end_of_spelled(words) or _end_of_strong(text, words, least=4, kind=kind)
    if kind == KEY:
        return _end_of_strong(text, words, least=8, kind=kind)
    return _end_of_strong(text, words, least=4 if is_bound else 5, kind=kind) or (is_bound and _end_of_plain(words)) or 0


@cache
def _number() -> tuple[re.Pattern[str], re.Pattern[str]]:
    day = r"\d{1,4}([./-])\d{1,2}\1\d{1,4}|\d{1,2}[:h.]\d{2}"
    return re.compile(r"#?\d(?:[ .-]?\d){2,23}+#?(?![\w€$£%]|[:,/]\d)"), re.compile(rf"(?:{day})(?!\d)")


@cache
def _combination() -> re.Pattern[str]:
    return re.compile(r"\d{1,2}(?:-\d{1,2}){2}")


def _end_of_digits(text: str, kind: str, start: int) -> int:
    number, _day = _number()
    found = number.match(text, start)
    if not found or (_is_date(found[0]) and not (kind == CODE and _combination().fullmatch(found[0]))):
        return 0
    digits = plain_digits(found[0])
    counts = next(words_of(text, found.end()), None)
    if counts and counts.key in secret_words().counts:
        return 0
    return found.end() if _FEWEST_DIGITS[kind] <= len(digits) <= _MOST_DIGITS else 0


def _is_date(written: str) -> bool:
    """True for a day or a time of day. A combination such as 12-34-56 is none, as no month has that number."""
    if not _number()[1].fullmatch(written):
        return False
    parts = [int(part) for part in re.split(r"[./:h-]", written)]
    if len(parts) == 2:  # noqa: PLR2004 - a time of day
        return True
    first, second, last = parts
    if first > _MOST_DAYS:
        return first > 99 and second <= 12 and last <= _MOST_DAYS  # noqa: PLR2004 - years have four digits, months are twelve
    return second <= _MOST_DAYS and min(first, second) <= 12 and last > _MOST_DAYS  # noqa: PLR2004 - months


def _end_of_spelled(words: Sequence[NearWord]) -> int:
    """`four seven one one`."""
    end = 0
    for count, word in enumerate(words, start=1):
        if word.key not in secret_words().digits:
            break
        end = word.start + len(word.text.rstrip(_OUTSIDE + "!")) if count > 2 else 0  # noqa: PLR2004 - as many as a code has
        if word.closes and not word.text.endswith(","):
            break
    return end


def _end_of_phrase(text: str, start: int) -> int:
    taken: list[NearWord] = []
    for word in islice(words_of(text, start), _MOST_OF_A_RECOVERY):
        if not word.key.isalpha():
            break
        taken.append(word)
        if word.text[-1] in ".;!?":
            break
    is_phrase = len(taken) >= 5 and not any(word.key in secret_words().describes for word in taken[:3])  # noqa: PLR2004
    return taken[-1].start + len(taken[-1].text.rstrip(_OUTSIDE + "!")) if is_phrase else 0


def _end_of_quotation(text: str, start: int) -> int:
    closing = _QUOTES.get(text[start], "")
    ends = [at for sign in closing if (at := text.find(sign, start + 1, start + 128)) > start + 1]
    return min(ends, default=0)


def _end_of_strong(text: str, words: Sequence[NearWord], *, least: int, kind: str) -> int:
    """Where a word ends that no language has: with digits and letters, with signs, or with capitals inside."""
    word = words[0]
    start = inner_start(text, word.start)
    shown = text[start : word.end].rstrip(_OUTSIDE)
    if len(shown) < least or len(shown) > _LONGEST or not _is_strong(shown, kind):
        return 0
    follows = words[1].key if len(words) > 1 else ""
    return 0 if follows in secret_words().counts and shown[0].isdecimal() else start + len(shown)


@cache
def _ordinary() -> re.Pattern[str]:
    """What has digits or signs and is no secret: links, addresses, quantities, contractions, words with a hyphen."""
    unit = r"€|\$|£|%|k|kg|km|gb|mb|th|st|nd|rd|s|x|h|min|-?(?:digit|stellig|character|word|year|day)\w*"
    quantity = rf"[€$£]\d[\d.,]*|\d[\d.,]*(?:{unit})"
    link = r"https?://\S+|www\.\S+|\S+@\S+\.\w+"
    word = r"[^\W\d_]+(?:['’/-][^\W\d_]+)+[.!?]*|[^\W\d_]+[!?.,…]+|[\W_]+"
    return re.compile(rf"{link}|{quantity}|{word}", re.IGNORECASE)


@cache
def _encoded() -> re.Pattern[str]:
    return re.compile(r"[A-Za-z0-9+/=_-]+")


@cache
def _signs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(r"\d"), re.compile(r"[^\W\d_]")


def _is_strong(shown: str, kind: str) -> bool:
    if _ordinary().fullmatch(shown) or _is_date(shown):
        return False
    digits, letters = (len(pattern.findall(shown)) for pattern in _signs())
    if kind == KEY:
        is_coded = digits >= 2 and letters >= 2 and not set(shown) & set("([{")  # noqa: PLR2004
        is_mixed = letters >= 20 and shown != shown.lower() and bool(_encoded().fullmatch(shown))  # noqa: PLR2004
        return is_coded or is_mixed or digits >= 16  # noqa: PLR2004 - as many as no number has that people tell
    if kind != PASSWORD:
        return digits >= 2 and not set(shown) & set("([{_")  # noqa: PLR2004
    if not letters:
        return digits >= 4  # noqa: PLR2004 - fewer are a count
    return bool(digits) or not shown.isalpha() or shown[1:] not in {shown[1:].lower(), shown[1:].upper()}


def _end_of_plain(words: Sequence[NearWord]) -> int:
    """Where a password of plain words ends: one word, or several of which none says how the password is."""
    taken: list[NearWord] = []
    telling = 0
    for word in words:
        if taken and (taken[-1].closes or word.key in secret_words().follows):
            break
        if not word.key.replace("-", "").isalpha() or len(taken) >= _MOST_OF_A_PHRASE:
            return 0
        taken.append(word)
        telling += word.key in secret_words().describes or word.key.endswith(_DESCRIBING)
        if telling > 1:
            return 0
    if not taken or telling > (len(taken) >= 4) or len(taken[0].key) < 3:  # noqa: PLR2004 - `correct horse battery staple`
        return 0
    return taken[-1].start + len(taken[-1].text.rstrip(_OUTSIDE))
