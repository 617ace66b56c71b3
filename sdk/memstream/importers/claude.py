"""Reads `conversations.json` of a Claude export.

Where a conversation has branches and says which was shown last (`current_leaf_message_uuid`), that one counts.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memstream.importers.contents import text_of
from memstream.importers.conversations import Message, PastConversation
from memstream.importers.turns import Assumed, BadField


def is_one(document: object) -> bool:
    """True for a conversation of this form."""
    return isinstance(document, dict) and isinstance(document.get("chat_messages"), list)


def conversation(document: Mapping[str, Any], _: Assumed) -> PastConversation:
    """One conversation. Raises BadField."""
    identity = document.get("uuid")
    if not isinstance(identity, str):
        raise BadField("uuid", "there is none")
    shown = _shown(document["chat_messages"], document.get("current_leaf_message_uuid"))
    messages = [
        Message(each.get("sender"), _said(each), each.get("uuid"), each.get("created_at"))
        if isinstance(each, dict)
        else Message(None, "")
        for each in shown
    ]
    said = [each for each in messages if each.text or each.role is None]
    begun = document.get("created_at") or document.get("updated_at")
    return PastConversation(identity, said, left_out=len(shown) - len(said), begun=begun)


def _shown(messages: Sequence[Mapping[str, Any]], leaf: object) -> Sequence[Mapping[str, Any]]:
    """The messages of the branch that ends with this one; all, where it is not said."""
    known = {each["uuid"]: each for each in messages if isinstance(each, dict) and isinstance(each.get("uuid"), str)}
    branch: list[Mapping[str, Any]] = []
    while isinstance(leaf, str) and leaf in known:
        branch.append(known.pop(leaf))
        leaf = branch[-1].get("parent_message_uuid")
    return branch[::-1] or messages


def _said(message: Mapping[str, Any]) -> str:
    """The message's own words; the blocks of tools and of thinking are not."""
    return text_of(message.get("content")) or text_of(message.get("text"))
