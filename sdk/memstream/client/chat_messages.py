"""Reads messages as chat APIs have them, `{"role": ..., "content": ...}`: what the person and the bot said in them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from memstream._contracts import Malformed, Role

ChatMessage: TypeAlias = Mapping[str, Any]
"""A message of a chat API: OpenAI's, Anthropic's and those that are like them."""

_ROLES = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "model": Role.ASSISTANT,
}
_UNSPOKEN = frozenset(("system", "developer", "tool", "function"))
"""Who says nothing to anybody: prompts, which often quote the memory itself, and the results of tools."""

_WORDS = {"text": "text", "input_text": "text", "output_text": "text", "refusal": "refusal"}
_MEDIA = {
    "image": "image",
    "image_url": "image",
    "input_image": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "video",
    "video_url": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
}
_CAPTIONS = ("caption", "alt", "alt_text", "description", "transcript", "title", "filename")
_CONTENTS = frozenset(("content", "text", "parts", "audio", "tool_calls", "function_call", "refusal"))
_THOUGHTS = frozenset(("reasoning", "thinking"))
_SAME = ("message_id", "occurred_at", "metadata")


def turns_of(messages: Iterable[object]) -> Iterator[dict[str, Any]]:
    """The turns that the messages hold, in their order, as `add_turns` takes them. Raises Malformed, naming the message.

    Those without words, of the system and of tools are left out. `name` is the speaker, `id` stands for `message_id`.
    """
    for number, message in enumerate(messages):
        turn = _turn(_mapping(message, f"messages.{number}"), f"messages.{number}")
        if turn is not None:
            yield turn


def _mapping(message: object, place: str) -> ChatMessage:
    """A message as a mapping; the objects of the SDKs give theirs."""
    if isinstance(message, Mapping):
        return message
    if callable(dump := getattr(message, "model_dump", None)) and isinstance(dumped := dump(), Mapping):
        return dumped
    raise Malformed(f'{place} must be a text or an object such as {{"role": "user", "content": "..."}}')


def _turn(message: ChatMessage, place: str) -> dict[str, Any] | None:
    role = message.get("role") or message.get("type")
    if role in _UNSPOKEN:
        return None
    if role not in _ROLES:
        raise Malformed(f"{place}.role must be one of {', '.join((*_ROLES, *sorted(_UNSPOKEN)))}")
    text = _text(message, place)
    if not text.strip():
        return None
    told = {name: message[name] for name in _SAME if message.get(name) is not None}
    named = {"message_id": message.get("id"), "speaker": message.get("name")}
    return {"role": _ROLES[role], "text": text} | {key: value for key, value in named.items() if value} | told


def _text(message: ChatMessage, place: str) -> str:
    """What a message says: its content, else what its audio says."""
    if message.keys().isdisjoint(_CONTENTS):
        raise Malformed(f"{place} has no content; it is a text or a list of parts")
    content = next((message[name] for name in ("content", "text", "parts") if message.get(name) is not None), None)
    if isinstance(content, str):
        return content
    if content is None:
        audio = message.get("audio")
        return str(audio.get("transcript") or "") if isinstance(audio, Mapping) else ""
    if not isinstance(content, Iterable) or isinstance(content, Mapping | bytes):
        raise Malformed(f"{place}.content must be a text or a list of parts")
    said = (_part(part, f"{place}.content.{number}") for number, part in enumerate(content))
    return "\n".join(each for each in said if each.strip())


def _part(part: object, place: str) -> str:
    """A part in words; empty if it says nothing to the person, as a call of a tool."""
    if isinstance(part, str):
        return part
    part = _mapping(part, place)
    kind = part.get("type", "text")
    if kind in _WORDS:
        return _words(part.get(_WORDS[kind]), place)
    if kind not in _MEDIA:
        if isinstance(part.get("text"), str) and kind not in _THOUGHTS:
            raise Malformed(f"{place}.type must be one of {', '.join((*_WORDS, *_MEDIA))}, or of a part without text")
        return ""
    caption = _caption(part, kind)
    return f"[{_MEDIA[kind]}: {caption}]" if caption else f"[{_MEDIA[kind]}]"


def _words(value: object, place: str) -> str:
    """The words of a part: a text, texts, or a text in an object as OpenAI's assistants have it."""
    match value:
        case str():
            return value
        case None:
            return ""
        case {"value": words}:
            return _words(words, place)
        case [*texts]:
            return "\n".join(_words(each, place) for each in texts)
    raise Malformed(f"{place}.text must be a text")


def _caption(part: ChatMessage, kind: str) -> str:
    """What is told of a picture or a sound, in the part or in what it holds."""
    inner = part.get(kind)
    for place in (part, inner if isinstance(inner, Mapping) else {}):
        for name in _CAPTIONS:
            if isinstance(told := place.get(name), str) and told.strip():
                return told.strip()
    return ""
