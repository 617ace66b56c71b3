"""Shares a tag with another space of the same person, and takes that back. What is shared is read from the log.

Source: docs/adr/0060-shared-by-tags.md.
"""

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.withholding import require_memory, tells_of_forgotten
from shared.contracts.errors import Forgotten, Malformed, SharingOff
from shared.contracts.event import EventData
from shared.contracts.sharing import ShareTag, TagShared, TagUnshared, UnshareTag
from shared.domain.sharing import recipient


def share_tag(command: ShareTag, ruling: Ruling) -> None:
    """Share a tag, unless it is. Raises Malformed for the space itself, SharingOff, MemoryOff, or Forgotten."""
    given = ruling.given
    if command.with_space == given.space:
        raise Malformed("a tag is shared with another space than its own")
    if not given.policy.sharing:
        raise SharingOff
    require_memory(ruling.state)
    if tells_of_forgotten(command.tag, ruling.state, given):
        raise Forgotten
    if not ruling.state.words().is_shared(command.tag, command.with_space):
        ruling.add(TagShared(**_share(command.tag, command.with_space, given)))


def unshare_tag(command: UnshareTag, ruling: Ruling) -> None:
    """Share a tag no more, if it is shared: also where memory or sharing is off."""
    if ruling.state.words().is_shared(command.tag, command.with_space):
        ruling.add(TagUnshared(**_share(command.tag, command.with_space, ruling.given)))


def as_shared_elsewhere(said: TagShared | TagUnshared, ruling: Ruling) -> list[EventData]:
    """What an imported event changes here: nothing where it is so already, or where sharing is off."""
    given, is_shared = ruling.given, isinstance(said, TagShared)
    may_be = not is_shared or (given.policy.sharing and said.with_space != given.space)
    if not may_be or ruling.state.words().is_shared(said.tag, said.with_space) == is_shared:
        return []
    return [type(said)(**_share(said.tag, said.with_space, given))]


def _share(tag: str, with_space: str, given: Circumstances) -> dict[str, str]:
    key = recipient(with_space, given.user, given.digester)
    return {"tag": tag, "with_space": with_space, "recipient": key}
