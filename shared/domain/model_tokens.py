"""Tokens that a model read and wrote."""

from __future__ import annotations

from typing import NamedTuple, Protocol


class TokenUsage(NamedTuple):
    """Tokens of requests: read and written."""

    prompt: int = 0
    completion: int = 0

    @property
    def total(self) -> int:
        """Tokens read and written together."""
        return self.prompt + self.completion


class TokenMeter(Protocol):
    """Counts the tokens that are spent on one person."""

    async def require_budget(self) -> None:
        """Raise BudgetSpent (Unavailable) if no request may be made today."""

    async def spent(self, usage: TokenUsage) -> None:
        """Count the tokens of a request, whatever came of it."""


class Unmetered:
    """No budget, and nobody counts."""

    async def require_budget(self) -> None:
        """Do nothing."""

    async def spent(self, usage: TokenUsage) -> None:
        """Do nothing."""
