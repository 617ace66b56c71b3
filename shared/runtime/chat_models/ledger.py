"""What asking models costs: tokens by day, and the budget of a day. The log says what was spent before this process began."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from shared.contracts.ids import Scope
from shared.domain.model_tokens import TokenUsage
from shared.runtime.chat_models.errors import BudgetSpent
from shared.runtime.chat_models.usage import RecordedUsage
from shared.runtime.clock import Clock
from shared.runtime.metrics import MODEL_TOKENS_BUDGET, MODEL_TOKENS_TODAY
from shared.runtime.spending import spent
from shared.runtime.tasks import in_thread


class TokenLedger:
    """Counts the tokens of the present day, UTC. `per_day` is the budget; with `names_persons` metrics say whose they are.

    `purpose` is what metrics say that they are for, and by `model` is known what they cost.
    """

    def __init__(
        self,
        store: RecordedUsage,
        clock: Clock,
        *,
        per_day: int | None,
        names_persons: bool,
        purpose: str = "learning",
        model: str = "",
    ) -> None:
        self._store = store
        self._clock = clock
        self._purpose = purpose
        self._model = model
        self._names_persons = names_persons
        self._day: date | None = None
        self._today = 0
        self.per_day = per_day
        if per_day is not None:
            MODEL_TOKENS_BUDGET.labels(purpose).set(per_day)

    def meter(self, scope: Scope) -> PersonMeter:
        """What counts the tokens of one run about one person."""
        return PersonMeter(self, scope)

    async def today(self) -> int:
        """The tokens spent since midnight."""
        day = self._clock.now().date()
        if day != self._day:
            recorded = await in_thread(self._store.usage, since=day.isoformat(), until=day.isoformat())
            if day != self._day:  # else somebody else asked meanwhile
                self._day, self._today = day, sum(used.total for used in recorded)
        return self._today

    async def is_spent(self) -> bool:
        """True if the budget of today is spent. Requests that are on their way are not counted yet."""
        return self.per_day is not None and await self.today() >= self.per_day

    def seconds_to_midnight(self) -> float:
        """How long it is until the next budget."""
        now = self._clock.now()
        return (datetime.combine(now.date() + timedelta(days=1), time(), UTC) - now).total_seconds()

    async def add(self, scope: Scope, usage: TokenUsage) -> None:
        """Count the tokens of a request."""
        await self.today()
        self._today += usage.total
        person = str(scope) if self._names_persons else ""
        spent(self._purpose, self._model, read=usage.prompt, written=usage.completion, person=person)
        MODEL_TOKENS_TODAY.labels(self._purpose).set(self._today)


class PersonMeter:
    """Counts the tokens of one run, so that they can be recorded with what came of it."""

    def __init__(self, ledger: TokenLedger, scope: Scope) -> None:
        self._ledger = ledger
        self._scope = scope
        self.used = TokenUsage()

    async def require_budget(self) -> None:
        """Raise BudgetSpent if the tokens of today are spent."""
        if await self._ledger.is_spent():
            raise BudgetSpent

    async def spent(self, usage: TokenUsage) -> None:
        """Count the tokens of a request."""
        self.used = TokenUsage(self.used.prompt + usage.prompt, self.used.completion + usage.completion)
        await self._ledger.add(self._scope, usage)
