"""Providers of names that say what they are told to."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from shared.contracts.errors import Unavailable
from shared.contracts.parts import Entity
from shared.domain.model_tokens import TokenMeter, TokenUsage
from shared.runtime.chat_models.chat_model import Answered, ChatModel


class ScriptedChat(ChatModel):
    """A model that names the same of every text, or says something else."""

    def __init__(self, *named: tuple[str, str], said: str | None = None, is_refusal: bool = False) -> None:
        listed = [{"name": name, "type": kind} for name, kind in named]
        self._said = json.dumps({"entities": listed}) if said is None else said
        self._is_refusal = is_refusal
        self.asked: list[str] = []

    async def ask(self, system: str, user: str, *, name: str, schema: Mapping[str, Any]) -> Answered:  # noqa: ARG002
        """What it says to everything: 7 tokens."""
        self.asked.append(user)
        return Answered(self._said, is_cut=False, is_refusal=self._is_refusal, usage=TokenUsage(5, 2))

    async def aclose(self) -> None:
        """Do nothing."""


class FixedFinder:
    """A provider that finds the same in every text, or fails."""

    name = "fixed/1"
    is_accurate = True

    def __init__(self, found: Sequence[Entity], *, fails: Unavailable | None = None) -> None:
        self._found = found
        self._fails = fails

    async def find(self, text: str, meter: TokenMeter) -> Sequence[Entity]:  # noqa: ARG002
        """These. Raises what it was told to."""
        if self._fails:
            raise self._fails
        return self._found

    async def close(self) -> None:
        """Do nothing."""
