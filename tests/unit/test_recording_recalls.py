"""The recalls of one command are one event, without those of sessions of which nothing is kept."""

from pathlib import Path

import pytest

from services.ingest.store import Store
from shared.contracts.commands import RecordRecall
from shared.contracts.errors import Forgotten, Incognito, MemoryOff
from shared.contracts.events import MemoriesRecalled
from shared.contracts.ids import MessageId, SessionId
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import ForgetUser, StartIncognito
from shared.contracts.recalls import Recall
from tests.support.commands import change, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import KEYS
from tests.support.stored import StoredLog
from tests.unit.test_echoes import one_recall

HI = next(event.data.subject for event in PaperLog().tell(user_says("hi", "s1")) if event.data.makes and event.data.subject)
"""The memory of what is said first."""


def asked_in(*sessions: str | None) -> RecordRecall:
    """A recall for a question of each of these sessions, in one command."""
    recalls = [
        one_recall(f"rec_{place}", HI).model_copy(update={"session_id": session and SessionId(session)})
        for place, session in enumerate(sessions)
    ]
    first, *further = recalls
    said = {name: getattr(first, name) for name in Recall.model_fields}
    return RecordRecall(message_id=MessageId(first.recall_id), **said, further=tuple(further))


def recorded(log: PaperLog) -> list[tuple[str, str | None]]:
    """The recalls of the last event."""
    last = log.events[-1].data
    assert isinstance(last, MemoriesRecalled)
    return [(recall.recall_id, recall.session_id) for recall in last.recalls]


def private_log() -> PaperLog:
    log = PaperLog()
    log.tell(user_says("hi", "s1"))
    log.tell(StartIncognito(session_id=SessionId("s2")))
    return log


def test_all_recalls_of_a_command_are_one_event() -> None:
    log = private_log()
    [event] = log.tell(asked_in("s1", None, "s3"))
    assert recorded(log) == [("rec_0", "s1"), ("rec_1", None), ("rec_2", "s3")]
    assert event.data.named == (HI,)


def test_those_of_incognito_sessions_are_left_out() -> None:
    log = private_log()
    log.tell(asked_in("s2", "s1", "s2"))
    assert recorded(log) == [("rec_1", "s1")]
    with pytest.raises(Incognito):
        private_log().tell(asked_in("s2", "s2"))


def test_nothing_is_recorded_while_memory_is_off() -> None:
    log = private_log()
    log.tell(change(PersonSettings(memory_enabled=False)))
    with pytest.raises(MemoryOff):
        log.tell(asked_in(None, "s1"))


def test_what_was_recalled_of_who_is_forgotten_meanwhile_names_nobody_again() -> None:
    log = private_log()
    log.tell(ForgetUser())
    with pytest.raises(Forgotten):
        log.tell(asked_in("s1"))


def test_of_what_many_recalls_used_all_is_looked_up_at_once(tmp_path: Path) -> None:
    stored = StoredLog(Store(tmp_path, KEYS.digester))
    stored.tell(user_says("hi", "s1"))
    stored.tell(StartIncognito(session_id=SessionId("s2")))
    first, *others = (one_recall(f"rec_{number}", f"fact_{number}") for number in range(31))
    group = RecordRecall(message_id=MessageId(first.recall_id), **vars(first), further=(*others, one_recall("rec_hi", HI)))
    stored.rounds = 0
    [decided] = stored.tell(group)
    assert [event.data.named for event in decided.events] == [(HI,)]
    assert stored.rounds <= 3
    stored.store.close()
