"""When nothing may be kept or recalled: memory is off for the person, or their session is incognito."""

from typing import Literal

from shared.contracts.preferences import PersonSettings

Withheld = Literal["incognito", "memory_off"]


def why_withheld(settings: PersonSettings, *, is_incognito: bool) -> Withheld | None:
    """Why nothing is kept or recalled in a session of this person; None if it is.

    >>> why_withheld(PersonSettings(memory_enabled=False), is_incognito=True)
    'memory_off'
    """
    if settings.memory_enabled is False:
        return "memory_off"
    return "incognito" if is_incognito else None


def is_incognito_by_default(settings: PersonSettings, *, has_begun: bool) -> bool:
    """True if a session is incognito only because the person wants every new session to be."""
    return bool(settings.incognito_default) and not has_begun
