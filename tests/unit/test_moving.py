"""An export holds what makes a person's content; taken in elsewhere, the content is equal and nothing forgotten comes back."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from pydantic import ValidationError

from services.ingest.command_group import CommandGroup, read
from services.ingest.domain.conflicts import doubt
from services.ingest.domain.lacks import Needs
from services.ingest.domain.likeness import likeness
from services.ingest.domain.private import Privacy
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.retriever.domain.exporting import Exporter
from services.retriever.store.memory_file import MemoryFile
from shared.contracts.command import Command
from shared.contracts.commands import parse_command
from shared.contracts.errors import Forgotten, Malformed, MemoryOff
from shared.contracts.events import (
    EpisodeRecorded,
    FactCorrected,
    FactRemembered,
    SessionCompleted,
    SessionConsolidated,
)
from shared.contracts.ids import MemoryId, MessageId, SessionId, User
from shared.contracts.moving import RECORD_TYPES, ImportedRecord, ImportMemories
from shared.contracts.parts import Origin
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, ForgetUser, MemoryForgotten, StartIncognito, Tombstone
from tests.support.commands import agent_says, change, correct, end, extracted, page, pin, remember, undo, user_says
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, BEN, KEYS, T0, at, scope_of
from tests.support.sent import sent


def a_life() -> PaperLog:
    """Turns of two sessions, a learned fact, a correction, a repeat, a pin, settings."""
    log = PaperLog()
    log.tell(user_says("I live in Leeds and keep bees", "s1", message_id="m1", occurred_at=at(0)))
    log.tell(agent_says("Lovely bees", "s1", message_id="m2", occurred_at=at(1)))
    log.tell(end("s1"))
    turn = next(event.data.memory_id for event in log.events if event.type == "episode_recorded")  # type: ignore[attr-defined]
    number = log.events[-1].number
    learned = page(extracted("Anna lives in Leeds", source=turn, tags=("home",)), session="s1", is_last=True)
    log.tell(learned.model_copy(update={"through_number": number}))
    told = log.tell(remember("Anna likes tea", tags=("drink",), message_id="f1"))[0].data
    log.tell(remember("Anna likes  TEA.", tags=("taste",), message_id="f2"))
    log.tell(correct(told.memory_id, "Anna likes coffee", message_id="c1"))  # type: ignore[attr-defined]
    log.tell(change(PersonSettings(soft_cap=77)))
    log.tell(user_says("Back again", "s1", message_id="m3", occurred_at=at(9)))
    log.tell(pin(turn))
    return log


def a_doubtful_life() -> PaperLog:
    """Two facts in doubt, and a run that was taken back: it had repeated a fact and made another."""
    log = a_life()
    older, newer = [log.tell(remember(text))[0].data.subject for text in ("Anna sings on Tuesday", "Anna sings on Friday")]
    assert older
    assert newer
    log.decide(partial(doubt, newer, older, "hedged"))
    run = page(extracted("Anna sings on Tuesday!", tags=("choir",)), extracted("Anna rows boats"), session="s1", number=7)
    log.tell(run.model_copy(update={"origin": Origin(extractor="rules/1", run_id="run-7")}))
    log.tell(undo("run-7"))
    return log


def exported(log: PaperLog) -> list[ImportedRecord]:
    exporter = Exporter((event, True) for event in log.events)
    records = [record for event in log.events if event.type in _TYPES and (record := exporter.record(event))]
    last = exporter.settings()
    return [*records, *([last] if last else [])]


_TYPES = set(RECORD_TYPES) - {"settings_changed"}


def importing(records: Sequence[ImportedRecord]) -> ImportMemories:
    """As it comes over the wire."""
    payload = ImportMemories(records=tuple(records)).model_dump_json().encode()
    command = parse_command(channel="send", what="import_memories", payload=payload)
    assert isinstance(command, ImportMemories)
    return command


def content(log: PaperLog, folder: Path, name: str) -> str:
    file = MemoryFile(folder / name)
    file.apply(log.records, allow_gaps=True)
    digest = file.content_digest()
    file.close()
    return digest


def test_an_import_has_the_content_of_what_was_exported(tmp_path: Path) -> None:
    source, target = a_life(), PaperLog()
    target.tell(importing(exported(source)), user=BEN)
    assert content(source, tmp_path, "source.db") == content(target, tmp_path, "target.db")
    state = target.states[scope_of(BEN)]
    assert state.settings == PersonSettings(soft_cap=77)
    assert state.live == source.state.live == 2
    assert set(state.memories) == set(source.state.memories)
    assert state.sessions[SessionId("s1")].is_open


def test_questions_and_what_was_undone_are_taken_along(tmp_path: Path) -> None:
    source, target = a_doubtful_life(), PaperLog()
    target.tell(importing(exported(source)), user=BEN)
    assert content(source, tmp_path, "source.db") == content(target, tmp_path, "target.db")
    state = target.states[scope_of(BEN)]
    assert state.conflicts == source.state.conflicts
    assert [conflict.is_pending for conflict in state.conflicts.values()] == [True]
    counts = {memory_id: fact.repeat_count for memory_id, fact in state.facts.items()}
    assert counts == {memory_id: fact.repeat_count for memory_id, fact in source.state.facts.items()}


def test_an_empty_export_would_not_pass_for_it(tmp_path: Path) -> None:
    source, target = a_life(), PaperLog()
    without = [record for record in exported(source) if record.type != "memory_pinned"]
    target.tell(importing(without), user=BEN)
    assert content(source, tmp_path, "source.db") != content(target, tmp_path, "target.db")


def test_facts_that_were_exported_without_slots_are_read_when_they_are_taken_in() -> None:
    log = PaperLog()
    log.tell(remember("I live in Leeds"))
    [record] = exported(log)
    said = {name: value for name, value in record.data.items() if name not in {"slots", "is_whole"}}
    there = PaperLog()
    there.tell(ImportMemories(records=(record.model_copy(update={"data": said}),)))
    assert [event.type for event in there.tell(remember("I moved to York"))] == ["fact_remembered", "fact_superseded"]


def test_what_was_learned_from_is_not_learned_from_again() -> None:
    target = PaperLog()
    target.tell(importing(exported(a_life())), user=BEN)
    completed, consolidated = [
        event for event in target.events if isinstance(event.data, SessionCompleted | SessionConsolidated)
    ]
    assert isinstance(consolidated.data, SessionConsolidated)
    assert consolidated.data.through_number == completed.number
    assert consolidated.causation_id == completed.causation_id  # appended as one


def test_the_same_export_again_changes_nothing_whole_or_in_part() -> None:
    records = exported(a_life())
    target = PaperLog()
    target.tell(importing(records[:4]), user=BEN)
    target.tell(importing(records[2:]), user=BEN)
    once = PaperLog()
    once.tell(importing(records), user=BEN)
    assert [event.data for event in target.events if not isinstance(event.data, SessionConsolidated)] == [
        event.data for event in once.events if not isinstance(event.data, SessionConsolidated)
    ]
    assert target.tell(importing(records), user=BEN) == []


def test_an_export_imported_where_it_came_from_changes_nothing() -> None:
    source = a_life()
    assert source.tell(importing(exported(source))) == []


def forgotten(log: PaperLog, text: str) -> MemoryForgotten:
    """What a forgetting of this fact leaves in the log."""
    event = next(each for each in log.events if getattr(each.data, "text", None) == text)
    assert isinstance(event.data, EpisodeRecorded | FactRemembered | FactCorrected)
    alike = likeness(text, KEYS.digester)
    stone = Tombstone(
        digest=alike.digest.hex(), simhash=f"{alike.simhash:016x}", guard=alike.guard.hex(), tokens="", until=at(60 * 24)
    )
    return MemoryForgotten(
        forget_id="f",
        by="memory",
        memory_ids=(event.data.memory_id,),
        asked=1,
        numbers=(event.number,),
        tombstones=(stone,),
    )


def noted(log: PaperLog, data: MemoryForgotten, *, user: User = ANNA) -> None:
    """Record an event that no command of this test made."""
    message = sent(remember(), sequence=900, user=user)
    state = log.states.get(message.scope)
    assert state is not None
    ruling = Ruling(state, message.circumstances_of(message.delivery_id))
    ruling.add(data)
    log._record(ruling.events, message.scope, message.sent_header)


def test_what_is_forgotten_is_in_no_export_even_before_it_is_erased() -> None:
    source = a_life()
    turn = "I live in Leeds and keep bees"
    noted(source, forgotten(source, turn))
    assert turn not in "".join(record.model_dump_json() for record in exported(source))
    [learned] = [record for record in exported(source) if record.data.get("text") == "Anna lives in Leeds"]
    assert learned.data["source_ids"] == []


def test_what_was_forgotten_here_stays_so_when_an_older_export_comes() -> None:
    source, target = a_life(), PaperLog()
    records = exported(source)
    target.tell(remember("Anna likes coffee"), user=BEN)
    noted(target, forgotten(target, "Anna likes coffee"), user=BEN)
    target.tell(importing(records), user=BEN)
    texts = [event.data.text for event in target.events[2:] if hasattr(event.data, "text")]
    assert "Anna lives in Leeds" in texts
    assert "Anna likes coffee" not in texts


def test_an_import_of_nothing_but_what_was_forgotten_is_not_recorded_and_leaves_send() -> None:
    source, target = a_life(), PaperLog()
    [coffee] = [record for record in exported(source) if record.data.get("text") == "Anna likes coffee"]
    target.tell(remember("Anna likes coffee"), user=BEN)
    noted(target, forgotten(target, "Anna likes coffee"), user=BEN)
    with pytest.raises(Forgotten):
        target.tell(importing([coffee]), user=BEN)
    message = sent(importing([coffee]), sequence=7, user=BEN)
    group = CommandGroup([read(message)])
    group.decide(target.states)
    [decided] = group.decided
    assert decided.keeps_no_words


FORGETTINGS: dict[str, Callable[[PaperLog], Command]] = {
    "by id": lambda log: Forget(memory_ids=(memory_of(log, "Anna lives in Leeds"),)),
    "a corrected fact": lambda log: Forget(memory_ids=(memory_of(log, "Anna likes coffee"),)),
    "only one of a chain": lambda log: Forget(memory_ids=(memory_of(log, "Anna likes tea"),), only=True),
    "by message": lambda _: Forget(deleted_message_id=MessageId("m1")),
    "by session": lambda _: Forget(session_id=SessionId("s1")),
    "by query": lambda _: Forget(query="Leeds"),
    "everything": lambda _: ForgetUser(),
}


def memory_of(log: PaperLog, text: str) -> MemoryId:
    return next(told.memory_id for told in log.words().told.values() if text in told.texts)


@pytest.mark.parametrize("command", FORGETTINGS.values(), ids=list(FORGETTINGS))
@pytest.mark.parametrize("later", [timedelta(hours=1), timedelta(days=400)])
def test_an_older_export_brings_nothing_back_where_it_was_forgotten(
    command: Callable[[PaperLog], Command], later: timedelta
) -> None:
    log = a_life()
    records, before = exported(log), log.words().told
    log.tell(command(log))
    log.erase()
    left = log.words().told
    assert left.keys() < before.keys()
    for pages in ([records], [[record] for record in records]):
        for each in pages:
            with suppress(Forgotten):
                log.tell(importing(each), now=T0 + later)
    assert log.words().told.keys() == left.keys()
    gone = {text for each in before.values() for text in each.texts} - {text for each in left.values() for text in each.texts}
    assert not [text for text in gone if text in "".join(event.encode().decode() for event in log.events)]


@pytest.mark.parametrize("command", FORGETTINGS.values(), ids=list(FORGETTINGS))
def test_an_export_after_a_forgetting_says_nothing_of_it_and_its_import_is_equal(
    command: Callable[[PaperLog], Command], tmp_path: Path
) -> None:
    log = a_life()
    log.tell(command(log))
    log.erase()
    [stones] = [[*event.data.tombstones] for event in log.events if isinstance(event.data, MemoryForgotten)] or [[]]
    written = "".join(record.model_dump_json() for record in exported(log))
    assert not [stone for stone in stones if stone.digest in written or stone.tokens in written]
    target = PaperLog()
    if exported(log):
        target.tell(importing(exported(log)), user=BEN)
    assert content(log, tmp_path, "source.db") == content(target, tmp_path, "target.db")


def test_memory_that_is_off_takes_nothing_in_and_an_incognito_session_neither() -> None:
    records = exported(a_life())
    target = PaperLog()
    target.tell(StartIncognito(session_id=SessionId("s1")), user=BEN)
    target.tell(importing(records), user=BEN)
    assert "episode_recorded" not in {event.type for event in target.events}
    off = PaperLog()
    off.tell(change(PersonSettings(memory_enabled=False)), user=BEN)
    with pytest.raises(MemoryOff):
        off.tell(importing(records), user=BEN)


def test_all_that_an_import_rests_on_is_asked_for_at_once() -> None:
    records = exported(a_life())
    group = CommandGroup([read(sent(importing(records), sequence=1, user=BEN))])
    [scope] = group.needs
    group.decide({scope: ScopeState(number=1, known=Needs(), privacy=Privacy(is_any=True))})
    needs = group.needs[scope]
    assert {record.command_id for record in records} < needs.commands
    assert needs.sessions == {"s1"}
    assert {MemoryId(str(each.data["memory_id"])) for each in records if "memory_id" in each.data} <= needs.memories
    assert KEYS.digester.digest("content", "Anna likes coffee") in needs.values


@pytest.mark.parametrize(
    "change_to",
    [
        {"memory_id": "somebody-elses"},
        {"memory_id": "fact_1"},
        {"text": " "},
        {"unknown": "secretword"},
        {"tags": ["x" * 300]},
        {"session_id": ""},
        {"confidence": "secretword"},
    ],
)
def test_a_record_of_another_form_is_refused_without_quoting_it(change_to: dict[str, object]) -> None:
    [fact, *_] = [record for record in exported(a_life()) if record.type == "fact_remembered"]
    document = fact.model_dump(mode="json") | {"data": fact.data | change_to}
    with pytest.raises(ValidationError):
        ImportedRecord.model_validate(document)
    with pytest.raises(Malformed) as caught:
        parse_command(channel="send", what="import_memories", payload=json.dumps({"records": [document]}).encode())
    assert "secretword" not in caught.value.message


def test_records_that_only_memstream_writes_are_refused() -> None:
    record = exported(a_life())[0].model_dump(mode="json")
    for kind in ("memory_forgotten", "user_forgotten", "tombstone_lifted", "command_rejected", "memories_recalled"):
        with pytest.raises(ValidationError):
            ImportedRecord.model_validate(record | {"type": kind})
