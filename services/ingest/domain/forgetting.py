"""Decides a forgetting: what is named, what goes with it, and what must survive. The event hides; the eraser erases later.

Source: ../design/mission.md, promise 3; docs/adr/0014-forgetting.md.
"""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from services.ingest.domain.cascade import Going, going, matching
from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.lacks import Aspect, Needs
from services.ingest.domain.masking import known_by
from services.ingest.domain.private import DIGEST_BYTES
from services.ingest.domain.recollection import Recollection, ToldMemory
from services.ingest.domain.rollups import left_alone, with_sources
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.state import ScopeState
from services.ingest.domain.tombstones import Mason, Taken
from shared.contracts.commands import TURNS
from shared.contracts.errors import ConfirmationNeeded, UnknownMemory, UnknownSession
from shared.contracts.event import EventData
from shared.contracts.ids import CommandId, MemoryId, MessageId, User
from shared.contracts.parts import Kind
from shared.contracts.privacy import By, Forget, ForgetAgain, ForgetTarget, ForgetUser, MemoryForgotten, UserForgotten
from shared.contracts.reflecting import LostSummary
from shared.domain.digests import Digester

_MEMORIES_OF_AN_EVENT = 200
_BYTES_OF_AN_EVENT = 20_000 * DIGEST_BYTES


def forget(command: Forget, ruling: Ruling) -> None:
    """Forget what is named, and what goes with it, if it is not erased yet, or about to be.

    Raises UnknownMemory or UnknownSession, and ConfirmationNeeded where words name more than is sure, or not what was shown.
    """
    state, given = ruling.state, ruling.given
    words = state.words().with_hidden()
    named = named_by(command, words, state, given)
    if named:
        plan = propose(command, named, words, given.digester)
        is_shown = command.confirm is not None and command.confirm == plan.token
        if not is_shown and (command.confirm or (command.query and plan.token)):
            raise ConfirmationNeeded
        taken = plan.whole if is_shown else plan.sure
        ruling.add_all(forgotten(taken, words, state, given, HowNamed(_by(command), command.query)))
    elif command.deleted_message_id is not None:
        commands = _packed_ids(_turn_ids(command.deleted_message_id, given))
        ruling.add(
            MemoryForgotten(forget_id=given.forget_id, by="message", memory_ids=(), asked=0, numbers=(), commands=commands)
        )


class ForgettingPlan(NamedTuple):
    """The memories that a forgetting would take."""

    whole: Going
    sure: Going  # without what is found by likeness alone, or names somebody else than the query
    token: str | None  # says that the whole was shown and is meant; None if all of it is sure


def propose(target: ForgetTarget, named: Sequence[MemoryId], words: Recollection, digester: Digester) -> ForgettingPlan:
    """What goes with the named memories, and what of it goes without a confirmation."""
    whole, sure = (
        going(
            named,
            words,
            digester,
            only=target.only,
            repeats=target.means_the_matter,
            query=target.query,
            is_sure=is_sure,
        )
        for is_sure in (False, True)
    )
    is_all_sure = whole.why.keys() == sure.why.keys()
    return ForgettingPlan(whole, sure, None if is_all_sure else digester.digest("confirm", *sorted(whole.why)).hex())


def forget_again(command: ForgetAgain, ruling: Ruling) -> None:
    """Forget what of this came back with an older log, and record by what the rest is recognised. Nothing is unknown."""
    state, given = ruling.state, ruling.given
    words = state.words().with_hidden()
    taken = going(command.memory_ids, words, given.digester, only=True)
    if taken.why:
        ruling.add_all(forgotten(taken, words, state, given, HowNamed(command.by)))
    kept = command.model_dump(include={"by", "commands", "values"})
    ruling.add(
        MemoryForgotten(forget_id=given.forget_id, memory_ids=(), asked=0, numbers=(), tombstones=command.tombstones, **kept)
    )


def forget_user(_: ForgetUser, ruling: Ruling) -> None:
    """Forget everything about a person. The event names no user, and keeps blocked what was forgotten before."""
    if ruling.state.number:
        ruling.given = naming_nobody(ruling.given)
        ruling.add_all(all_forgotten(ruling.state, ruling.given))


def naming_nobody(given: Circumstances) -> Circumstances:
    """The circumstances without what may name the person: their id, and the words of the sender's own headers."""
    actor = given.actor.model_copy(update={"name": None})
    return given._replace(user=User(""), correlation_id=given.command_id, actor=actor)


def all_forgotten(state: ScopeState, given: Circumstances) -> list[UserForgotten]:
    """The events, one or several, that forget everything about a person. Raises Lacks."""
    known = state.survivors()
    size = max(len(known.commands), len(known.values), 1)
    return [
        UserForgotten(
            forget_id=given.forget_id,
            scope=given.scope,
            through_number=state.number if not start else 0,
            memories=known.memories if not start else 0,
            commands=b64encode(known.commands[start : start + _BYTES_OF_AN_EVENT]).decode(),
            values=b64encode(known.values[start : start + _BYTES_OF_AN_EVENT]).decode(),
        )
        for start in range(0, size, _BYTES_OF_AN_EVENT)
    ]


class HowNamed(NamedTuple):
    """The way in which a person or bot named what is to be forgotten."""

    by: By
    query: str | None = None  # the words that named it, if words did
    renewed: tuple[str, ...] = ()  # what its person says instead
    edited: frozenset[CommandId] = frozenset()  # the commands of a turn that is recorded anew: nothing of it is blocked


def forgotten(
    taken: Going,
    words: Recollection,
    state: ScopeState,
    given: Circumstances,
    how: HowNamed,
    *,
    erase_at: datetime | None = None,
) -> list[EventData]:
    """The events that forget these memories of `words`: one or several, the last. Raises Lacks.

    Before them, what only a roll-up has stood for that goes is live again. `erase_at`: until then they can be taken back.
    """
    told = words.told
    state.require(Needs(memories=set(taken.why), aspects={Aspect.HANDED_OUT}))
    asked = sum(why == "named" for why in taken.why.values())
    restored = left_alone(taken.why, words, state)
    is_by_person = how.by != "retention" and not how.edited
    lost = (*words.merges_lost_with(taken.why), *words.shares_lost_with(taken.why, how.query))
    mason = Mason(Taken(taken.why.keys(), how.query, how.renewed, is_by_message=how.by == "message"), words, given)
    return [
        *restored,
        *(
            MemoryForgotten(
                forget_id=given.forget_id,
                by=how.by,
                memory_ids=tuple(portion),
                asked=asked,
                numbers=tuple(sorted([*(number for told in each for number in told.numbers), *(lost if not index else ())])),
                commands=_packed_ids(command for told in each for command in told.commands if command not in how.edited),
                values=_packed(_values(each, given)),
                tombstones=(*mason.of_memories(each), *(mason.of_query() if not index else ())) if is_by_person else (),
                erase_at=erase_at,
                lost=_lost(each, taken, words),
            )
            for index, portion in enumerate(_portions(list(taken.why)))
            for each in [[told[memory_id] for memory_id in portion]]
        ),
    ]


def _lost(going: Iterable[ToldMemory], taken: Going, words: Recollection) -> tuple[LostSummary, ...]:
    """The reflections that go, each with the sources that are left; what was rolled up is live again."""
    return tuple(
        LostSummary(memory_id=told.memory_id, kind=told.kind, occurred_at=told.said_at, source_ids=_left(told, taken, words))
        for told in going
        if told.kind is Kind.REFLECTION and told.said_at
    )


def _left(told: ToldMemory, taken: Going, words: Recollection) -> tuple[MemoryId, ...]:
    """The sources that are left of what is to be written anew; none of what its person wants gone."""
    if taken.why[told.memory_id] == "named":
        return ()
    return tuple(MemoryId(each) for each in sorted(told.sources & words.told.keys() - taken.why.keys()))


def named_by(target: ForgetTarget, recollection: Recollection, state: ScopeState, given: Circumstances) -> list[MemoryId]:
    """The memories that a command names. Raises UnknownMemory or UnknownSession if there are none."""
    if target.memory_ids:
        known = _known(target.memory_ids, recollection)
        return known if target.only else with_sources(known, recollection)
    if target.deleted_message_id is not None:
        return [told.memory_id for told in turns_of(target.deleted_message_id, recollection, given)]
    if target.session_id is not None:
        found = [told.memory_id for told in recollection.of_session(target.session_id)]
        if not found and target.session_id not in state.sessions:
            raise UnknownSession
        return found
    query = target.query or ""
    secret = known_by(query.strip(), given.scope, given.digester)  # what was said of it is masked
    return list(dict.fromkeys([*matching(query, recollection), *matching(secret, recollection)]))


def turns_of(message_id: MessageId, recollection: Recollection, given: Circumstances) -> list[ToldMemory]:
    """The turns that came with this message_id."""
    wanted = set(_turn_ids(message_id, given))
    return [told for told in recollection.turns() if wanted & set(told.commands)]


def _known(memory_ids: Sequence[MemoryId], recollection: Recollection) -> list[MemoryId]:
    known = [memory_id for memory_id in dict.fromkeys(memory_ids) if memory_id in recollection.told]
    if not known:
        raise UnknownMemory
    return known


def _turn_ids(message_id: MessageId, given: Circumstances) -> list[CommandId]:
    return [given.digester.command_id(given.scope, turn.what, message_id) for turn in TURNS.values()]


def _portions(memory_ids: Sequence[MemoryId]) -> Iterator[Sequence[MemoryId]]:
    return (memory_ids[start : start + _MEMORIES_OF_AN_EVENT] for start in range(0, len(memory_ids), _MEMORIES_OF_AN_EVENT))


def _by(target: ForgetTarget) -> By:
    if target.memory_ids:
        return "memory"
    if target.deleted_message_id is not None:
        return "message"
    return "session" if target.session_id is not None else "query"


def _values(told: Iterable[ToldMemory], given: Circumstances) -> Iterator[bytes]:
    for each in told:
        if each.kind is Kind.EPISODE:
            yield from (given.digester.digest("content", text) for text in each.texts)


def _packed_ids(commands: Iterable[CommandId]) -> str:
    return _packed(bytes.fromhex(command) for command in commands)


def _packed(digests: Iterable[bytes]) -> str:
    return b64encode(b"".join(digests)).decode()
