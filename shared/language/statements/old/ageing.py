"""What a stated age or duration comes to at another time than the one when it was told."""

from datetime import datetime

from shared.contracts.parts import FactSlot

_DAYS_OF_YEAR = 365.25
_DAYS_OF_MONTH = _DAYS_OF_YEAR / 12
_MONTHS_OF_YEAR = 12


def aged(slot: FactSlot, *, told_at: datetime, now: datetime) -> str | None:
    """What a slot that moves with time comes to, in words; None where it does not move, or did not by a whole year or month.

    >>> from datetime import UTC
    >>> slot = FactSlot(subject="user", attribute="age", value="34")
    >>> aged(slot, told_at=datetime(2024, 3, 1, tzinfo=UTC), now=datetime(2026, 5, 1, tzinfo=UTC))
    '36 or 37 now'
    """
    if slot.negated or slot.value is None:
        return None
    if slot.attribute == "age":
        return _age(slot.value, (now - told_at).days / _DAYS_OF_YEAR)
    if slot.valid_from and slot.valid_from < told_at:
        return _duration((now - slot.valid_from).days / _DAYS_OF_MONTH, (told_at - slot.valid_from).days / _DAYS_OF_MONTH)
    return None


def _age(value: str, years: float) -> str | None:
    if not value.isdigit() or years < 1 / _MONTHS_OF_YEAR:
        return None
    least = int(value) + int(years)
    return f"{least} or {least + 1} now"


def _duration(months: float, told_months: float) -> str | None:
    """`for 5 years now`, where it was told as less."""
    is_long = months >= _MONTHS_OF_YEAR
    count, told = (int(each / _MONTHS_OF_YEAR if is_long else each) for each in (months + 0.5, told_months + 0.5))
    unit = ("year" if is_long else "month") + "s" * (count != 1)
    return f"for {count} {unit} now" if count > told else None
