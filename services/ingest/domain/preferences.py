"""A person's settings in a space.

What `memory_enabled` and `incognito_default` switch is decided where a message is taken, on `state.settings`.
"""

from __future__ import annotations

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.ruling import Ruling
from shared.contracts.commands import ChangeSettings
from shared.contracts.events import SettingsChanged
from shared.contracts.preferences import PersonSettings, RankingOptions


def change_settings(command: ChangeSettings, ruling: Ruling) -> None:
    """The settings as they are from now on; a lower cap takes effect at once."""
    before = ruling.state.settings
    settings = merge(before, command.settings, command.unset)
    if settings == before:
        return
    ruling.add(SettingsChanged(settings=settings, before=before, asked=command.settings, unset=command.unset))
    keep_to_the_cap(ruling)


def merge(before: PersonSettings, asked: PersonSettings, unset: tuple[str, ...]) -> PersonSettings:
    """First what is unset falls back, then what is asked for is set. Of the ranking each option counts by itself.

    >>> merge(PersonSettings(soft_cap=100, idle_minutes=5), PersonSettings(soft_cap=50), ("idle_minutes",)).soft_cap
    50
    """
    kept = before.model_copy(update=dict.fromkeys(unset))
    given = {name: value for name in PersonSettings.model_fields if (value := getattr(asked, name)) is not None}
    if asked.ranking:
        given["ranking"] = _merged_ranking(kept.ranking, asked.ranking)
    return kept.model_copy(update=given)


def _merged_ranking(before: RankingOptions | None, asked: RankingOptions) -> RankingOptions:
    return (before or RankingOptions()).model_copy(update=asked.model_dump(exclude_none=True))
