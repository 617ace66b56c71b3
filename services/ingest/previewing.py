"""Decides what a service has learned as if it came now, and records nothing: an operator wants to see first what it would do."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.decide import decide
from services.ingest.domain.lacks import Lacks, Needs
from services.ingest.domain.policy import Policy
from services.ingest.domain.ruling import Ruling
from services.ingest.look_up import LookUp
from shared.contracts.command import Channel
from shared.contracts.commands import LearningPreview
from shared.contracts.envelope import Actor
from shared.contracts.events import NewFact
from shared.contracts.ids import CommandId
from shared.contracts.subjects import slot_of
from shared.runtime.background import BACKGROUND
from shared.runtime.keys import Keys

_OF_NOBODY = CommandId("0" * 32)


async def preview(
    asked: LearningPreview, look_up: LookUp, keys: Keys, policy: Policy, *, now: datetime
) -> list[dict[str, Any]]:
    """Return the changes of facts to which a command would lead, in order. Raises Unavailable or what it is refused for."""
    scope, command = keys.scope_of(asked.space, asked.user), asked.command
    given = Circumstances(
        space=asked.space,
        user=asked.user,
        scope=scope,
        what=command.what,
        command_id=_OF_NOBODY,
        correlation_id="",
        now=now,
        actor=Actor(channel=Channel.WORK),
        digester=keys.digester,
        policy=policy,
    )
    needs = Needs(sessions={*command.sessions}, memories={*command.memories}, commands={_OF_NOBODY})
    while True:
        state = (await look_up({scope: needs}, {scope: slot_of(asked.user)}))[scope]
        try:
            return list(_changes(await BACKGROUND.run(decide, command, state, given)))
        except Lacks as lacks:
            needs.add(lacks.needs)


def _changes(ruling: Ruling) -> Iterator[dict[str, Any]]:
    made = {deed.data.memory_id: deed.data for deed in ruling.state.words().deeds if isinstance(deed.data, NewFact)}
    for event in ruling.events:
        if event.data.subject and (fact := made.get(event.data.subject)):
            by = getattr(event.data, "superseded_by", None)
            yield {"type": event.type, "by": by, **fact.model_dump(mode="json", include={"memory_id", "text", "slots"})}
