"""Decides what is not recorded although it is valid: memory is off, the session is incognito, or it was forgotten.

Source: ../design/mission.md, promises 3 and 4, and the ruling on tombstones.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Literal, NamedTuple

from services.ingest.domain.circumstances import Circumstances
from services.ingest.domain.private import DOUBTED, Stone
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.state import ScopeState
from services.ingest.domain.telling import SaidWords, labels_in, said_in
from services.ingest.domain.told_fact import ToldFact
from shared.contracts.command import Channel
from shared.contracts.commands import ExtractedFact, ImportedTurn, Turn
from shared.contracts.content import Content, strings
from shared.contracts.contract import Contract
from shared.contracts.errors import Forgotten, Incognito, MemoryOff, NotThis
from shared.contracts.ids import MemoryId, MessageId, SessionId
from shared.contracts.parts import Role
from shared.contracts.privacy import TombstoneLifted
from shared.domain.digests import Digester
from shared.domain.withholding import is_incognito_by_default, why_withheld
from shared.language.commands.command import ChatCommandName
from shared.language.text.cleaning import comparable

Reader = Callable[[str, Digester], Sequence[SaidWords]]
_CLOCKS_APART = timedelta(minutes=1)
"""A turn that a bot dates so little before the forgetting may have been said after it."""


def is_private(state: ScopeState) -> bool:
    """True if the person keeps anything from memory now: then refused messages are kept without their body."""
    settings = state.settings
    return settings.memory_enabled is False or bool(settings.incognito_default) or state.privacy.is_incognito


def require_memory(state: ScopeState, *, session_id: SessionId | None = None) -> None:
    """Raise MemoryOff or Incognito if nothing may be recorded now."""
    match why_withheld(state.settings, is_incognito=session_id is not None and state.is_incognito(session_id)):
        case "memory_off":
            raise MemoryOff
        case "incognito":
            raise Incognito


def is_recorded(state: ScopeState, session_id: SessionId) -> bool:
    """True if turns of this session are recorded."""
    return why_withheld(state.settings, is_incognito=state.is_incognito(session_id)) is None


def require_kept(turn: Turn, state: ScopeState, given: Circumstances) -> None:
    """Raise NotThis for a bot's answer to what its user asked not to keep, unless the operator wants answers kept."""
    question = state.privacy.questions.get(turn.session_id)
    is_withheld = question is not None and question.command in {ChatCommandName.NOT_THIS.value, DOUBTED}
    is_answer = turn.role is not Role.USER and is_withheld
    if is_answer and given.policy.withholds_replies:
        raise NotThis


def begins_incognito(session_id: SessionId, state: ScopeState) -> bool:
    """True if the session has not begun and its person wants new ones to be incognito."""
    has_begun = session_id in state.sessions or session_id in state.privacy.kept
    return is_incognito_by_default(state.settings, has_begun=has_begun)


class Admitted(NamedTuple):
    """How a turn is recorded although something of its person was forgotten."""

    lifts: Sequence[TombstoneLifted] = ()
    is_held_back: bool = False  # recorded as said, but nothing is learned or recalled from it


def admit(turn: Turn | ImportedTurn, state: ScopeState, given: Circumstances, *, is_imported: bool) -> Admitted:
    """How a turn may be recorded. Raises Forgotten if it must not come back.

    Who says it again decides: what a bot, an import or an older turn says stays forgotten. A person's own new words are held
    back until the time is over, and then lift the tombstones.
    """
    privacy = state.privacy
    if not privacy.is_any:
        return Admitted()
    if given.command_id in privacy.forgotten_commands:
        raise Forgotten
    if (
        is_imported
        and privacy.forgotten_values
        and given.digester.digest("content", comparable(turn.text)) in privacy.forgotten_values
    ):
        raise Forgotten
    is_own = turn.role is Role.USER and not is_imported
    stones = stones_on(turn, state, given, by_others=not is_own)
    entitling = _stones_on_title(turn.session_id, state, given)
    if not (stones or entitling):
        return Admitted()
    if not is_own or (
        turn.occurred_at is not None and any(turn.occurred_at < stone.at - _CLOCKS_APART for stone in stones.values())
    ):
        raise Forgotten
    is_held_back = _is_within_the_time(stones | entitling, given)
    return Admitted(is_held_back=True) if is_held_back else Admitted(_lifted(stones, "said_again"))


def _stones_on_title(session_id: SessionId, state: ScopeState, given: Circumstances) -> dict[bytes, Stone]:
    """The tombstones of what the id of a session tells that began after the forgetting: bots take titles for ids."""
    told = _stones_told([session_id], labels_in, state, given, by_others=True)
    if not told or session_id not in state.sessions:
        return told
    began = state.sessions[session_id].number
    return {digest: stone for digest, stone in told.items() if stone.number < began}


def lifted_by_hand(text: str, state: ScopeState, given: Circumstances) -> list[TombstoneLifted]:
    """All tombstones that match a text which is saved by hand: its user wants it back."""
    return _lifted(_stones_told([text], said_in, state, given, by_others=False), "saved_by_hand")


def lifted_by_mention(text: str, state: ScopeState, given: Circumstances) -> list[TombstoneLifted]:
    """All tombstones that match a text which is saved, but not by hand. Raises Forgotten until the time is over."""
    stones = _stones_told([text], said_in, state, given, by_others=False)
    if _is_within_the_time(stones, given):
        raise Forgotten
    return _lifted(stones, "said_again")


def labels_left(labels: tuple[str, ...], state: ScopeState, given: Circumstances) -> tuple[str, ...]:
    """The tags or sources of something, but those that tell what stays forgotten."""
    return tuple(label for label in labels if not tells_of_forgotten(label, state, given))


def beside_its_words(told: ToldFact, state: ScopeState, given: Circumstances) -> ToldFact:
    """A fact that is saved by hand, without what tells, beside its words, of something else that stays forgotten."""
    if not state.privacy.is_any:
        return told
    session_id = told.session_id
    if session_id is not None and _stones_on_title(session_id, state, given):
        session_id = None
    return replace(
        told,
        session_id=session_id,
        message_id=id_left(told.message_id, state, given),
        source_ids=labels_left(told.source_ids, state, given),
        tags=labels_left(told.tags, state, given),
    )


def tells_of_forgotten(label: str, state: ScopeState, given: Circumstances) -> bool:
    """Whether a label, such as a tag or a name, tells what stays forgotten."""
    return bool(_stones_told([label], labels_in, state, given, by_others=True))


def id_left(
    message_id: MessageId | None, state: ScopeState, given: Circumstances, *, is_keyed: bool = False
) -> MessageId | None:
    """The id of a message, but keyed if told so, or where it tells what stays forgotten: bots make ids of names and titles."""
    if message_id is None:
        return None
    is_told = is_keyed or tells_of_forgotten(message_id, state, given)
    return MessageId(given.command_id) if is_told else message_id


def actor_left(given: Circumstances, state: ScopeState) -> Circumstances:
    """The circumstances of a command, without a name of its actor that tells of what stays forgotten."""
    if given.actor.name and tells_of_forgotten(given.actor.name, state, given):
        return given._replace(actor=given.actor.model_copy(update={"name": None}))
    return given


class Learnable(NamedTuple):
    """The sources from which a fact may be learned, and the tombstones that this lifts."""

    source_ids: tuple[MemoryId, ...]
    tags: tuple[str, ...]  # without those that tell what stays forgotten
    lifts: Sequence[TombstoneLifted] = ()


def may_be_learned(fact: ExtractedFact, state: ScopeState, given: Circumstances) -> Learnable | None:
    """None if a fact may not be learned: its sources are forgotten, held back or too old, or its time is not over.

    What a turn from before the forgetting says in other words was meant to stay, unless an agent put it so. What an agent
    learned lifts nothing: that takes a turn of its person.
    """
    if not state.privacy.is_any:
        return Learnable(fact.source_ids, fact.tags)
    sources = tuple(each for each in fact.source_ids if each in state.memories and not state.memories[each].held_back)
    if not sources:
        return None
    newest = max(state.memories[source].number for source in sources)
    alike = alike_to([fact.text], state, given)
    is_of_an_agent = given.actor.channel == Channel.SEND
    told = stones_on(fact, state, given, by_others=is_of_an_agent)
    stones = alike | {digest: stone for digest, stone in told.items() if is_of_an_agent or stone.number < newest}
    if stones and (is_of_an_agent or _is_within_the_time(stones, given)):
        return None
    if any(newest <= stone.number for stone in alike.values()):
        return None
    lifts = _lifted(stones, "said_again")
    return Learnable(sources, labels_left(fact.tags, state, given) if not lifts else fact.tags, lifts)


def alike_to(texts: Iterable[str], state: ScopeState, given: Circumstances) -> dict[bytes, Stone]:
    """The tombstones of which one of these texts is a near-duplicate, by digest."""
    privacy = state.privacy
    if not privacy.tombstones:
        return {}
    return {
        digest: stone for text in texts for digest, stone in privacy.stones_alike(likeness_of(text, given.digester)).items()
    }


def stones_on(said: Contract, state: ScopeState, given: Circumstances, *, by_others: bool) -> dict[bytes, Stone]:
    """The tombstones of what is stated, in its words or in others, or beside them: by speaker, tags, the bot's own JSON.

    By their digests. `by_others`: their person did not say it.
    """
    words, labels = strings(said, Content.WORDS), strings(said, Content.TRACE)
    found = _stones_told(words, said_in, state, given, by_others=by_others)
    return found | _stones_told(labels, labels_in, state, given, by_others=by_others)


def _stones_told(
    texts: Iterable[str], reads: Reader, state: ScopeState, given: Circumstances, *, by_others: bool
) -> dict[bytes, Stone]:
    privacy, texts = state.privacy, tuple(texts)
    if not privacy.tombstones:
        return {}
    told = (privacy.stones_told(reads(text, given.digester), by_others=by_others).items() for text in texts)
    return alike_to(texts, state, given) | {digest: stone for found in told for digest, stone in found}


def _lifted(stones: Mapping[bytes, Stone], by: Literal["saved_by_hand", "said_again"]) -> list[TombstoneLifted]:
    return [TombstoneLifted(digest=digest.hex(), by=by) for digest in sorted(stones)]  # however they were read


def _is_within_the_time(stones: Mapping[bytes, Stone], given: Circumstances) -> bool:
    return any(given.now < stone.until for stone in stones.values())
