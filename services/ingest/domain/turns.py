"""Records turns word for word, live or imported."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from zoneinfo import ZoneInfo

from services.ingest.domain.chat_answers import answer_in, take_answer
from services.ingest.domain.chat_commands import carry_out, command_in, obey
from services.ingest.domain.echoes import find_echoes, may_echo
from services.ingest.domain.lacks import Needs, take_each
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.sessions import enter_session
from services.ingest.domain.withholding import admit, begins_incognito, id_left, require_kept, require_memory
from shared.contracts.commands import TURNS, AddTurns, ImportedTurn, ImportTurns, Turn, UserMessage
from shared.contracts.errors import Forgotten, IdReused, NotRecorded, NotThis
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import CommandId, Scope
from shared.contracts.parts import Echo, Role
from shared.contracts.privacy import IncognitoStarted
from shared.domain.digests import Digester
from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import may_withhold
from shared.language.text.cleaning import comparable
from shared.language.text.entities import find_entities


def record_turn(turn: Turn | ImportedTurn, ruling: Ruling) -> None:
    """Record a turn, and what it does to sessions. Raises a NotRecorded, with nothing added, if it is not to be kept."""
    require_memory(ruling.state, session_id=turn.session_id)
    if isinstance(turn, Turn) and begins_incognito(turn.session_id, ruling.state):
        ruling.add(IncognitoStarted(session_id=turn.session_id, by_default=True))
        return
    is_imported = isinstance(turn, ImportedTurn)
    if isinstance(turn, ImportedTurn):
        require_wanted(turn, ruling)
    else:
        require_kept(turn, ruling.state, ruling.given)
    admitted = admit(turn, ruling.state, ruling.given, is_imported=is_imported)
    echoes = _echoes(turn, ruling)
    occurred_at = turn.occurred_at or ruling.given.now
    enter_session(turn.session_id, role=turn.role, occurred_at=occurred_at, ruling=ruling)
    episode = EpisodeRecorded.of_valid(
        memory_id=ruling.new_memory_id("ep"),
        session_id=turn.session_id,
        role=turn.role,
        text=turn.text,
        speaker=turn.speaker,
        message_id=id_left(turn.message_id, ruling.state, ruling.given),
        entities=find_entities(turn.text),
        metadata=turn.metadata,
        echoes=echoes,
        held_back=admitted.is_held_back,
        imported=is_imported,
        utc_offset_minutes=_offset(occurred_at, ruling.state.settings.time_zone),
    )
    ruling.add(episode, occurred_at)
    ruling.add_all(admitted.lifts)


def _offset(said_at: datetime, time_zone: str | None) -> int | None:
    """Return how many minutes the person's clock was ahead of UTC: by their time zone, else by the offset that was sent."""
    offset = (said_at.astimezone(ZoneInfo(time_zone)) if time_zone else said_at).utcoffset()
    return round(offset.total_seconds() / 60) or None if offset else None


def require_wanted(turn: Turn | ImportedTurn, ruling: Ruling) -> None:
    """Raise NotThis for an imported or edited turn of the user that asks not to be kept, or may do so."""
    languages = ruling.given.policy.languages
    found = command_in(turn.text, languages) if turn.role is Role.USER and may_withhold(turn.text, languages) else None
    if found is not None and found.name is ChatCommandName.NOT_THIS:
        raise NotThis


def _echoes(turn: Turn | ImportedTurn, ruling: Ruling) -> tuple[Echo, ...]:
    if not may_echo(turn.text, turn.role):
        return ()
    given, handed_out = ruling.given, ruling.state.quotable(ruling.given.now)
    return find_echoes(
        turn.text, role=turn.role, now=given.now, handed_out=handed_out, scope=given.scope, digester=given.digester
    )


def user_message(turn: UserMessage, ruling: Ruling) -> None:
    """Record a turn of the user, and obey it if it is a chat command, even if turns are not recorded.

    Where it answers which of two facts holds, what does not is ended.
    """
    obeyed = obey(turn, ruling.state, ruling.given)
    if obeyed is None:
        answer = answer_in(turn, ruling.state)
        record_turn(turn, ruling)
        if answer:
            take_answer(answer, ruling)
        return
    if obeyed.fact:  # first what it lifts: else the turn that asks for it would be held back
        ruling.add_all(obeyed.changes)
        obeyed = obeyed._replace(changes=())
    if obeyed.is_kept:
        with suppress(NotRecorded):
            record_turn(turn, ruling)
    carry_out(obeyed, turn, ruling)


def add_turns(command: AddTurns, ruling: Ruling) -> None:
    """Record or obey each of these turns, as if sent by itself. Raises a NotRecorded if none may be kept."""
    messages = list(command.messages)

    def decide_at(index: int) -> None:
        turn = messages[index]
        user_message(turn, ruling) if isinstance(turn, UserMessage) else record_turn(turn, ruling)

    _part_by_part(command, ruling, decide_at)


def import_turns(command: ImportTurns, ruling: Ruling) -> None:
    """Record the imported turns that are new, each as if sent by itself. Raises a NotRecorded if none may be kept."""
    require_memory(ruling.state)
    given = ruling.given
    if ruling.state.privacy.is_any:
        ruling.state.require(Needs(values={given.digester.digest("content", comparable(turn.text)) for turn in command.turns}))
    _part_by_part(command, ruling, lambda index: record_turn(command.turns[index], ruling))


def _part_by_part(command: AddTurns | ImportTurns, ruling: Ruling, decide_at: Callable[[int], None]) -> None:
    """Decide the turns that are new. Raises a NotRecorded if none may be kept."""
    given = ruling.given
    withheld: list[NotRecorded] = []

    def decide_part(index: int) -> None:
        turn, identity = command.turns[index], given.part_ids[index]
        ruling.begin_part(given.of_part(TURNS[turn.role].what, identity))
        try:
            if identity in ruling.state.privacy.forgotten_commands:
                raise Forgotten
            if not ruling.is_known(turn.text):
                decide_at(index)
        except NotRecorded as reason:  # the others are not to suffer for it
            withheld.append(reason)
        except IdReused as error:
            raise IdReused(f"turns.{index}: {error.message} Nothing of these turns was recorded.") from error

    take_each(range(len(command.turns)), decide_part)
    if len(withheld) == len(command.turns):
        raise withheld[0]


def turn_command_ids(
    command: AddTurns | ImportTurns, *, scope: Scope, parent: CommandId, digester: Digester
) -> Sequence[CommandId]:
    """The command id of each turn: that of a message with its message_id, else derived from its place."""
    return [
        digester.command_id(scope, TURNS[turn.role].what, turn.message_id)
        if turn.message_id
        else digester.command_id(scope, command.what, f"{parent}/{index}")
        for index, turn in enumerate(command.turns)
    ]
