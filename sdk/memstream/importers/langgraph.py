"""Reads dumps of LangGraph: the items of a store as facts, and checkpoints as the conversations of their threads.

An item is `{"namespace", "key", "value", "created_at", "updated_at"}`. A checkpoint is what `get_state_history` gives, or a row
of a checkpointer: with `config.configurable.thread_id`, and messages under `values` or `channel_values`. Of a thread the newest
counts; each message has the time of the first checkpoint that has it.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from memstream.importers.contents import moment_of, text_of
from memstream.importers.conversations import Message, PastConversation
from memstream.importers.turns import Assumed, BadField, OwnedFact, known_fact, owner_of

_NO_USER = {"memories", "memory", "users", "user", "facts", "profile", "profiles", "semantic", "episodic", "store", "default"}
_TEXTS = ("content", "text", "memory", "data", "fact")
_UNKNOWN = "1970-01-01T00:00:00Z"
_KINDS = {"HumanMessage": "user", "AIMessage": "assistant", "SystemMessage": "system", "ToolMessage": "tool"}


def is_item(document: object) -> bool:
    """True for an item of a store."""
    return isinstance(document, dict) and {"namespace", "key", "value"} <= document.keys()


def is_checkpoint(document: object) -> bool:
    """True for a checkpoint, or a snapshot of a state."""
    return isinstance(document, dict) and isinstance(_state(document), Mapping)


def fact(document: Mapping[str, Any], assumed: Assumed) -> OwnedFact:
    """One item. Its person is the first name of the namespace that is no usual word such as `memories`. Raises BadField."""
    if not is_item(document):
        raise BadField("value", "this is no item: it has no namespace, key or value")
    namespace = document["namespace"]
    names = namespace.split(".") if isinstance(namespace, str) else list(map(str, namespace))
    user = next((name for name in names if name.lower() not in _NO_USER), None)
    told_at = moment_of(document.get("updated_at") or document.get("created_at"), zone=assumed.zone, name="updated_at")
    return known_fact(
        owner_of(None, user, default=assumed.owner),
        source="langgraph",
        key="/".join((*names, str(document["key"]))),
        text=_words(document["value"]),
        told_at=told_at or _UNKNOWN,
        tags=[name for name in names if name != user and name.lower() not in _NO_USER],
    )


def _words(value: object) -> str:
    """What an item says: its text, where it has one, else its fields."""
    if not isinstance(value, Mapping):
        return str(value)
    for name in _TEXTS:
        match value.get(name):
            case str() as text:
                return text
            case Mapping() as inner:
                return _words(inner)
    return "; ".join(f"{name}: {said}" for name, said in value.items())


def newest_of_threads(checkpoints: Iterable[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """For each thread one document: the messages of its newest checkpoint, and when each of them was first there."""
    threads: dict[str, tuple[str, dict[str, Any]]] = {}
    others: list[tuple[str, Any]] = []
    for place, document in sorted(checkpoints, key=lambda each: _time(each[1])):
        thread = _configurable(document).get("thread_id")
        if not isinstance(thread, str) or not is_checkpoint(document):
            others.append((place, document))
            continue
        times = threads[thread][1]["times"] if thread in threads else {}
        messages = (_state(document) or {}).get("messages") or []
        for number, message in enumerate(messages):
            times.setdefault(_key(number, message), _time(document) or None)
        user = _configurable(document).get("user_id")
        threads[thread] = (place, {"thread_id": thread, "user": user, "messages": messages, "times": times})
    return [*threads.values(), *others]


def conversation(document: Mapping[str, Any], _: Assumed) -> PastConversation:
    """The conversation of a thread, as `newest_of_threads` gives it. Raises BadField."""
    if "times" not in document:
        raise BadField("config.configurable.thread_id", "there is none, so nobody could say which thread it is")
    read = [_message(number, each, document["times"]) for number, each in enumerate(document["messages"])]
    said = [each for each in read if each.text and each.role not in {"tool", "remove"}]
    return PastConversation(document["thread_id"], said, user=document["user"], left_out=len(read) - len(said))


def _message(number: int, message: Mapping[str, Any], times: Mapping[object, str | None]) -> Message:
    inner = _inner(message)
    kind = message.get("id") if message.get("lc") else None
    role = _KINDS.get(kind[-1]) if isinstance(kind, Sequence) and kind else None
    role = role or message.get("role") or message.get("type") or inner.get("type")
    return Message(role, text_of(inner.get("content")), inner.get("id"), times[_key(number, message)], inner.get("name"))


def _inner(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a message, however it was written."""
    inner = message.get("kwargs") or message.get("data")
    return inner if isinstance(inner, Mapping) else message


def _key(number: int, message: Mapping[str, Any]) -> object:
    return _inner(message).get("id") or number


def _configurable(document: Any) -> Mapping[str, Any]:  # noqa: ANN401 - whatever the file holds
    if not isinstance(document, Mapping):
        return {}
    config = document.get("config")
    found = config.get("configurable") if isinstance(config, Mapping) else None
    return found if isinstance(found, Mapping) else document


def _state(document: Mapping[str, Any]) -> Mapping[str, Any] | None:
    inner = document.get("checkpoint")
    for holder in (document, inner if isinstance(inner, Mapping) else {}):
        for name in ("values", "channel_values"):
            if isinstance(holder.get(name), Mapping):
                found: Mapping[str, Any] = holder[name]
                return found
    return None


def _time(document: Any) -> str:  # noqa: ANN401 - whatever the file holds
    if not isinstance(document, Mapping):
        return ""
    inner = document.get("checkpoint")
    found = document.get("created_at") or document.get("ts") or (inner.get("ts") if isinstance(inner, Mapping) else None)
    return found if isinstance(found, str) else ""
