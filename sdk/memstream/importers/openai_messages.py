"""Reads messages as OpenAI's API takes them: `{"messages": [{"role", "content"}, ...]}`, a conversation a line.

A conversation has no id of its own in this form; one that names none is named after what it says.
"""

from collections.abc import Mapping
from typing import Any

from memstream.importers.contents import text_of
from memstream.importers.conversations import Message, PastConversation
from memstream.importers.turns import Assumed, BadField, digest_of

_SAID_BY = {"user", "assistant", "system", "developer"}
_IDS = ("session_id", "conversation_id", "thread_id", "id")
_TIMES = ("occurred_at", "timestamp", "created_at", "created")


def is_one(document: object) -> bool:
    """True for a conversation of this form."""
    messages = document.get("messages") if isinstance(document, dict) else None
    return isinstance(messages, list) and (not messages or any(isinstance(each, dict) and "role" in each for each in messages))


def conversation(document: Mapping[str, Any], assumed: Assumed) -> PastConversation:
    """One conversation. Raises BadField."""
    if not is_one(document):
        raise BadField("messages", "there is no list of messages")
    every = document["messages"]
    messages = [_message(each) if isinstance(each, dict) else Message(None, "") for each in every]
    messages = [each for each in messages if each.role is None or (each.text and each.role not in {"tool", "function"})]
    identity = (
        _first(document, _IDS)
        or assumed.session_id
        or f"conversation-{digest_of(*(part for each in messages for part in (str(each.role), each.text)))}"
    )
    user = document.get("user_id") or document.get("user")
    return PastConversation(
        str(identity), messages, user=user, left_out=len(every) - len(messages), begun=_first(document, _TIMES)
    )


def _message(message: Mapping[str, Any]) -> Message:
    text = text_of(message.get("content")) or text_of(message.get("parts"))
    return Message(message.get("role"), text, message.get("id"), _first(message, _TIMES), message.get("name"))


def _first(document: Mapping[str, Any], names: tuple[str, ...]) -> Any:  # noqa: ANN401 - as it stands there
    return next((document[name] for name in names if document.get(name) is not None), None)
