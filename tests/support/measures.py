"""What has moved since a moment, of all that is measured in this process."""

from __future__ import annotations

from shared.runtime.measured import measured


class Measures:
    """What is measured, beside what it was."""

    def __init__(self) -> None:
        self._before = measured()

    def grown(self, *keys: str) -> list[str]:
        """Which of these have grown since; named as `sample_key` names them, the beginning is enough."""
        return [key for key in keys if self._sum(measured(), key) > self._sum(self._before, key)]

    def now(self, key: str) -> float:
        """The present value of one."""
        return self._sum(measured(), key)

    def _sum(self, values: dict[str, float], beginning: str) -> float:
        return sum(value for key, value in values.items() if key.startswith(beginning))
