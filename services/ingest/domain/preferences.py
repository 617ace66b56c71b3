"""Changes a person's settings in a space. The rules of turns and facts apply `memory_enabled` and `incognito_default`."""

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.ruling import Ruling
from shared.contracts.commands import ChangeSettings
from shared.contracts.preferences import PersonSettings, RankingOptions, SettingsChanged
from shared.language.commands.command import ChatCommand, ChatCommandName
from shared.language.commands.reading import read_answer


def change_settings(command: ChangeSettings, ruling: Ruling) -> None:
    """Change settings; a lower cap takes effect at once."""
    before = ruling.state.settings
    settings = merge(before, command.settings, command.unset)
    if settings == before:
        return
    ruling.add(SettingsChanged(settings=settings, before=before, asked=command.settings, unset=command.unset))
    keep_to_the_cap(ruling)


def switching_on(text: str, settings: PersonSettings, languages: tuple[str, ...]) -> ChatCommand | None:
    """Return the doubtful command to turn memory on, where it is off."""
    answer = read_answer(text, languages=languages) if settings.memory_enabled is False else None
    return answer if answer and answer.name is ChatCommandName.MEMORY_ON else None


def merge(before: PersonSettings, asked: PersonSettings, unset: tuple[str, ...]) -> PersonSettings:
    """The settings after `unset` and then `asked` are applied; each option of the ranking is a setting of its own.

    >>> merge(PersonSettings(soft_cap=100, idle_minutes=5), PersonSettings(soft_cap=50), ("idle_minutes",)).soft_cap
    50
    """
    kept = before.model_copy(update=dict.fromkeys(unset))
    given = {name: value for name in PersonSettings.model_fields if (value := getattr(asked, name)) is not None}
    if asked.ranking:
        given["ranking"] = (kept.ranking or RankingOptions()).model_copy(update=asked.ranking.model_dump(exclude_none=True))
    return kept.model_copy(update=given)
