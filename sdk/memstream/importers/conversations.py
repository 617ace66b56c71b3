"""Conversations of other programs: what their readers find, and how it becomes turns."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memstream.importers.contents import moment_of, role_of
from memstream.importers.turns import Assumed, BadField, BadRecord, Parsed, TurnNames, owner_of, turn_of


class Message(NamedTuple):
    """One message as its program has it: fields of unknown types, but for the text."""

    role: object
    text: str
    message_id: object = None
    occurred_at: object = None
    speaker: object = None


@dataclass(frozen=True, slots=True)
class PastConversation:
    """What was said in one conversation, in order, and how many messages hold nothing that anybody said."""

    session_id: str
    messages: Sequence[Message]
    user: object = None  # where the program says whose it is
    left_out: int = 0
    begun: object = None  # the time of its first message, where that has none


ConversationReader = Callable[[Any, Assumed], PastConversation]


def parse(documents: Iterable[tuple[str, Any]], read: ConversationReader, assumed: Assumed) -> Parsed:
    """The turns of these documents, each with its place in the file, a conversation each."""
    parsed, naming = Parsed(), TurnNames()
    for place, document in documents:
        try:
            found = read(document, assumed)
            owner = owner_of(None, found.user, default=assumed.owner)
        except BadField as error:
            parsed.bad.append(BadRecord(place, error.name, error.reason, document))
            continue
        except (AttributeError, KeyError, TypeError) as error:
            parsed.bad.append(BadRecord(place, None, f"not as this program writes it: {error}", document))
            continue
        parsed.left_out += found.left_out
        begun = found.begun
        for number, message in enumerate(found.messages, start=1):
            try:
                dated = message if message.occurred_at else message._replace(occurred_at=begun)
                parsed.turns.append(naming.named(turn_of(_fields(dated, found, assumed)), owner))
                begun = None  # those behind it are of its time
            except BadField as error:
                record = {"session_id": found.session_id, **message._asdict()}
                parsed.bad.append(BadRecord(f"{place}, message {number}", error.name, error.reason, record))
    return parsed


def _fields(message: Message, found: PastConversation, assumed: Assumed) -> dict[str, Any]:
    fields = {
        "role": role_of(message.role),
        "session_id": found.session_id,
        "text": message.text,
        "message_id": message.message_id,
        "occurred_at": moment_of(message.occurred_at, zone=assumed.zone),
        "speaker": message.speaker,
    }
    return {name: value for name, value in fields.items() if value not in {None, ""}} | {"text": message.text}
