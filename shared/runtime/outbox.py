"""What one bot has sent through the gate: a part is under way to the stream, the rest waits in its order."""

import os
from collections import deque
from typing import NamedTuple

from nats.aio.msg import Msg

_UNDER_WAY = 256
"""Messages of a bot at a time that the stream has not acknowledged: with more others would wait, with fewer the bot itself."""
_MOST_WAITING = 50_000
_MOST_BYTES = 67_108_864
_PATIENCE_S = 10.0
_AT_ONCE_S = 2.0
_MESSAGE_S, _BYTE_S = 0.2 / (os.cpu_count() or 1), 1e-6
"""While others ask, a message takes so much of its bot's time, and each byte: 5 messages a core, or 1 MB, a second.

What a bot did not send for `_AT_ONCE_S` may come at once."""


class Relayed(NamedTuple):
    """A message on its way into the stream."""

    asked: Msg
    subject: str
    headers: dict[str, str]


class Outbox:
    """The messages of one bot, in order."""

    def __init__(self) -> None:
        self._waiting: deque[Relayed] = deque()
        self._bytes = 0
        self._under_way: dict[str, tuple[Relayed, float]] = {}
        self._count = 0
        self._owed_until_s = 0.0

    def add(self, message: Relayed) -> bool:
        """Put a message behind the others; False where too much waits already."""
        size = len(message.asked.data)
        if len(self._waiting) >= _MOST_WAITING or self._bytes + size > _MOST_BYTES:
            return False
        self._waiting.append(message)
        self._bytes += size
        return True

    def rest_s(self, now_s: float) -> float:
        """How long the bot's next message is to wait while others are answered, in seconds; 0 where none waits."""
        return max(0.0, self._owed_until_s - _AT_ONCE_S - now_s) if self._waiting else 0.0

    def begin(self, now_s: float) -> tuple[str, Relayed] | None:
        """The next message, under way from now on, with the token of its acknowledgement; None if none may go.

        What was not acknowledged for ten seconds is given up: its sender has done so as well.
        """
        while self._under_way and (first := next(iter(self._under_way.items())))[1][1] < now_s - _PATIENCE_S:
            del self._under_way[first[0]]
        if not self._waiting or len(self._under_way) >= _UNDER_WAY:
            return None
        message = self._waiting.popleft()
        size = len(message.asked.data)
        self._bytes -= size
        self._owed_until_s = max(self._owed_until_s, now_s) + _MESSAGE_S + _BYTE_S * size
        self._count += 1
        self._under_way[str(self._count)] = message, now_s
        return str(self._count), message

    def end(self, token: str) -> Relayed | None:
        """The message that was acknowledged; None if it was given up before."""
        found = self._under_way.pop(token, None)
        return found[0] if found else None
