"""Asks the consolidator to try the sessions again that it has set aside."""

import json

from shared.contracts.errors import Unavailable
from shared.runtime.connection import Client, answering
from shared.runtime.logs import log

_TIMEOUT_S = 30.0


class SessionsSetAside:
    """The sessions of the consolidator that failed too often."""

    def __init__(self, client: Client) -> None:
        self._client = client

    async def retry(self) -> int:
        """Have them tried again; return their number. Where no consolidator runs there are none: an agent may learn."""
        try:
            with answering("the consolidator does not answer"):
                reply = await self._client.request("admin.consolidator.retry_by_itself", b"", timeout=_TIMEOUT_S)
        except Unavailable as error:
            log.info("sessions.not_retried", reason=error.message)
            return 0
        return int(json.loads(reply.data).get("sessions", 0))
