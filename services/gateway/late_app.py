"""The application as a server needs it at its start: it is made when somebody asks, or the service is warm."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from shared.runtime.tasks import in_thread

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send


class LateApp:
    """Makes an application once, in a thread: importing and making FastAPI's takes a quarter of a start, and bots need none."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._make = make
        self._app: ASGIApp | None = None
        self._making = threading.Lock()

    def made(self) -> ASGIApp:
        """The application; whoever comes while it is made waits for it."""
        with self._making:
            if self._app is None:
                self._app = self._make()
            return self._app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        app = await in_thread(self.made) if self._app is None else self._app
        await app(scope, receive, send)
