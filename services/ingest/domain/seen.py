"""The commands that had an effect: each is known for ever, so that it takes effect once."""

from typing import NamedTuple

from shared.contracts.command import Channel
from shared.contracts.envelope import Envelope
from shared.contracts.ids import MemoryId
from shared.contracts.privacy import ChatCommandRead
from shared.domain.digests import Digester


class SeenCommand(NamedTuple):
    """A command that had an effect, and what its id stands for."""

    number: int
    position: int
    memory_id: MemoryId | None = None
    content: bytes | None = None  # keyed digest of the words; None where a command has none

    @property
    def is_turn(self) -> bool:
        """True if the command recorded a turn: `content` is then the digest of its text."""
        return self.memory_id is not None and self.memory_id.startswith("ep_")


def seen_after(before: SeenCommand | None, event: Envelope, *, position: int, digester: Digester) -> SeenCommand:
    """What is known of a command after one more of its events.

    Its memory is the first that its events name, if a bot or person sent it; services save many at once.
    """
    content = event.data.content
    digest = before.content if before else None
    if not (before and before.is_turn):  # a turn stands for its words, whatever follows from it
        if content is not None:
            digest = digester.digest("content", content)
        elif isinstance(event.data, ChatCommandRead):  # the turn was not recorded: the facts that it told are not its words
            digest = None
    memory_id = before.memory_id if before else None
    if memory_id is None and event.actor.channel == Channel.SEND:
        memory_id = event.data.subject
    return SeenCommand(event.number, position, memory_id, digest)
