"""The provider that is always there: patterns, and capitals."""

from collections.abc import Sequence

from shared.contracts.parts import Entity
from shared.domain.model_tokens import TokenMeter
from shared.language.text.entities import find_entities


class PatternFinder:
    """Mentions, hashtags, addresses and dates by patterns; names by their capitals."""

    name = "patterns/2"
    is_accurate = False

    async def find(self, text: str, meter: TokenMeter) -> Sequence[Entity]:  # noqa: ARG002 - it asks no model
        """The entities of a text."""
        return find_entities(text)

    async def close(self) -> None:
        """Do nothing."""
