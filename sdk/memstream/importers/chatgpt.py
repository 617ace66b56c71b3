"""Reads `conversations.json` of a ChatGPT export.

A conversation is a tree: every edit and every regenerated answer is a branch. What counts is the branch that was shown last,
from `current_node` up to the root. Messages of tools, to tools, and hidden ones were said by nobody.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from memstream.importers.contents import text_of
from memstream.importers.conversations import Message, PastConversation
from memstream.importers.turns import Assumed, BadField

_SAID = {"text", "multimodal_text"}


def is_one(document: object) -> bool:
    """True for a conversation of this form."""
    return isinstance(document, dict) and isinstance(document.get("mapping"), dict)


def conversation(document: Mapping[str, Any], _: Assumed) -> PastConversation:
    """One conversation. Raises BadField."""
    identity = document.get("conversation_id") or document.get("id")
    if not isinstance(identity, str):
        raise BadField("conversation_id", "there is none")
    path = list(_path(document["mapping"], document.get("current_node")))
    messages = [_message(node["message"]) for node in path if _was_said(node.get("message"))]
    return PastConversation(
        identity,
        messages,
        left_out=sum(1 for node in path if node.get("message")) - len(messages),
        begun=document.get("create_time") or document.get("update_time"),
    )


def _path(mapping: Mapping[str, Any], current: object) -> Sequence[Mapping[str, Any]]:
    """The nodes from the root to the current one; without a current one, to the newest leaf."""
    name = current if isinstance(current, str) and current in mapping else _newest_leaf(mapping)
    nodes: list[Mapping[str, Any]] = []
    seen: set[str] = set()
    while isinstance(name, str) and isinstance(mapping.get(name), dict) and name not in seen:
        seen.add(name)
        nodes.append(mapping[name])
        name = mapping[name].get("parent")
    return nodes[::-1]


def _newest_leaf(mapping: Mapping[str, Any]) -> str | None:
    leaves = [name for name, node in mapping.items() if isinstance(node, dict) and not node.get("children")]
    return max(leaves, key=lambda name: (mapping[name].get("message") or {}).get("create_time") or 0, default=None)


def _was_said(message: object) -> bool:
    if not isinstance(message, dict) or (message.get("author") or {}).get("role") not in {"user", "assistant", "system"}:
        return False
    if message.get("recipient") not in {None, "all"} or (message.get("metadata") or {}).get(
        "is_visually_hidden_from_conversation"
    ):
        return False
    content = message.get("content") or {}
    return content.get("content_type") in _SAID and bool(text_of(content.get("parts")))


def _message(message: Mapping[str, Any]) -> Message:
    return Message(
        role=message["author"]["role"],
        text=text_of(message["content"].get("parts")),
        message_id=message.get("id"),
        occurred_at=message.get("create_time"),
        speaker=message["author"].get("name"),
    )
