"""Finds the secrets in what a person says: passwords, PINs, card numbers, keys, tokens, in proportion to the text's length.

Some show by their shape, the others by the words beside them: `my password is hunter2`, `4711 ist meine PIN`.
"""

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from itertools import islice, takewhile

from shared.domain.pauses import may_pause
from shared.language.text.secret_shapes import PASSWORD, PIN, FoundSecret, by_shape
from shared.language.text.secret_values import MARK, NearWord, end_of, inner_start, words_of
from shared.language.text.secret_words import may_name, secret_words

_PIECE, _NAME_REACHES = 2_048, 384
"""Characters that are searched for names at a time, and how far beyond a name may reach, with what must follow it."""
_MOST_NAMES = 500
"""Of one text, for 50 ms of work. Who tells more passwords at once copied a list of names."""
_REACH = 80
_SIGNS = ",.;?!"
_ENDING = frozenset(",.;?!…")
_ADORNING = "\"'*`_)]”"
_MEANING = ",.;?!:=->→⇒–—&+/•#@$%("
_MOST_WORDS = 10
_BACK = 60


def find_secrets(text: str) -> list[FoundSecret]:
    """The secrets of a text, in its order; none overlaps another.

    >>> [secret.kind for secret in find_secrets("My PIN is 4711, the password hunter2.")]
    ['pin', 'password']
    """
    masked = [found.span() for found in _masked().finditer(text)] if MARK in text else []
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
    inside = iter([*masked, (len(text) + 1, len(text) + 1)])
    start, end = next(inside)
    last = 0
    for name in islice(_names(text), _MOST_NAMES):
        may_pause()
        while end <= name.start():
            start, end = next(inside)
        if start <= name.start() or name.start() < last:
            continue
        kind = (name.lastgroup or "").replace("_", " ")
        after = list(_following(text, name.end()))
        found = list(_told_after(text, kind, name, after)) or list(_told_before(text, kind, name, after))
        yield from found
        last = found[-1].end if found else last


def _names(text: str) -> Iterator[re.Match[str]]:
    """The names of secrets, as if the text were searched in one go: each piece sees as far beyond it as a name reaches."""
    words, at = secret_words(), 0
    for start in range(0, len(text), _PIECE):
        may_pause()
        end, seen = start + _PIECE, min(start + _PIECE + _NAME_REACHES, len(text))
        if not may_name(text, start, seen):
            continue
        at = max(at, start)
        while (name := words.names.search(text, at, seen)) and name.start() < end:
            yield name
            at = name.end()


def _following(text: str, start: int) -> Iterator[NearWord]:
    """The next few words, the last of them whole; without signs and emoji that only adorn."""
    while start < len(text) and text[start] in _ADORNING:
        start += 1
    near = takewhile(lambda word: word.start <= start + _REACH, words_of(text, start))
    return (word for word in islice(near, _MOST_WORDS) if not _adorns(word))


def _adorns(word: NearWord) -> bool:
    return not any(sign.isalnum() or sign in _MEANING for sign in word.text)


def _told_after(text: str, kind: str, name: re.Match[str], after: Sequence[NearWord]) -> Iterator[FoundSecret]:
    at = _where_told(text, kind, name, after)
    if at is None:
        return
    place, is_bound = at
    end = end_of(text, kind, after[place:], is_bound=is_bound)
    while end:
        yield FoundSecret(inner_start(text, after[place].start), end, kind)
        place = _next_told(after, end)
        end = end_of(text, kind, after[place:], is_bound=False) if place else 0


def _next_told(after: Sequence[NearWord], end: int) -> int:
    """Which word after a secret may be another: `hunter2 and summer99`, `4711, but now it's 1234`; 0 if none may."""
    say = secret_words()
    between = say.adds | say.corrects | say.joins | say.refers | say.still
    first = next((place for place, word in enumerate(after) if word.start >= end), len(after))
    place = next((place for place in range(first, len(after)) if not _joins(after[place], between)), len(after))
    if 0 < first == place < len(after) and _are_alike(after[place - 1].text, after[place].text):
        return place
    return place if first < place < len(after) else 0


def _are_alike(one: str, other: str) -> bool:
    """Whether two words are codes of one list: as long, of digits and signs at the same places."""
    shapes = ["".join("0" if sign.isalnum() else sign for sign in word) for word in (one, other)]
    return shapes[0] == shapes[1] and "-" in one and any(sign.isdecimal() for sign in other)


def _joins(word: NearWord, between: AbstractSet[str]) -> bool:
    return word.key in between or word.text in between or word.text in _SIGNS


def _where_told(text: str, kind: str, name: re.Match[str], after: Sequence[NearWord]) -> tuple[int, bool] | None:
    """Which word after a name may be the secret, and whether something like `is` binds it; None if no word may."""
    say, is_bound = secret_words(), name[0][-2:] in {"'s", "’s"}
    points_back = len(after) > 1 and set(after[0].text) <= _ENDING and after[1].key in say.refers
    for place, word in enumerate(after):
        if _binds(after, place):
            is_bound = True
        elif (is_bound and word.key in say.still) or (points_back and place <= 1):
            continue
        elif is_bound:
            skipped = word.key in say.articles and bool(end_of(text, kind, after[place + 1 :], is_bound=False))
            is_loose = points_back or any(before.text[-1] in ",;" for before in after[:place])
            return (place, False) if is_loose else _unless_changed(after, place + skipped)
        elif told := _told_loosely(text, kind, name, after[: place + 2], place):
            return told
        elif _is_over(after, place):
            return None
    return None


def _binds(after: Sequence[NearWord], place: int) -> bool:
    """Whether a word such as `is` comes before the secret, or a colon after whose it is."""
    say, word = secret_words(), after[place]
    if word.key in say.joins or word.text in say.joins or _is_label(after, place):
        return True
    return place > 0 and word.text[-1] in ":=" and after[0].key in say.relates


def _is_over(after: Sequence[NearWord], place: int) -> bool:
    """Whether no secret follows any more: the name is not related to anything, or its sentence ends."""
    say, word = secret_words(), after[place]
    if place == 0:
        return not (word.key in say.relates | say.renews or word.text == "?" or say.changes.match(word.text))
    return after[place - 1].text[-1] in ".!;"


def _told_loosely(text: str, kind: str, name: re.Match[str], after: Sequence[NearWord], place: int) -> tuple[int, bool] | None:
    """The word at a place, or the one after it, as the secret although nothing like `is` binds it."""
    say, word = secret_words(), after[place]
    if place == 0:
        if kind == PASSWORD and _is_of(text, after):
            return 1, False
        return (place, False) if _is_over(after, 0) and _is_introduced(text, kind, name, after) else None
    before = after[place - 1]
    if before.text.endswith("?") and word.key not in say.refers:
        return place, False
    if before.key in say.renews and _changed(name, after[: place - 1], text):
        return place, False
    is_new = (
        place == 1
        and before.key in say.renews
        and bool(end_of(text, kind, after[1:], is_bound=bool(_changed_before(text, name))))
    )
    return (place, bool(_changed_before(text, name))) if is_new else None


def _is_of(text: str, after: Sequence[NearWord]) -> bool:
    """Whether a word says of what a password is that follows at once: `password netflix Otter7Bay`."""
    if len(after) < 2 or not after[0].text.isalpha() or after[0].key in secret_words().compounds | secret_words().relates:  # noqa: PLR2004
        return False
    shown = after[1].text
    is_mixed = any(sign.isdecimal() for sign in shown) and any(sign.isalpha() for sign in shown)
    return is_mixed and bool(end_of(text, PASSWORD, after[1:], is_bound=False))


def _is_label(after: Sequence[NearWord], place: int) -> bool:
    """Whether a word says of what the secret is: `password gmail: ...`, but not `password policy: ...`."""
    word = after[place]
    bare = word.text.rstrip(":=")
    is_followed = word.text != bare or (place + 1 < len(after) and after[place + 1].text in {":", "="})
    return place == 0 and bare.isalpha() and is_followed and word.key not in secret_words().compounds


def _changed(name: re.Match[str], between: Sequence[NearWord], text: str) -> bool:
    """Whether a secret is said to be a new one: `changed from`, `set the password of the router to`."""
    changes = secret_words().changes
    is_after = any(changes.match(word.text) for word in between)
    return is_after or (bool(between) and _changed_before(text, name) is not None)


def _unless_changed(after: Sequence[NearWord], place: int) -> tuple[int, bool] | None:
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


def _is_introduced(text: str, kind: str, name: re.Match[str], after: Sequence[NearWord]) -> bool:
    """`my pin 4711`, but not `pin 2023 notes to the board`."""
    if kind != PIN or name[0].isupper() or len(name[0]) > len("pins"):
        return True
    if len(after) == 1 or after[0].closes or after[1].key in secret_words().follows:
        return True
    before = list(words_of(text, max(0, name.start() - 24), name.start()))
    return bool(before) and before[-1].key in secret_words().owns


def _told_before(text: str, kind: str, name: re.Match[str], after: Sequence[NearWord]) -> Iterator[FoundSecret]:
    """`hunter2 is my wifi password`; a word alone is no secret there: `what is my password`."""
    if after and after[0].key in secret_words().compounds:
        return
    before = list(words_of(text, max(0, name.start() - _BACK), name.start()))
    if name.start() > _BACK:
        before = before[1:]
    before = [word for word in before if not _adorns(word) and word.text not in "-–—"]
    for place in range(len(before) - 1, max(0, len(before) - 6), -1):
        if before[place].key in secret_words().states:
            last = place - 1
            first, digits = last, secret_words().digits
            while first and all(before[at].key.isdecimal() or before[at].key in digits for at in (first - 1, last)):
                first -= 1
            told = before[first:place]
            end = end_of(text, kind, told, is_bound=False)
            if end:
                yield FoundSecret(inner_start(text, told[0].start), end, kind)
            return
