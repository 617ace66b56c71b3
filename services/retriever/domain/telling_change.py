"""Recognises statements that say themselves that something has changed: `now`, `no longer`, `these days`."""

import functools
import re

_ENGLISH = (
    *("now", "nowadays", "these days", "from now on", "since then", "instead", "again", "finally", "recently", "lately"),
    *(
        "no longer",
        "no more",
        "any ?more",
        "not any",
        "used to",
        "is off",
        "are off",
        "is over",
        "back on",
        "gave up",
        "given up",
        r"(?:are|am|is|was|'re|'m|'s) down to (?:\d|one|two|three|four|five|just|only)",
        "pushed back",
        "gone over to",
        "since I last",
    ),
    *("stopped", "quit", "changed", "switched", "swapped", "replaced", "moved", "left", "sold", "became", "turned", "dropped"),
    *("postponed", "rescheduled", "cancelled", "canceled", "got a new", "have a new", "my new", "our new"),
)
_GERMAN = (
    *(
        "jetzt",
        "inzwischen",
        "mittlerweile",
        "seitdem",
        "nicht mehr",
        r"keine?n? mehr",
        "wieder",
        "endlich",
        r"mein\w* neue\w*",
    ),
    *("gewechselt", "umgezogen", "gezogen", "verschoben", "aufgehört", "verkauft", "gekündigt"),
)
_SPANISH = (
    *("ahora", "ya no", "otra vez", "de nuevo", "por fin", r"mi nuev[oa]", r"dejé", r"he dejado", r"cambi\w+"),
    *(r"mudad[oa]", "mudé", "vendí"),
)
_FRENCH = (
    *("maintenant", "désormais", "à nouveau", "enfin", r"(?:ne|n'|n’)\s?\w+ plus", r"mon nouve\w+", "ma nouvelle"),
    *("changé", "déménagé", "arrêté", "vendu", "quitté"),
)
_ENDS = (
    *(
        "no longer",
        "no more",
        "any ?more",
        "gave up",
        "given up",
        "moved out",
        "moved on",
        "broke up",
        "stepped down",
        "dropped out",
    ),
    *("left", "quit", "stopped", "cancelled", "canceled", "sold", "replaced", "died", "finished", "resigned", "retired"),
    *("nicht mehr", r"keine?n? mehr", "ausgezogen", "gekündigt", "verkauft", "aufgehört", "verlassen", "gestorben"),
    *("ya no", r"dejé", r"he dejado", "vendí", "se fue", "cancelé", "murió"),
    *(r"(?:ne|n'|n’)\s?\w+ plus", "arrêté", "vendu", "quitté", "résilié", "parti", "partie", "mort", "morte"),
)
_NOT_MEANT = (
    *(
        '"',
        "“",
        "„",
        "«",
        "said",
        "says",
        "told",
        "texted",
        "if",
        "wish",
        "imagine",
        "would",
        "kidding",
        "joking",
        "lol",
        "haha",
    ),
    *("sagte", "wenn", "würde", "scherz", "dijo", "ojalá", "broma", "si", "dit", "blague"),
)
"""Words of others, of wishes and of jokes: they change nothing."""


def tells_change(text: str) -> bool:
    """True if a statement says, in earnest and of its own, that something is not as it was.

    >>> tells_change("I take my coffee black now."), tells_change("I take my coffee with sugar.")
    (True, False)
    >>> tells_change("Ann said: 'I live in Rome now'"), tells_change("If I were rich I would be in Rome now")
    (False, False)
    """
    changed = _pattern((*_ENGLISH, *_GERMAN, *_SPANISH, *_FRENCH))
    return bool(changed.search(text)) and not _not_meant().search(text)


def tells_end(text: str) -> bool:
    """True if a statement says, in earnest and of its own, that something is over.

    >>> tells_end("Petra left last month"), tells_end("I take my coffee black now")
    (True, False)
    """
    return bool(_pattern(_ENDS).search(text)) and not _not_meant().search(text)


@functools.cache
def _pattern(wordings: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(wordings)})\b", re.IGNORECASE)


@functools.cache
def _not_meant() -> re.Pattern[str]:
    return re.compile("|".join(word if re.match(r"\W", word) else rf"\b{word}\b" for word in _NOT_MEANT), re.IGNORECASE)
