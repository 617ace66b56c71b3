"""What the bot may say back: sentences of the language file, which hold nobody's text."""

from __future__ import annotations

from enum import StrEnum
from itertools import product

from shared.chat.command import ChatCommand, ChatCommandName, CommandScope
from shared.chat.language import Language, language
from shared.contracts.errors import Misconfigured

TOPIC = "{topic}"
"""Stands for the topic; the caller puts it in, where text may be."""
_ANY = "any"


class ChatOutcome(StrEnum):
    """What became of a chat command."""

    DONE = "done"
    NOTHING_FOUND = "nothing_found"
    ASK_BACK = "ask_back"
    ALREADY_SO = "already_so"
    REFUSED = "refused"


def say(command: ChatCommand, outcome: ChatOutcome) -> str:
    """The sentence for an outcome, in the command's language; with `{topic}` in it only where the command has a topic.

    Raises Misconfigured when the language file lacks it, which its tests would have told.
    """
    return _say(language(command.language), command.name, command.scope.value, outcome, has_topic=command.topic is not None)


def require_sayings(code: str) -> None:
    """Raises Misconfigured where a language has nothing to say for some outcome of some command."""
    for name, scope, outcome in product(ChatCommandName, CommandScope, ChatOutcome):
        say(ChatCommand(name, scope=scope, language=code), outcome)


def with_topic(said: str, command: ChatCommand) -> str:
    """What `say` gave, with the topic in its place."""
    return said.replace(TOPIC, command.topic or "")


def _say(known: Language, name: ChatCommandName, scope: str, outcome: ChatOutcome, *, has_topic: bool) -> str:
    tables = [known.text.say.get(key, {}) for key in (f"{name}_{scope}", name.value, _ANY)]
    keys = ([f"{outcome}_about"] if has_topic else []) + [outcome.value]
    for table in tables:
        for key in keys:
            if key in table:
                return table[key]
    raise Misconfigured(f"the language file {known.code}.toml has nothing to say for {name}, {outcome}")
