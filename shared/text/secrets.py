"""Finds the secrets in what a person says: passwords, PINs, card numbers, keys, tokens, in proportion to the text's length.

Some show by their shape, the others by the words beside them: `my password is hunter2`, `4711 ist meine PIN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import islice
from typing import NamedTuple

from shared.text.secret_shapes import FoundSecret, by_shape, plain_digits
from shared.text.secret_words import CODE, KEY, PHRASE, PIN, secret_words

MARK = "••••"
_MOST_NAMES = 500
"""Of one text, for 50 ms of work. Who tells more passwords at once copied a list of names."""
_REACH = 80
_MOST_WORDS = 10
_BACK = 60
_LONGEST = 2_048
_MOST_OF_A_PHRASE = 8
_FEWEST_DIGITS = {PIN: 4, CODE: 3}
_MOST_DIGITS = 12
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "«": "»", "‘": "’", "`": "`", "»": "«", "‚": "‘’"}
_OUTSIDE = ".,;:?)]}>\"'”“’»«`*"


class _Word(NamedTuple):
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


def find_secrets(text: str) -> list[FoundSecret]:
    """The secrets of a text, in its order; none overlaps another.

    >>> [secret.kind for secret in find_secrets("My PIN is 4711, the password hunter2.")]
    ['pin', 'password']
    """
    masked = [found.span() for found in _masked().finditer(text)]
    found = sorted((*by_shape(text), *_named(text, masked)), key=lambda secret: (secret.start, -secret.end))
    apart: list[FoundSecret] = []
    for secret in found:
        if apart and secret.start < apart[-1].end:
            apart[-1] = apart[-1]._replace(end=max(secret.end, apart[-1].end))
        else:
            apart.append(secret)
    return apart


def kinds_masked(text: str) -> list[str]:
    """The kinds of the secrets that stand masked in a text."""
    return [found[1] for found in _masked().finditer(text)] if MARK in text else []


def masked_as(kind: str, known_by: str) -> str:
    """What stands in a secret's place. `known_by`: a keyed digest of it, in letters."""
    return f"{MARK}{known_by} [{kind}]"


@cache
def _masked() -> re.Pattern[str]:
    return re.compile(rf"{MARK}[a-z]{{8}} \[([a-z ]{{1,24}})\]")


def _named(text: str, masked: Sequence[tuple[int, int]]) -> Iterator[FoundSecret]:
    """The secrets that have a name beside them."""
    words, folded = secret_words(), text.lower()
    if not any(stem in folded for stem in words.stems):
        return
    inside = iter([*masked, (len(text) + 1, len(text) + 1)])
    start, end = next(inside)
    last = 0
    for name in islice(words.names.finditer(text), _MOST_NAMES):
        while end <= name.start():
            start, end = next(inside)
        if start <= name.start() or name.start() < last:
            continue
        kind = (name.lastgroup or "").replace("_", " ")
        after = list(_following(text, name.end()))
        found = list(_told_after(text, kind, name, after)) or list(_told_before(text, kind, name, after))
        yield from found
        last = found[-1].end if found else last


@cache
def _word() -> re.Pattern[str]:
    return re.compile(r"[:=]{1,2}>?(?=\S)|\S{1,2048}+")


def _words(text: str, start: int, end: int) -> Iterator[_Word]:
    for found in _word().finditer(text, start, min(end, len(text))):
        yield _Word(*found.span(), found[0])


def _following(text: str, start: int) -> Iterator[_Word]:
    """The next few words, the last of them whole."""
    for found in islice(_word().finditer(text, start), _MOST_WORDS):
        if found.start() > start + _REACH:
            break
        yield _Word(*found.span(), found[0])


def _told_after(text: str, kind: str, name: re.Match[str], after: Sequence[_Word]) -> Iterator[FoundSecret]:
    at = _where_told(text, kind, name, after)
    if at is None:
        return
    place, is_bound = at
    end = _end_of(text, kind, after[place:], is_bound=is_bound)
    while end:
        start = _inner_start(text, after[place].start)
        yield FoundSecret(start, end, kind)
        place = next((index for index, word in enumerate(after) if word.start >= end), len(after))
        listed = place + 1 < len(after) and (after[place].key in secret_words().adds | secret_words().renews)
        place += listed
        end = _end_of(text, kind, after[place:], is_bound=False) if listed else 0


def _where_told(text: str, kind: str, name: re.Match[str], after: Sequence[_Word]) -> tuple[int, bool] | None:
    """Which word after a name may be the secret, and whether something like `is` binds it; None if no word may."""
    is_bound = name[0][-2:] in {"'s", "’s"}
    for place, word in enumerate(after):
        if word.key in secret_words().joins or word.text in secret_words().joins:
            is_bound = True
        elif is_bound and word.key in secret_words().still:
            continue
        elif is_bound:
            return _unless_changed(after, place)
        elif place and word.text[-1] in ":=" and after[0].key in secret_words().relates:
            is_bound = True
        elif place == 0 and word.key not in secret_words().relates | secret_words().renews:
            return (place, False) if _is_introduced(text, kind, name, after) else None
        elif place == 1 and after[0].key in secret_words().renews and _may_be_new(text, kind, name, after):
            return place, bool(_changed_before(text, name))
        elif place and after[place - 1].closes and after[place - 1].text[-1] in ".!?;":
            return None
    return None


def _unless_changed(after: Sequence[_Word], place: int) -> tuple[int, bool] | None:
    """`was changed to x`: what follows the second `to` is the secret."""
    if (
        secret_words().changes.match(after[place].text)
        and place + 2 < len(after)
        and after[place + 1].key in secret_words().renews
    ):
        return place + 2, True
    return place, True


def _changed_before(text: str, name: re.Match[str]) -> re.Match[str] | None:
    return secret_words().changes.search(text, max(0, name.start() - 40), name.start())


def _may_be_new(text: str, kind: str, name: re.Match[str], after: Sequence[_Word]) -> bool:
    return bool(_end_of(text, kind, after[1:], is_bound=bool(_changed_before(text, name))))


def _is_introduced(text: str, kind: str, name: re.Match[str], after: Sequence[_Word]) -> bool:
    """`my pin 4711`, but not `pin 2023 notes to the board`."""
    if kind != PIN or name[0].isupper() or len(name[0]) > len("pins"):
        return True
    if len(after) == 1 or after[0].closes or after[1].key in secret_words().follows:
        return True
    before = list(_words(text, max(0, name.start() - 24), name.start()))
    return bool(before) and before[-1].key in secret_words().owns


def _told_before(text: str, kind: str, name: re.Match[str], after: Sequence[_Word]) -> Iterator[FoundSecret]:
    """`hunter2 is my wifi password`; a word alone is no secret there: `what is my password`."""
    if after and after[0].key in secret_words().compounds:
        return
    before = list(_words(text, max(0, name.start() - _BACK), name.start()))
    if name.start() > _BACK:
        before = before[1:]
    for place in range(len(before) - 1, max(0, len(before) - 6), -1):
        if before[place].key in secret_words().states:
            told = before[_first_told(before, place - 1) : place]
            end = _end_of(text, kind, told, is_bound=False)
            if end:
                yield FoundSecret(_inner_start(text, told[0].start), end, kind)
            return


def _first_told(words: Sequence[_Word], last: int) -> int:
    """The place of the first word of a number that ends with this word: of `4 7 1 1`, of `four seven one one`."""
    first, digits = last, secret_words().digits
    while first and all(words[at].key.isdecimal() or words[at].key in digits for at in (first - 1, last)):
        first -= 1
    return first


def _inner_start(text: str, start: int) -> int:
    return start + (text[start] in _QUOTES or text[start] in "([*_")


def _end_of(text: str, kind: str, words: Sequence[_Word], *, is_bound: bool) -> int:
    """Where the secret ends that begins with the first word; 0 if it is none."""
    if not words or MARK in words[0].text:
        return 0
    start = _inner_start(text, words[0].start)
    if kind == PHRASE:
        return _end_of_phrase(words) if is_bound else 0
    if start != words[0].start and is_bound and (quoted := _end_of_quotation(text, words[0].start)):
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


def _end_of_digits(text: str, kind: str, start: int) -> int:
    number, _day = _number()
    found = number.match(text, start)
    if not found or _is_date(found[0]):
        return 0
    digits = plain_digits(found[0])
    counts = next(_words(text, found.end(), found.end() + 32), None)
    if counts and counts.key in secret_words().counts:
        return 0
    return found.end() if _FEWEST_DIGITS[kind] <= len(digits) <= _MOST_DIGITS else 0


def _is_date(written: str) -> bool:
    """True for a day or a time of day. A combination such as 12-34-56 is none, as no month has that number."""
    if not _number()[1].fullmatch(written):
        return False
    parts = [int(part) for part in re.split(r"[./:h-]", written)]
    return len(parts) == 2 or (min(parts) <= 12 and parts[1] <= 31 and max(parts) > 31)  # noqa: PLR2004 - months and days


def _end_of_spelled(words: Sequence[_Word]) -> int:
    """`four seven one one`."""
    end = 0
    for count, word in enumerate(words, start=1):
        if word.key not in secret_words().digits:
            break
        end = word.start + len(word.text.rstrip(_OUTSIDE + "!")) if count > 2 else 0  # noqa: PLR2004 - as many as a code has
        if word.closes and not word.text.endswith(","):
            break
    return end


def _end_of_phrase(words: Sequence[_Word]) -> int:
    taken = []
    for word in words:
        taken.append(word)
        if word.text[-1] in ".;!?":
            break
    is_phrase = len(taken) >= 5 and not any(word.key in secret_words().describes for word in taken[:3])  # noqa: PLR2004
    return taken[-1].start + len(taken[-1].text.rstrip(_OUTSIDE + "!")) if is_phrase else 0


def _end_of_quotation(text: str, start: int) -> int:
    closing = _QUOTES.get(text[start], "")
    ends = [at for sign in closing if (at := text.find(sign, start + 1, start + 128)) > start + 1]
    return min(ends, default=0)


def _end_of_strong(text: str, words: Sequence[_Word], *, least: int, kind: str) -> int:
    """Where a word ends that no language has: with digits and letters, with signs, or with capitals inside."""
    word = words[0]
    start = _inner_start(text, word.start)
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
def _signs() -> tuple[re.Pattern[str], re.Pattern[str]]:
    return re.compile(r"\d"), re.compile(r"[^\W\d_]")


def _is_strong(shown: str, kind: str) -> bool:
    if _ordinary().fullmatch(shown) or _is_date(shown):
        return False
    digits, letters = (len(pattern.findall(shown)) for pattern in _signs())
    if kind == KEY:
        return bool((digits >= 2 and letters >= 2) or (letters >= 20 and shown != shown.lower()) or digits >= 16)  # noqa: PLR2004
    if not letters:
        return digits >= 4  # noqa: PLR2004 - fewer are a count
    return bool(digits) or not shown.isalpha() or shown[1:] not in {shown[1:].lower(), shown[1:].upper()}


def _end_of_plain(words: Sequence[_Word]) -> int:
    """Where a password of plain words ends: one word, or several of which none says how the password is."""
    taken: list[_Word] = []
    telling = 0
    for word in words:
        if taken and (taken[-1].closes or word.key in secret_words().follows):
            break
        if not word.key.isalpha() or len(taken) >= _MOST_OF_A_PHRASE:
            return 0
        taken.append(word)
        telling += word.key in secret_words().describes
        if telling > 1:
            return 0
    if not taken or telling > (len(taken) >= 4) or len(taken[0].key) < 3:  # noqa: PLR2004 - `correct horse battery staple`
        return 0
    return taken[-1].start + len(taken[-1].text.rstrip(_OUTSIDE))
