"""Runs a service that kills itself at a named step: `python -m tests.acceptance.die_at SERVICE STEP-AS-JSON`.

The step is a function, patched from outside: the service knows nothing of it. SIGKILL, so that nothing is tidied up.
"""

from __future__ import annotations

import inspect
import json
import os
import runpy
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import wraps
from importlib import import_module
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Step:
    """The moment before or after a call of a function."""

    service: str
    function: str  # module:name, where it is looked up by its callers; or module:Class.name
    when: Literal["before", "after"] = "after"
    about: str = ""  # only calls whose arguments tell of this count
    call: int = 1  # the first, the second ...

    def __str__(self) -> str:
        about = f" of {self.about}" if self.about else ""
        number = f" {self.call}" if self.call > 1 else ""
        return f"{self.service}, {self.when} {self.function.partition(':')[2]}{number}{about}"

    def arguments(self) -> list[str]:
        """For `python -m`."""
        return [__name__, json.dumps(asdict(self))]


class _Watch:
    """Counts the calls of one function."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self._calls = 0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with death before or after it."""
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def awaited(*args: Any, **more: Any) -> Any:  # noqa: ANN401 - whatever it takes
                is_it = self._is_it(args, more)
                self._die("before", is_it=is_it)
                result = await function(*args, **more)
                self._die("after", is_it=is_it)
                return result

            return awaited

        @wraps(function)
        def called(*args: Any, **more: Any) -> Any:  # noqa: ANN401 - whatever it takes
            is_it = self._is_it(args, more)
            self._die("before", is_it=is_it)
            result = function(*args, **more)
            self._die("after", is_it=is_it)
            return result

        return called

    def _is_it(self, args: object, more: object) -> bool:
        if self._step.about in f"{args!r} {more!r}":
            self._calls += 1
            return self._calls == self._step.call
        return False

    def _die(self, when: str, *, is_it: bool) -> None:
        if is_it and when == self._step.when:
            os.kill(os.getpid(), signal.SIGKILL)


def _patch(step: Step) -> None:
    module, _, name = step.function.partition(":")
    holder: Any = import_module(module)
    *classes, name = name.split(".")
    for each in classes:
        holder = getattr(holder, each)
    setattr(holder, name, _Watch(step).around(getattr(holder, name)))


def main() -> None:
    """Patch the one function, then run the service as always."""
    step = Step(**json.loads(sys.argv[1]))
    sys.argv = [f"services.{step.service}"]
    _patch(step)
    runpy.run_module(f"services.{step.service}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
