"""Decides what a service has learned as if it came now, and records nothing: an operator wants to see first what it does."""

from collections.abc import Iterable, Iterator
from typing import Any

from services.ingest.command_group import CommandGroup, ReadMessage
from services.ingest.domain.policy import Policy
from services.ingest.look_up import LookUp
from services.ingest.sent_message import SentMessage
from shared.contracts.command import Channel
from shared.contracts.commands import LearningPreview
from shared.contracts.envelope import Envelope
from shared.contracts.events import NewFact
from shared.contracts.subjects import SentSubject, encode_token, slot_of
from shared.runtime.background import BACKGROUND
from shared.runtime.eventlog.pull import Delivery
from shared.runtime.keys import Keys

_SHOWN = {"memory_id", "text", "slots", "source_ids"}


async def preview(asked: LearningPreview, look_up: LookUp, keys: Keys, policy: Policy, *, now_ns: int) -> list[dict[str, Any]]:
    """Return the changes of facts to which a command would lead, in order. Raises Unavailable or what it is refused for."""
    tokens = encode_token(asked.space), encode_token(asked.user)
    subject = SentSubject(Channel.WORK, slot_of(asked.user), *tokens, asked.command.what)
    sent = SentMessage(Delivery(0, now_ns, "", b"", {}, "", 0), subject, asked.space, asked.user, keys, "", policy)
    group = CommandGroup([ReadMessage(sent, asked.command)])
    while group.needs:
        await BACKGROUND.run(group.decide, await look_up(group.needs, group.slots))
    [decided] = group.decided
    if decided.refusal:
        raise decided.refusal
    return list(_changes(decided.events, group.after[sent.scope].words().deeds))


def _changes(events: Iterable[Envelope], deeds: Iterable[Envelope]) -> Iterator[dict[str, Any]]:
    made = {deed.data.memory_id: deed.data for deed in deeds if isinstance(deed.data, NewFact)}
    for event in events:
        if event.data.subject and (fact := made.get(event.data.subject)):
            yield {"type": event.type, **fact.model_dump(mode="json", include=_SHOWN)}
