"""Decides once what nobody said: whatever is compiled or read when it is first needed is there for the first who speaks."""

from datetime import datetime

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.decide import decide
from services.ingest.domain.policy import Policy
from services.ingest.domain.state import NOTHING_RECORDED
from shared.contracts.commands import RememberFact, UserMessage
from shared.contracts.envelope import Actor
from shared.contracts.ids import CommandId, Scope, SessionId, Space, User
from shared.domain.digests import Digester

_TEXT = "I had 2 cats, remember?"
_FACT = "I live in York and had 2 cats"


def rehearse(digester: Digester, policy: Policy, *, now: datetime) -> None:
    """Decide a turn and a fact of nobody. Nothing of it is recorded."""
    given = Circumstances(
        space=Space(""),
        user=User(""),
        scope=Scope(""),
        what=UserMessage.what,
        command_id=CommandId("0" * 32),
        correlation_id="",
        now=now,
        actor=Actor(channel="send"),
        digester=digester,
        policy=policy,
    )
    decide(UserMessage(session_id=SessionId("rehearsal"), text=_TEXT), NOTHING_RECORDED, given)
    decide(RememberFact(text=_FACT), NOTHING_RECORDED, given._replace(what=RememberFact.what))
