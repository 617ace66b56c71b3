"""Secrets that show by their shape alone: cards by their checksum, tokens by their prefixes, private keys by their frame.

Sources: ISO/IEC 7812 (numbers of cards), RFC 7519 (JWT), RFC 7468 (PEM), and what the issuers document of their prefixes.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from shared.domain.pauses import may_pause

CARD, KEY, TOKEN, PRIVATE_KEY, CODE = "card number", "key", "token", "private key", "code"
PASSWORD, PIN, PHRASE = "password", "pin", "recovery phrase"

_DIGITS_OF_CARDS = ((14, ("36", "38", "39", "300", "305")), (15, ("34", "37")), (16, ("4", "5", "6", "35", "2")))
_LOCKS = r"(?:door|gate|keypad|alarm|lock|entrance|intercom)"
_LOGINS = "log-?in(?! (?:with|via|by|using))|credentials|creds|zugangsdaten|credenciales|identifiants|wi-?fi|wlan|account"
_BEFORE = 28
_REACH = 8_192
"""Characters: no private key in text is longer."""

_BEGINS_KEY = "-----BEGIN"
_SHORTEST_KEY = 15
"""Characters without white space of the shortest of these."""
_PREFIXED = (
    r"sk-[A-Za-z0-9_-]{20,200}+",  # OpenAI, Anthropic and those who follow them
    r"[rsp]k_(?:live|test)_[A-Za-z0-9]{16,200}+",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{20,100}+",
    r"gh[opusr]_[A-Za-z0-9]{30,255}+",
    r"github_pat_[A-Za-z0-9_]{30,255}+",
    r"gl(?:pat|sa|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)[-_][A-Za-z0-9_-]{20,100}+",  # GitLab, Grafana
    r"xox[a-z]-[A-Za-z0-9-]{10,200}+",  # Slack
    r"xapp-[A-Za-z0-9-]{20,200}+",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",  # AWS
    r"AIza[A-Za-z0-9_-]{35}",  # Google
    r"ya29\.[A-Za-z0-9_-]{20,400}+",
    r"GOCSPX-[A-Za-z0-9_-]{20,60}+",
    r"hf_[A-Za-z0-9]{30,60}+",
    r"npm_[A-Za-z0-9]{36}",
    r"pypi-[A-Za-z0-9_-]{40,400}+",
    r"SG\.[A-Za-z0-9_-]{16,40}+\.[A-Za-z0-9_-]{30,60}+",  # SendGrid
    r"do[opr]_v1_[a-f0-9]{64}",
    r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
    r"(?:gsk|nvapi|tvly|pplx|xai|r8|lin_api|ntn|figd|dckr_pat|PMAK|hvs|sntrys|tskey|rnd|fly|vercel)[-_.][A-Za-z0-9_-]{24,400}+",
    r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,60}+",
    r"EAA[A-Za-z0-9]{60,400}+",  # Meta
    r"ATATT3[A-Za-z0-9_=-]{40,400}+",
    r"AGE-SECRET-KEY-1[A-Z0-9]{50,70}+",
    r"dapi[a-f0-9]{32}",
    r"key-[a-f0-9]{32}",
    r"\d{8,10}:AA[A-Za-z0-9_-]{33}",  # Telegram
)


class FoundSecret(NamedTuple):
    """Where a text holds a secret, and what kind it is."""

    start: int
    end: int
    kind: str


def by_shape(text: str) -> Iterator[FoundSecret]:
    """The secrets that need no word beside them."""
    has_digit = _digit().search(text) is not None
    has_long = max(map(len, text.split()), default=0) >= _SHORTEST_KEY
    if has_digit:
        yield from _cards(text)
        may_pause()
    if _BEGINS_KEY in text:
        yield from _private_keys(text)
    for kind, needed, pattern in _patterns():
        if needed in text and (has_digit or kind != CODE) and (has_long or kind != KEY):
            may_pause()
            for found in pattern.finditer(text):
                yield FoundSecret(*found.span("secret"), kind)


def passes_luhn(digits: str) -> bool:
    """Whether the last digit is the check digit of those before it.

    Source: ISO/IEC 7812-1, annex B.

    >>> passes_luhn("4111111111111111"), passes_luhn("4111111111111112")
    (True, False)
    """
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)  # noqa: PLR2004 - of two digits
    return total % 10 == 0


def is_card(digits: str) -> bool:
    """Whether digits are the number of a payment card: its issuer's first digits, its length and its check digit.

    >>> is_card("5555555555554444"), is_card("1234567812345670")
    (True, False)
    """
    fits = any(len(digits) == length and digits.startswith(firsts) for length, firsts in _DIGITS_OF_CARDS)
    is_reserved = digits.startswith("2") and not "2221" <= digits[:4] <= "2720"
    return fits and not is_reserved and len(set(digits)) > 1 and passes_luhn(digits)


def plain_digits(written: str) -> str:
    """The digits of a number, as 0 to 9, whatever stands between them."""
    return "".join(str(int(sign)) for sign in written if sign.isdecimal())


@cache
def _digit() -> re.Pattern[str]:
    """What every card and every code has."""
    return re.compile(r"\d")


@cache
def _card_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    gap = r"[ \u00a0\u2009\u202f.\-\u2010\u2011\u2013_/]{1,3}"
    grouped = rf"\d{{4}}(?:{gap}\d{{4}}){{3}}|\d{{4}}{gap}\d{{6}}{gap}\d{{4,5}}|\d{{14,16}}"
    ordered = (
        "order|invoice|tracking|parcel|shipment|ticket|reference|ref|imei|bestell|auftrag|sendung|rechnung|pedido|factura|envío"
        "|commande|facture|suivi|colis"
    )
    return (
        re.compile(rf"(?=\d)(?<![\w+.,-])(?:{grouped})(?![\w-])(?![.,]\d)"),
        re.compile(rf"\b(?:{ordered})\w*(?:\W+(?!card|karte|tarjeta|carte)\w+){{0,2}}\W*$", re.IGNORECASE),
    )


def _cards(text: str) -> Iterator[FoundSecret]:
    number, ordered = _card_patterns()
    for found in number.finditer(text):
        may_pause()
        before = text[max(0, found.start() - _BEFORE) : found.start()]
        if is_card(plain_digits(found[0])) and not ordered.search(before):
            yield FoundSecret(*found.span(), CARD)


@cache
def _frames() -> tuple[re.Pattern[str], re.Pattern[str]]:
    name = r"[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?"
    return re.compile(rf"{_BEGINS_KEY} {name}-----"), re.compile(rf"-----END {name}-----")


def _private_keys(text: str) -> Iterator[FoundSecret]:
    """Keys between their marks; one whose end is missing goes as far as a key may."""
    begins, ends = _frames()
    last = 0
    for found in begins.finditer(text):
        if found.start() < last:
            continue
        end = ends.search(text, found.end(), found.end() + _REACH)
        last = end.end() if end else min(len(text), found.end() + _REACH)
        yield FoundSecret(found.start(), last, PRIVATE_KEY)


@cache
def _patterns() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """The kind that a pattern finds, what every match of it holds, and the pattern."""
    part = "[A-Za-z0-9_-]"
    keypad = rf"\b(?:type|enter|dial|press) (?P<secret>\d{{4,8}}#?) (?:at|on|into|in) the {_LOCKS}"
    login = (
        rf"\b(?:{_LOGINS})\b[^\n/]{{0,40}}?[ :](?P<user>[\w.@+-]{{2,64}}) ?/ ?"
        r"(?P<secret>(?=[^\s]{0,32}[\d!#$%&*?])[^\s,;]{5,64})"
    )
    return (
        (KEY, "", re.compile(rf"(?<![A-Za-z0-9_/.-])(?P<secret>{'|'.join(_PREFIXED)})")),
        (TOKEN, "eyJ", re.compile(rf"(?<!{part})(?P<secret>eyJ{part}{{8,4000}}+\.eyJ{part}{{4,8000}}+\.{part}{{8,2000}}+)")),
        (
            TOKEN,
            "earer",
            re.compile(r"\b[Bb]earer[ :]{1,2}(?P<secret>(?=[A-Za-z._~+/=-]{0,64}\d)[A-Za-z0-9._~+/=-]{16,4000}+)"),
        ),
        (TOKEN, "hooks", re.compile(r"\bhooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{20,100}+)")),
        (TOKEN, "asic", re.compile(r"\b[Aa]uthorization:? {0,2}[Bb]asic (?P<secret>[A-Za-z0-9+/]{8,400}={0,2})")),
        (CODE, "code", re.compile(r"\bcode (?P<secret>\d{4,8}) to (?:log|sign|verify|confirm|unlock|enter|open|get in)")),
        (CODE, "G-", re.compile(r"\b(?P<secret>G-\d{6})\b")),
        (CODE, " the ", re.compile(keypad, re.IGNORECASE)),
        (PASSWORD, "mysql", re.compile(r"\bmysql\b[^\n]{0,80}?\s-p(?P<secret>[^\s]{4,64})")),
        (PASSWORD, "curl", re.compile(r"\bcurl\b[^\n]{0,80}?\s(?:-u|--user)\s[^\s:]{1,64}:(?P<secret>[^\s]{3,64})")),
        (PASSWORD, "/", re.compile(login, re.IGNORECASE)),
        (PASSWORD, "://", re.compile(r"://[^\s:@/]{0,64}:(?P<secret>[^\s@/]{1,128}+)@")),
    )
