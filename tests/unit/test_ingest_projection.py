"""Live, rebuilt, and delivered twice: the same ingest.db. On real SQLite."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from services.ingest.domain.lacks import Aspect, Lacks, Needs
from services.ingest.domain.private import digests_in
from services.ingest.domain.state import ScopeState
from services.ingest.eraser import Erased, receipt_event
from services.ingest.projection import IngestProjection
from services.ingest.store import CommandOutcome, ScopeChanges, Store
from shared.contracts.commands import Turn
from shared.contracts.errors import IdReused, Poison, UnknownMemory
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import MemoryId, Position, Scope, SessionId, Slot, User
from shared.contracts.parts import Role
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, ForgettingCompleted, MemoryForgotten, Scan, StartIncognito
from shared.contracts.subjects import SLOTS
from shared.runtime.eventlog.read import Record
from shared.runtime.metrics import REGISTRY
from shared.runtime.projector import Checkpoint, Recorded
from tests.support.commands import (
    agent_says,
    cap,
    change,
    confirm,
    correct,
    embed,
    embed_together,
    end,
    extracted,
    find_more,
    import_of,
    page,
    pin,
    recall,
    recall_of,
    remember,
    restore,
    sweep,
    turn,
    unpin,
    user_says,
)
from tests.support.examples import examples
from tests.support.paper import PaperLog
from tests.support.scopes import ANNA, ANNAS_SCOPE, ANNAS_SLOT, BEN, KEYS, LOG_ID, SEND_ID, at, scope_of

ALL_SLOTS = [Slot(slot) for slot in range(SLOTS)]


def projection(store: Store) -> IngestProjection:
    return IngestProjection(store, KEYS.digester, slots=ALL_SLOTS, send_id=SEND_ID)


def chat() -> PaperLog:
    """A bit of everything."""
    log = PaperLog()
    for user in (ANNA, BEN):
        log.tell(user_says("hello", "s1", message_id="1"), user=user)
        log.tell(agent_says("hi", "s1", message_id="1"), user=user, now=at(1))
        log.tell(user_says("new topic", "s2"), user=user, now=at(2))
        log.refuse(user_says("no", message_id="1"), IdReused(), user=user, now=at(3))
        log.tell(remember(message_id="f1"), user=user, now=at(4))
        log.tell(import_of([user_says(str(n), f"i{n % 3}", occurred_at=at(-n)) for n in range(9)]), user=user, now=at(5))
        log.tell(end("s2", message_id="e1"), user=user, now=at(6))
        log.tell(recall(), user=user, now=at(7))
        _facts(log, user)
        log.tell(agent_says("They say: hello from the other side.", "s2"), user=user, now=at(8))
        log.tell(recall("rec_2"), user=user, now=at(9))
        log.tell(sweep(at(20)), user=user, now=at(20))
    return log


def _facts(log: PaperLog, user: User) -> None:
    """Every event that concerns facts."""
    tell = partial(log.tell, user=user, now=at(8))
    tell(change(PersonSettings(soft_cap=9, idle_minutes=30)))
    tell(page(extracted("Ben rows boats", tags=("sport",)), extracted("Cleo sings", importance=0.1), is_last=True))
    tell(page(extracted("Ben rows boats", tags=("water",)), number=1))
    learned, weak = [event.data.memory_id for event in tell(page(extracted("Eva swims"), extracted("Finn flies"), number=2))]  # type: ignore[attr-defined]
    tell(find_more(learned, tags=("pool",)))
    tell(confirm(learned))
    tell(pin(learned))
    tell(correct(weak, "Finn flies kites"))
    tell(recall_of({learned: 0.5}, recall_id="rec_2", computed_at=at(8)))
    tell(cap(2))
    tell(restore(weak))
    tell(unpin(learned))
    tell(embed(learned))
    tell(embed_together(learned, weak))
    for name in ("Gus", "Hana", "Ivo"):
        tell(remember(f"{name} paints"))


CHAT = chat().records
PIECES = st.lists(st.integers(1, 12), max_size=40)


def one_by_one(events: Sequence[Recorded]) -> list[list[Recorded]]:
    return [[event] for event in events]


def in_bulk(events: Sequence[Recorded]) -> list[list[Recorded]]:
    return [list(events)]


def each_twice(events: Sequence[Recorded]) -> list[list[Recorded]]:
    return [[event, event] for event in events]


def all_twice(events: Sequence[Recorded]) -> list[list[Recorded]]:
    return [list(events), list(events)]


def the_end_twice(events: Sequence[Recorded]) -> list[list[Recorded]]:
    return [list(events[:20]), list(events[7:25]), list(events[3:])]


def apply(store: Store, batches: Sequence[Sequence[Recorded]]) -> str:
    target = projection(store)
    for batch in batches:
        target.apply(batch, batch[-1].position)
    return store.digest()


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    store = Store(folder, KEYS.digester)
    try:
        yield store
    finally:
        store.close()


def live_states(folder: Path) -> str:
    """As a lane does it: with the states that it decided on."""
    with opened(folder) as store:
        target = projection(store)
        states: dict[Scope, ScopeState] = {scope_of(user): ScopeState() for user in (ANNA, BEN)}
        for record in CHAT:
            states |= target.apply([record], record.position, before=states)
        return store.digest()


@pytest.mark.parametrize("delivered", [one_by_one, in_bulk, each_twice, all_twice, the_end_twice])
def test_however_events_are_delivered_the_digest_is_that_of_the_live_run(
    delivered: Callable[[Sequence[Recorded]], list[list[Recorded]]], tmp_path: Path
) -> None:
    with opened(tmp_path / "rebuilt") as store:
        assert apply(store, delivered(CHAT)) == live_states(tmp_path / "live")


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(PIECES)
def test_batches_of_any_size_give_one_digest(tmp_path: Path, pieces: list[int]) -> None:
    batches, rest = [], list(CHAT)
    for size in pieces:
        batches += [rest[:size]] if rest[:size] else []
        rest = rest[size:]
    batches += [rest] if rest else []
    with opened(tmp_path / f"batches-{len(list(tmp_path.iterdir()))}") as store:
        assert apply(store, batches) == whole_digest(tmp_path)


def whole_digest(tmp_path: Path) -> str:
    with opened(tmp_path / f"whole-{len(list(tmp_path.iterdir()))}") as store:
        return apply(store, [CHAT])


def everything(state: ScopeState, sessions: set[SessionId]) -> Needs:
    """All that there is to know of a scope."""
    told = set(state.likenesses.values())
    return Needs(sessions, set(state.seen), set(state.memories), told=told, aspects=set(Aspect))


def test_the_rebuilt_states_are_those_that_were_decided_on(store: Store) -> None:
    log = chat()
    apply(store, [log.records])
    sessions = {SessionId(name) for name in ("s1", "s2", "i0", "i1", "i2")}
    for scope, state in log.states.items():
        assert store.load({scope: everything(state, sessions)})[scope] == state


def test_only_open_and_needed_sessions_are_loaded(store: Store) -> None:
    log = PaperLog()
    log.tell(user_says("one", "s1"))
    log.tell(user_says("two", "s2"), now=at(1))
    apply(store, [log.records])
    assert set(store.load({ANNAS_SCOPE: Needs(set(), set())})[ANNAS_SCOPE].sessions) == {"s2"}
    assert set(store.load({ANNAS_SCOPE: Needs({SessionId("s1")}, set())})[ANNAS_SCOPE].sessions) == {"s1", "s2"}


def test_after_a_start_the_log_is_asked_for_the_ids_of_open_sessions(store: Store, tmp_path: Path) -> None:
    log = PaperLog()
    log.tell(user_says("one", "s1"))
    apply(store, [log.records])
    store.close()
    again = Store(tmp_path / "ingest", KEYS.digester)
    state = again.load({ANNAS_SCOPE: Needs()})[ANNAS_SCOPE]
    assert not state.sessions
    [place] = state.unnamed
    again.learn_sessions(log.events[place - 1].data.sessions)
    state = again.load({ANNAS_SCOPE: Needs()})[ANNAS_SCOPE]
    assert set(state.open_sessions) == {"s1"}
    assert not state.unnamed
    again.close()


def test_incognito_sessions_that_nobody_asks_for_are_known_to_be_there(store: Store) -> None:
    log = PaperLog()
    log.tell(StartIncognito(session_id=SessionId("s1")))
    apply(store, [log.records])
    state = store.load({ANNAS_SCOPE: Needs()})[ANNAS_SCOPE]
    assert state.privacy.is_incognito
    with pytest.raises(Lacks):
        state.is_incognito(SessionId("s1"))
    asked = store.load({ANNAS_SCOPE: Needs(sessions={SessionId("s1"), SessionId("s2")})})[ANNAS_SCOPE]
    assert (asked.is_incognito(SessionId("s1")), asked.is_incognito(SessionId("s2"))) == (True, False)


def test_what_a_later_recall_pushes_out_is_deleted(store: Store) -> None:
    log = PaperLog()
    log.tell(recall())
    apply(store, [log.records])
    item = recall().items[0].model_copy(update={"memory_id": MemoryId("ep_2")})
    log.tell(recall("rec_2").model_copy(update={"items": (item,)}), now=at(24 * 60))
    apply(store, one_by_one(log.records[1:]))
    needs = {ANNAS_SCOPE: Needs(aspects={Aspect.HANDED_OUT})}
    assert set(store.load(needs)[ANNAS_SCOPE].recently_handed_out()) == {"ep_2"}
    with pytest.raises(Lacks):
        store.load({ANNAS_SCOPE: Needs()})[ANNAS_SCOPE].recently_handed_out()


def test_ingest_db_holds_no_word_of_what_was_said(store: Store, tmp_path: Path) -> None:
    log = PaperLog()
    log.tell(user_says("an unmistakable sentence about xylophones", "xylophone-chat", message_id="xylophone-1"))
    log.tell(StartIncognito(session_id=SessionId("xylophone-incognito")))
    log.tell(remember("Anna plays the xylophone", tags=("xylophones",), source_ids=("https://example.org/xylophone",)))
    (memory_id,) = log.state.facts
    log.tell(remember("anna plays the xylophone!"))
    log.tell(find_more(memory_id, tags=("xylophonists",)))
    log.tell(correct(memory_id, "Anna plays two xylophones"))
    apply(store, [log.records])
    store.close()
    raw = b"".join(path.read_bytes() for path in (tmp_path / "ingest").iterdir())
    assert b"xylophone" not in raw
    assert b"anna" not in raw


S1 = f"x'{KEYS.digester.session_key(SessionId('s1')).hex()}'"
CHANGES = [
    ("scope", "UPDATE scope SET number = number + 1 WHERE scope = (SELECT min(scope) FROM scope)"),
    ("scope", "UPDATE scope SET position = position + 1 WHERE scope = (SELECT min(scope) FROM scope)"),
    ("scope", "DELETE FROM scope WHERE scope = (SELECT min(scope) FROM scope)"),
    ("session", f"UPDATE session SET is_open = 1 - is_open WHERE session = {S1}"),
    ("session", f"UPDATE session SET user_spoke = 1 - user_spoke WHERE session = {S1}"),
    ("session", f"UPDATE session SET turns = turns + 1 WHERE session = {S1}"),
    ("session", f"UPDATE session SET last_occurred_at = last_occurred_at + 1 WHERE session = {S1}"),
    ("session", f"DELETE FROM session WHERE session = {S1}"),
    ("session", f"UPDATE session SET last_recorded_at = last_recorded_at + 1 WHERE session = {S1}"),
    ("handed_out", "UPDATE handed_out SET number = number + 1 WHERE memory_id = 'ep_1'"),
    ("handed_out", "UPDATE handed_out SET recorded_at = recorded_at + 1 WHERE memory_id = 'ep_1'"),
    ("handed_out", "UPDATE handed_out SET shingles = x'00' WHERE memory_id = 'ep_1'"),
    ("handed_out", "DELETE FROM handed_out WHERE memory_id = 'ep_1'"),
    ("seen", "UPDATE seen SET number = number + 1 WHERE number = 2"),
    ("seen", "UPDATE seen SET position = position + 1 WHERE number = 2"),
    ("seen", "UPDATE seen SET memory_id = 'ep_other' WHERE number = 2"),
    ("seen", "UPDATE seen SET content = x'00' WHERE number = 2"),
    ("seen", "DELETE FROM seen WHERE number = 2"),
    ("missing", "INSERT INTO missing VALUES ('aa', 1, 2)"),
]


CHANGES_OF_FACTS = {
    "scope": "live live+1; excess_live 99; excess_cap 99; settings NULL",
    "memory": "number number+1; position position+1; kind 'episode'; session x'09'; status 'x'; ended 'decayed';"
    "pinned 1-pinned; tags x'00'; enriched x'00'",
    "fact": "content x'00'; told_at told_at+1; manually_saved 1-manually_saved; confidence 0.123; importance 0.123; parts '{}';"
    "fades_from fades_from+1; decay_rate 0.9;"
    "repeat_count 9; confirmed 1-confirmed; corrects 'fact_x'; superseded_by 'fact_x'; confidence_before 0.5; relevance 0.1;"
    "recency 0.1; computed_at 1; is_rival 1-is_rival",
    "likeness": "digest x'00'; key 1; simhash x'00'; guard x'00'; tokens x'00'",
    "source": "source 'ep_x'",
}
ONE_ROW = {
    "scope": "scope = (SELECT min(scope) FROM scope)",
    "likeness": "rowid = (SELECT min(rowid) FROM likeness)",
    "source": "memory_id = (SELECT memory_id FROM source GROUP BY memory_id HAVING count(*) = 1 LIMIT 1)",
}


@pytest.mark.parametrize(
    ("table", "assignment"),
    [(table, one.strip()) for table, assignments in CHANGES_OF_FACTS.items() for one in assignments.split(";")],
)
def test_the_digest_changes_with_every_column_of_a_fact(table: str, assignment: str, store: Store) -> None:
    before = apply(store, [CHAT])
    column, value = assignment.split()
    row = ONE_ROW.get(table, f"memory_id = (SELECT max(memory_id) FROM {table})")
    with store.transaction() as db:
        assert db.execute(text(f"UPDATE {table} SET {column} = {value} WHERE {row}")).rowcount >= 1
    assert store.digest() != before


@pytest.mark.parametrize(("table", "statement"), CHANGES, ids=[f"{t}: {s.split(' ')[0]} {s.split(' ')[3]}" for t, s in CHANGES])
def test_the_digest_changes_when_a_row_does(table: str, statement: str, store: Store) -> None:
    before = apply(store, [CHAT])
    with store.transaction() as db:
        assert db.execute(text(statement)).rowcount >= 1, table
    assert store.digest() != before


def test_the_digest_does_not_depend_on_how_far_send_was_decided(store: Store) -> None:
    before = apply(store, [CHAT])
    projection(store).skip({ANNAS_SLOT: 999})
    assert store.digest() == before


def test_an_empty_store_has_a_digest_of_its_own(store: Store) -> None:
    empty = store.digest()
    assert apply(store, [CHAT]) != empty


def test_a_store_that_is_opened_again_knows_everything(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as store:
        projection(store).adopt(LOG_ID)
        store.follow_send(SEND_ID)
        before = apply(store, [CHAT])
        slots, checkpoint = store.slots(), projection(store).checkpoint()
    with opened(tmp_path / "db") as store:
        assert store.digest() == before
        assert store.slots() == slots
        end = CHAT[-1].position
        assert projection(store).checkpoint() == checkpoint
        assert checkpoint == Checkpoint(end, LOG_ID, end, checkpoint.anchors)
        assert set(checkpoint.anchors) == {CHAT[-1].anchor}


def test_a_store_of_another_schema_is_built_anew(tmp_path: Path) -> None:
    with opened(tmp_path / "db") as store:
        apply(store, [CHAT])
        store.set_meta("schema_version", "0")
    with opened(tmp_path / "db") as store, opened(tmp_path / "empty") as empty:
        assert store.digest() == empty.digest()
        assert store.slots() == {}


def test_outcomes_by_sequence_are_found_by_their_own_scope_only(store: Store) -> None:
    log = PaperLog()
    log.tell(user_says("hello"))
    log.refuse(user_says("hello"), IdReused())
    log.tell(import_of([user_says("one"), user_says("two")]))
    apply(store, [log.records])
    first, second, third = (store.decision(ANNAS_SCOPE, sequence) for sequence in (1, 2, 3))
    assert first
    assert second
    assert third
    assert (first.number, first.code) == (2, None)
    assert first.memory_id is not None
    assert (second.number, second.code, second.memory_id) == (3, "id_reused", None)
    assert (third.number, third.memory_id) == (5, None)
    assert store.decision(scope_of(BEN), 1) is None
    assert store.decision(ANNAS_SCOPE, 99) is None


def test_a_refusal_is_known_by_its_message_id_after_a_rebuild_too(store: Store) -> None:
    log = PaperLog()
    log.refuse(pin("fact_000000000000000000000000", message_id="p1"), UnknownMemory())
    apply(store, [log.records])
    refused = store.decision_of(ANNAS_SCOPE, KEYS.digester.command_id(ANNAS_SCOPE, "pin", "p1"))
    assert refused
    assert (refused.code, refused.number, refused.is_unchanged) == ("unknown_memory", 1, False)
    assert store.decision_of(ANNAS_SCOPE, KEYS.digester.command_id(ANNAS_SCOPE, "pin", "p2")) is None


def test_sequences_of_another_send_stream_mean_nothing(store: Store) -> None:
    store.follow_send(SEND_ID)
    digest = apply(store, [CHAT])
    store.follow_send("5f" * 16)
    assert store.decision(ANNAS_SCOPE, 1) is None
    assert {decided for _, decided in store.slots().values()} == {0}
    assert store.digest() == digest


def test_headers_of_another_send_stream_are_not_counted(store: Store) -> None:
    target = IngestProjection(store, KEYS.digester, slots=ALL_SLOTS, send_id="5f" * 16)
    target.apply(CHAT, CHAT[-1].position)
    assert set(target.decided().values()) == {0}
    assert store.decision(ANNAS_SCOPE, 1) is None


def test_the_log_tells_how_far_a_persons_messages_are_decided(store: Store) -> None:
    log = PaperLog()
    log.tell(user_says("hello"))
    log.tell(user_says("hello again"))
    apply(store, [log.records])
    assert projection(store).decided()[ANNAS_SLOT] == 0  # what others sent before may still wait
    assert store.decided_ahead(0) == {ANNAS_SCOPE: 2}
    assert store.decided_ahead(2) == {}


def test_a_number_that_the_log_lacks_is_kept_as_missing(store: Store) -> None:
    log = PaperLog()
    for words in ("one", "two", "three", "four"):
        log.tell(user_says(words))
    kept = [record for record in log.records if record.event.number not in {3, 4}]
    apply(store, [kept])
    assert store.missing() == [(ANNAS_SCOPE, 3, 4)]
    assert alarm() == 2


def alarm() -> float | None:
    """How many lost events the metrics tell of."""
    return REGISTRY.get_sample_value("memstream_events_missing", {"projection": "ingest"})


def test_a_gap_that_the_next_event_explains_raises_no_alarm(store: Store) -> None:
    projection(store).adopt(LOG_ID)
    log = PaperLog()
    log.tell(user_says("one"))
    (two,) = [event.data.memory_id for event in log.tell(user_says("two")) if isinstance(event.data, EpisodeRecorded)]
    log.tell(Forget(memory_ids=(two,)))
    log.tell(user_says("three"))
    log.erase()
    place = next(index for index, record in enumerate(log.records) if isinstance(record.event.data, MemoryForgotten))
    apply(store, [log.records[:place]])
    assert (store.missing(), alarm()) == ([], 0)
    apply(store, [log.records[place:]])
    assert (store.missing(), alarm()) == ([], 0)


def test_a_gap_raises_the_alarm_until_the_event_comes_that_explains_it(store: Store) -> None:
    log = PaperLog()
    log.tell(user_says("one"))
    (two,) = [event.data.memory_id for event in log.tell(user_says("two")) if isinstance(event.data, EpisodeRecorded)]
    log.tell(user_says("three"))
    log.tell(Forget(memory_ids=(two,)))
    log.erase()
    apply(store, [log.records[:-1]])
    assert alarm() == 1
    apply(store, [log.records[-1:]])
    assert (store.missing(), alarm()) == ([], 0)


def test_missing_numbers_change_the_digest_whether_delivered_at_once_or_one_by_one(tmp_path: Path) -> None:
    log = PaperLog()
    for words in ("one", "two", "three", "four"):
        log.tell(user_says(words))
    kept = [record for record in log.records if record.event.number != 3]
    with opened(tmp_path / "bulk") as bulk, opened(tmp_path / "single") as single, opened(tmp_path / "all") as whole:
        assert apply(bulk, in_bulk(kept)) == apply(single, each_twice(kept)) != apply(whole, in_bulk(log.records))


def test_what_cannot_be_read_stops_ingest(store: Store) -> None:
    with pytest.raises(Poison, match="position 7: broken"):
        projection(store).quarantine(Record(Position(7), ANNAS_SCOPE, b"", {}), "broken")


def test_the_checkpoint_is_the_lowest_of_its_slots(store: Store) -> None:
    low = IngestProjection(store, KEYS.digester, slots=[Slot(1), Slot(2)], send_id=SEND_ID)
    high = IngestProjection(store, KEYS.digester, slots=[Slot(2), Slot(3)], send_id=SEND_ID)
    high.apply([], Position(9))
    assert low.checkpoint().position == 0
    low.apply([], Position(5))
    assert low.checkpoint().position == 5
    assert high.checkpoint().position == 9


def test_a_checkpoint_never_goes_back(store: Store) -> None:
    target = projection(store)
    target.apply([], Position(9))
    target.apply([], Position(3))
    assert target.checkpoint().position == 9


def test_of_whom_to_erase_and_whom_to_make_anew_is_known_as_after_a_restart(tmp_path: Path) -> None:
    """It is not asked of the file again and again."""
    log = PaperLog()
    (said,) = [event.data.memory_id for event in log.tell(user_says("one")) if isinstance(event.data, EpisodeRecorded)]
    (forgotten,) = log.tell(Forget(memory_ids=(said,)))
    assert isinstance(forgotten.data, MemoryForgotten)
    with opened(tmp_path / "db") as store:
        assert store.to_erase() == []
        apply(store, [log.records])
        assert store.to_erase() == [(ANNAS_SCOPE, ANNAS_SLOT)]
    with opened(tmp_path / "db") as store:
        assert store.to_erase() == [(ANNAS_SCOPE, ANNAS_SLOT)]
        scan = Scan(events=0, found=0, rejected=0, in_transit=0)
        receipt = ForgettingCompleted(forget_id=forgotten.data.forget_id, erased=1, scan=scan, backups=())
        event = receipt_event(Erased(forgotten, receipt), number=forgotten.number + 1, now=at(0))
        apply(store, [[Recorded(Position(log.records[-1].position + 1), ANNAS_SCOPE, event, slot=ANNAS_SLOT)]])
        assert store.to_erase() == []
        assert store.scopes_to_rebuild_in([ANNAS_SLOT]) == [(ANNAS_SCOPE, ANNAS_SLOT)]
        assert store.scopes_to_rebuild_in([Slot(ANNAS_SLOT + 1)]) == []
    with opened(tmp_path / "db") as store:
        assert store.scopes_to_rebuild_in([ANNAS_SLOT]) == [(ANNAS_SCOPE, ANNAS_SLOT)]
        store.scope_rebuilt(ANNAS_SCOPE)
        assert store.scopes_to_rebuild_in([ANNAS_SLOT]) == []
    with opened(tmp_path / "db") as store:
        assert store.scopes_to_rebuild_in([ANNAS_SLOT]) == []


def test_rows_and_checkpoint_are_saved_together_or_not_at_all(tmp_path: Path) -> None:
    """The last write of the transaction fails; a process that begins again must find the state before it."""
    with opened(tmp_path / "db") as store:
        before = apply(store, [CHAT[:10]])
        broken = ScopeChanges({ANNAS_SCOPE: ScopeState()}, {ANNAS_SCOPE: ScopeState(99, 99)}, ALL_SLOTS, 99)
        broken = replace(broken, decisions=[CommandOutcome(5, ANNAS_SCOPE, 1, 1, None, None)], gaps={ANNAS_SCOPE: [(None, 1)]})  # type: ignore[list-item]
        with pytest.raises(Exception, match="NOT NULL"):
            store.save(broken)
        assert store.digest() == before
    with opened(tmp_path / "db") as store:
        assert store.digest() == before
        assert projection(store).checkpoint().position == CHAT[9].position


def test_closing_waits_for_the_transaction_of_another_thread(tmp_path: Path) -> None:
    """A lane that fails closes the store while the others' threads may be writing."""
    store = Store(tmp_path / "db", KEYS.digester)
    with ThreadPoolExecutor(1) as elsewhere:
        with store.transaction() as db:
            closing = elsewhere.submit(store.close)
            _, unfinished = wait([closing], timeout=0.2)
            assert unfinished == {closing}
            db.execute(text("SELECT 1"))
        closing.result(timeout=60)


def test_old_outcomes_by_sequence_are_dropped_and_the_rest_stays(store: Store) -> None:
    digest = apply(store, [CHAT])
    store.forget_decisions(200_000 + 3)
    assert store.decision(ANNAS_SCOPE, 2) is None
    assert store.decision(ANNAS_SCOPE, 3) is not None
    assert store.digest() == digest


def test_a_moment_long_ago_keeps_its_microseconds(store: Store) -> None:
    log = PaperLog()
    moment = at(0).replace(year=1, microsecond=123_456)
    log.tell(user_says("in the year one", occurred_at=moment))
    apply(store, [log.records])
    (session,) = store.load({ANNAS_SCOPE: Needs(set(), set())})[ANNAS_SCOPE].sessions.values()
    assert session.last_occurred_at == moment


random_turns: st.SearchStrategy[list[Turn]] = st.lists(
    st.builds(
        turn,
        st.sampled_from(["yes", "no"]),
        st.sampled_from(["s1", "s2", "s3"]),
        role=st.sampled_from(list(Role)),
        occurred_at=st.integers(-5, 5).map(at),
    ),
    min_size=1,
    max_size=15,
)


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random_turns)
def test_replay_of_random_turns_equals_the_states_decided_on(tmp_path: Path, turns: list[Turn]) -> None:
    log = PaperLog()
    for live in turns:
        log.tell(live)
    with opened(tmp_path / f"random-{len(list(tmp_path.iterdir()))}") as store:
        apply(store, one_by_one(log.records))
        state = log.states[ANNAS_SCOPE]
        assert store.load({ANNAS_SCOPE: everything(state, set(state.sessions))})[ANNAS_SCOPE] == state


def test_a_user_is_forgotten_by_the_rows_as_by_the_log(tmp_path: Path) -> None:
    """What must survive is looked up, so that the words need not be read."""
    log = chat()
    log.tell(user_says("Remember that I am allergic to peanuts.", message_id="m9"))
    log.tell(Forget(query="boats"))
    store = Store(tmp_path, KEYS.digester)
    projection(store).apply(log.records, log.records[-1].position)
    loaded = store.load({ANNAS_SCOPE: Needs(aspects={Aspect.SURVIVORS})})
    by_rows, by_log = loaded[ANNAS_SCOPE].survivors(), log.state.survivors()
    store.close()
    assert set(digests_in(by_rows.commands)) == set(digests_in(by_log.commands))
    assert set(digests_in(by_rows.values)) == set(digests_in(by_log.values))
    assert by_rows.memories == by_log.memories == len(log.words().told)
    assert all((by_rows.commands, by_rows.values, by_rows.memories))
