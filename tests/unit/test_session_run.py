"""Learning from a session whose end is told before the last page's acknowledgement is."""

from __future__ import annotations

from typing import Any

import pytest

from services.consolidator.session_run import SessionLearner
from services.consolidator.settings import ConsolidatorSettings
from shared.domain.model_tokens import TokenUsage


class _Ended:
    """A store, an extractor and a ledger of which nothing is asked but turns, facts and a meter."""

    origin = extract = None
    position = 0

    def turns(self, _: object) -> list[tuple[int, int]]:
        return []

    def meter(self, _: object) -> object:
        return TokenUsage()


class _Pending:
    position, scope, completed = 24, "s", 2


async def test_a_session_that_is_pending_no_more_before_its_run_returns_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    nothing: Any = _Ended()
    learner = SessionLearner(nothing, nothing, nothing, ConsolidatorSettings(), nothing)

    async def completion(_: object) -> None:
        pass

    async def page(*_: object, **__: object) -> None:
        learner.forget_all_but([])  # the log told of the end meanwhile

    monkeypatch.setattr(learner, "completion", completion)
    monkeypatch.setattr(learner, "_learn_page", page)
    pending: Any = _Pending()
    await learner.learn(pending)
    assert learner.spent_in_vain(pending) is None
