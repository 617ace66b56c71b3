"""How far embedding has come, as the operator is told."""

from typing import Any

from services.maintenance.domain.pace import Pace
from services.maintenance.embedding_failures import EmbeddingFailures
from services.maintenance.store import Backlog, MaintenanceStore


class EmbeddingProgress:
    """How far the memories have vectors of the model in use; without a model nothing waits."""

    def __init__(self, store: MaintenanceStore, model: str | None, failures: EmbeddingFailures) -> None:
        self._store = store
        self._model = model
        self._failures = failures
        self.pace = Pace()
        """What the job has embedded of late."""

    def told(self, now: float) -> dict[str, Any]:
        """The backlog and the failures; `now` is a moment of the pace.

        `backlog`: memories that wait since `oldest` (microseconds since 1970), of which `live` were said live. The model
        refuses what is `set_aside`. Of `total` memories `done` have a vector of this model, and `per_s` more each second; what
        waits takes `left_s`, which is null while nothing goes on. `failures` are those in a row.
        """
        aside = len(self._failures.set_aside)
        backlog = self._store.backlog(self._model, without=self._failures.set_aside) if self._model else Backlog(0, None)
        left_s = self.pace.left_s(backlog.memories, now)
        return {
            "model": self._model,
            "backlog": backlog.memories,
            "live": backlog.live,
            "oldest": backlog.oldest,
            "set_aside": aside,
            "done": max(0, backlog.total - backlog.memories - aside),
            "total": backlog.total,
            "is_switching": self._model is not None and self._store.has_others(self._model),
            "per_s": round(self.pace.per_s(now), 2),
            "left_s": None if left_s is None else round(left_s, 1),
            "failures": self._failures.failures,
            "last_error": self._failures.last_error,
            "tried_again_in_s": round(self._failures.wait_s, 1),
        }
