"""Corrections: "no, it's Thursday not Tuesday" changes what was said before, in the speaker's own words."""

import re
from typing import NamedTuple

from shared.text.calendar import MONTH, WEEKDAY

_WORDS = r"[\w:'-]+(?: [\w:'-]+){0,2}?"
_AT = "(?:on |in |at )?"
_NEW = rf"{_AT}(?P<new>{_WORDS})"
_OLD = rf"{_AT}(?P<old>{_WORDS})"
_PATTERNS = tuple(
    re.compile(rf"^{pattern}$", re.IGNORECASE)
    for pattern in (
        rf"(?:I mean(?:t)? |correction:? |make (?:that|it) )?(?:it|that|they|he|she)?(?:'s| is| are)? ?{_NEW},? not {_OLD}",
        rf"(?:I meant?|correction:?|make (?:that|it)|rather|I should have said) (?:to say )?{_NEW}(?:,? (?:sorry|not {_OLD}))?",
        rf"(?:it|that)(?:'s| is) not {_OLD},? (?:but|it's|it is) {_NEW}",
        rf"not {_OLD},? (?:but )?{_NEW}",
    )
)
_CLASSES = tuple(re.compile(rf"\b{pattern}\b", re.IGNORECASE) for pattern in (WEEKDAY, MONTH, r"\d+(?::\d\d)?"))


class Correction(NamedTuple):
    """The right words, and the wrong ones they replace; `old` is None if only the right ones were said."""

    new: str
    old: str | None

    def applied(self, earlier: str) -> str | None:
        """The earlier statement with the correction applied; None unless it has the wrong words exactly once."""
        old = self.old or _of_the_same_class(self.new, earlier)
        if not old:
            return None
        changed, count = re.subn(rf"\b{re.escape(old)}\b", self._in_the_case_of, earlier, flags=re.IGNORECASE)
        return changed if count == 1 else None

    def _in_the_case_of(self, wrong: re.Match[str]) -> str:
        """The right words in the case of the wrong ones: a capital at the start of a sentence may be due to its place."""
        return self.new[0].lower() + self.new[1:] if wrong[0][0].islower() else self.new


def correction(sentence: str) -> Correction | None:
    """The correction that a cleaned statement is, or None if it is more or something else.

    >>> correction("it's Thursday not Tuesday")
    Correction(new='Thursday', old='Tuesday')
    """
    for pattern in _PATTERNS:
        if match := pattern.match(sentence):
            return Correction(match["new"], match.groupdict().get("old"))
    return None


def _of_the_same_class(new: str, earlier: str) -> str | None:
    """The only word of the earlier statement that is a weekday, month or number as the right word is."""
    for pattern in _CLASSES:
        if pattern.fullmatch(new):
            found = pattern.findall(earlier)
            return str(found[0]) if len(found) == 1 else None
    return None
