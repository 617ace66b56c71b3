"""Text as it is compared: Unicode, quotes, dashes and white space unified; URLs and citations taken out.

Source: ../reference/memory-upgrade-spec.md, "Normalization".
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple, Self

_TRANSLATED = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛ʼ`´＇", "'"),
        **dict.fromkeys("“”„‟«»＂", '"'),
        **dict.fromkeys("‐‑‒–—―−﹘﹣－", "-"),
        **{mark: f"^{digit}" for digit, mark in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹")},  # before NFKC, which makes 10² to 102
        "⁄": "/",
        "ـ": None,  # Arabic tatweel: a stroke that only lengthens a word
    }
)
_FRACTION = re.compile("[¼-¾⅐-⅞]")
_GROUPED = re.compile(r"(?<=\d)[\u00a0\u202f\u2009'’](?=\d{3}(?!\d))")
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff]"
)
_TONES = re.compile("[\U0001f3fb-\U0001f3ff\U000e0100-\U000e01ef]")
_URL = re.compile(
    r"\b(?:(?:https?|ftp)://|www\.|(?:[a-z\d-]{1,63}\.){1,8}[a-z]{2,24}/)[^\s<>\"]*[^\s<>\"')\].,;:!?]", re.IGNORECASE
)
_AUTOLINK = re.compile(r"<((?:https?|ftp)://[^\s<>]+)>", re.IGNORECASE)
_TRACKING = re.compile(
    r"(?<=[?&])(?:utm_[a-z_]+|gclid|fbclid|msclkid|dclid|yclid|twclid|ttclid|igshid|mc_cid|mc_eid)=[^&#]*&?", re.IGNORECASE
)
_NO_QUERY = re.compile(r"[?&]+(?=#|$)")
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8}\d?);", re.IGNORECASE)
_ADDRESS = re.compile(r"(?:\w+://)?(?:www\.)?([^/?#]*)(.*)", re.IGNORECASE | re.DOTALL)
_COUNTED = r"(?<!option )(?<!step )(?<!item )(?<!number )(?<!answer )(?<!figure )(?<!room )(?<!case )(?<!plan )"
_CITATION = re.compile(
    r"【[^】]{1,40}】"  # as chat bots cite
    rf"|{_COUNTED}\[\^?\d{{1,3}}(?:\s?[,-]\s?\d{{1,3}})*\]|\[(?:ep|fact|ref|roll|mem)_[\w-]+(?:,\s?(?:ep|fact|ref|roll"
    rf"|mem)_[\w-]+)*\]|\[(?:citation needed|source|sources|ref)\]|\([A-Z][\w'-]+ et al\.?,?\s\d{{4}}[a-z]?\)",
    re.IGNORECASE,
)
_DOTTED_I = re.compile("(?<=i)\u0307")


_WIDE = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff]+")
_UNSEEN = re.compile("[\u2800\u3164\uffa0\U000e0000-\U000e0fff]")


_JOINING = "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u0655\u093c\u09bc\u1161-\u11ff\u3099\u309a"
"""Characters that are written into the one before them."""
_PIECE = re.compile(rf".(?:[{_JOINING}]|{_INVISIBLE.pattern}|{_UNSEEN.pattern})*+", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text without URLs and citations, its case unchanged; and its URLs in order, without tracking parameters."""

    text: str
    urls: tuple[str, ...]


def clean(text: str) -> Cleaned:
    """Text in NFKC, without invisible characters and skin tones, and with quotes, dashes and space of one kind.

    >>> clean("See  “this” [1]: HTTPS://A.example/x?q=1")
    Cleaned(text='See "this" :', urls=('a.example/x?q=1',))
    """
    if "&" in text:
        text = _ENTITY.sub(lambda found: html.unescape(found[0]), text)
    plain = _AUTOLINK.sub(r" \1 ", _unified(text))
    urls: tuple[str, ...] = ()
    if "/" in plain or "www." in plain.lower():  # the least that an address holds: most texts are not searched for one
        urls = tuple(map(_address, _URL.findall(plain)))
        plain = _URL.sub(" ", plain) if urls else plain
    if "[" in plain or "(" in plain or "【" in plain:
        plain = _CITATION.sub(" ", plain)
    return Cleaned(" ".join(plain.split()), urls)


def comparable(text: str) -> str:
    """Return a text in the one form in which it is compared: NFC, letters of usual width, nothing that is not seen.

    The recorded text stays as it was written.

    >>> comparable("Mun\u0303o\u200bz"), comparable("\uff2d\uff55\u00f1oz")
    ('Muñoz', 'Muñoz')
    """
    if text.isascii():
        return text
    wide = _WIDE.sub(lambda found: unicodedata.normalize("NFKC", found[0]), text)
    return unicodedata.normalize("NFC", _UNSEEN.sub("", _INVISIBLE.sub("", wide)))


class Comparable(NamedTuple):
    """A text in the form in which it is compared, and where its characters stand in the text as it was written."""

    text: str
    offsets: Sequence[int]  # one more than the text has characters

    @classmethod
    def of(cls, written: str) -> Self:
        """Return the form of a text: that of each character with the marks and all that is not seen behind it."""
        text = comparable(written)
        if text == written:
            return cls(text, range(len(text) + 1))
        pieces = list(_PIECE.finditer(written))
        offsets = (offset for piece in pieces for offset in repeat(piece.start(), len(comparable(piece[0]))))
        return cls("".join(comparable(piece[0]) for piece in pieces), (*offsets, len(written)))


def folded(text: str) -> str:
    """The text case folded, in any script; also ß and the Turkish dotted İ.

    >>> folded("STRASSE") == folded("Straße"), folded("İZMİR")
    (True, 'izmir')
    """
    return text.lower() if text.isascii() else _DOTTED_I.sub("", unicodedata.normalize("NFC", text.casefold()))


def _unified(text: str) -> str:
    if not text.isascii():
        text = _GROUPED.sub("", text)
        text = _FRACTION.sub(lambda match: f" {unicodedata.normalize('NFKC', match[0])} ", text)
        text = unicodedata.normalize("NFKC", text.translate(_TRANSLATED))
        text = unicodedata.normalize("NFKC", _TONES.sub("", _INVISIBLE.sub("", text)).translate(_TRANSLATED))
    return _GROUPED.sub("", text.translate(_TRANSLATED))


def _address(url: str) -> str:
    """A URL without scheme, `www.`, tracking parameters and final slash; the host in lower case."""
    match = _ADDRESS.fullmatch(url)
    assert match is not None  # noqa: S101 - every part may be empty
    rest = _NO_QUERY.sub("", _TRACKING.sub("", match[2]))
    return (match[1].lower() + rest).rstrip("/")
