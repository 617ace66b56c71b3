"""One person's memories in one space, over a connection that may serve many."""

from collections.abc import Mapping
from typing import Any

from memstream import tools
from memstream.client.familiar import FamiliarVerbs


class Memories(FamiliarVerbs):
    """Everything that a bot can do for one person. Every error is a MemstreamError with a sentence for a person."""

    async def call(
        self, name: str, arguments: Mapping[str, Any] | str | None, *, session_id: str | None = None
    ) -> dict[str, Any]:
        """Run one of `memstream.tools` as a model asks for it; `arguments` is an object or its JSON.

        `session_id` is the session in which the model talks. What cannot be done is in the result, under `error`, so that the
        model can mend its call.
        """
        return await tools.call(self, name, arguments, session_id=session_id)
