"""What is so for years, whoever asks: health, diet, family, names, and how to be answered. Such facts fade slowly."""

from collections.abc import Iterable

from shared.contracts.parts import FactSlot
from shared.language.statements.attributes import INTAKE, lasting

_PASSING = frozenset(
    """cold bad flu fever cough coughing headache migraine hangover hungover covid corona sick ill unwell tired exhausted
    stressed injured sprained pregnant nauseous dizzy sore stomach throat bug infection""".split()  # noqa: SIM905 - a list of words
)
"""Words of conditions that are over within weeks or months."""


def states_lasting(slots: Iterable[FactSlot]) -> bool:
    """True if a fact states something that holds for years. What it only implies, or says for a time, does not count.

    >>> from shared.contracts.parts import FactSlot
    >>> [
    ...     states_lasting([FactSlot(subject="user", attribute=attribute, value=value)])
    ...     for attribute, value in (("allergy", "nuts"), ("condition", "asthma"), ("condition", "cold"), ("home", "Leeds"))
    ... ]
    [True, True, False, False]
    """
    return any(_lasts(slot) for slot in slots)


def _lasts(slot: FactSlot) -> bool:
    if slot.attribute not in lasting() or slot.is_doubtful or slot.is_future or slot.is_implied or slot.valid_until:
        return False
    if slot.negated and slot.attribute != INTAKE:  # what does not hold; but of food it is what must not be eaten
        return False
    return not (slot.attribute in {"condition", "medication"} and _PASSING.intersection((slot.value or "").casefold().split()))
