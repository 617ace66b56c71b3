"""Draws the life of a memory: `docs/pictures/life.svg`."""

from __future__ import annotations

from typing import NamedTuple

from docs.drawing import WIDTH, arrow, box, lines, picture, words


class _Stage(NamedTuple):
    title: str
    texts: tuple[tuple[str, str], ...]


STAGES = (
    _Stage(
        "1  Said",
        (
            ("“I'm allergic to", "said"),
            ("shrimp.”", "said"),
            ("", ""),
            ("The bot sends the turn.", "soft"),
            ("Acknowledged: on disk,", "soft"),
            ("for good.", "soft"),
        ),
    ),
    _Stage(
        "2  Learned",
        (
            ("Anna is allergic to", ""),
            ("shrimp.  ← turn 1", ""),
            ("", ""),
            ("A fact, with the turns", "soft"),
            ("it rests on. By rules, or", "soft"),
            ("by a model of yours.", "soft"),
        ),
    ),
    _Stage(
        "3  Recalled",
        (
            ("“Is there shrimp in it?”", "said"),
            ("→ lines for the prompt", ""),
            ("", ""),
            ("Words, vectors, names", "soft"),
            ("and dates; it can be", "soft"),
            ("explained afterwards.", "soft"),
        ),
    ),
    _Stage(
        "4  Outdated",
        (
            ("“I'm not allergic to", "said"),
            ("shrimp any more.”", "said"),
            ("", ""),
            ("The newer statement", "soft"),
            ("ends the older one,", "soft"),
            ("which stays as history.", "soft"),
        ),
    ),
    _Stage(
        "5  Forgotten",
        (
            ("“Forget what I said", "said"),
            ("about shrimp.”", "said"),
            ("", ""),
            ("Hidden at once, then its", "soft"),
            ("bytes are overwritten.", "soft"),
            ("A receipt says so.", "soft"),
        ),
    ),
)
_TOP, _HEIGHT, _GAP = 8, 172, 22
_BAND_TOP, _BAND_HEIGHT = 206, 58
_CARD = (WIDTH - 2 * _TOP - _GAP * (len(STAGES) - 1)) / len(STAGES)


def life() -> str:
    """The picture."""
    parts = [part for number, stage in enumerate(STAGES) for part in _card(number, stage)]
    parts += [
        box(_TOP, _BAND_TOP, WIDTH - 2 * _TOP, _BAND_HEIGHT, "ours"),
        words(WIDTH / 2, _BAND_TOP + 25, "One append-only log of events in NATS JetStream", "title light", anchor="middle"),
        words(
            WIDTH / 2,
            _BAND_TOP + 45,
            "All else is a projection: delete it, replay the log, it is equal",
            "light",
            anchor="middle",
        ),
    ]
    return picture(_BAND_TOP + _BAND_HEIGHT + _TOP, "The life of a memory: said, learned, recalled, outdated, forgotten", parts)


def _card(number: int, stage: _Stage) -> list[str]:
    x = _TOP + number * (_CARD + _GAP)
    parts = [
        box(x, _TOP, _CARD, _HEIGHT),
        words(x + 12, _TOP + 26, stage.title, "title"),
        *lines(x + 12, _TOP + 54, stage.texts),
        f'<path d="M{x + _CARD / 2:g} {_TOP + _HEIGHT}v{_BAND_TOP - _TOP - _HEIGHT}" class="edge"/>',
    ]
    return parts if number == len(STAGES) - 1 else [*parts, arrow(x + _CARD + 3, _TOP + _HEIGHT / 2, _GAP - 6)]
