"""Replies to chat commands: sentences of the language file, which hold no text of users."""

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import get_args

from shared.contracts.errors import Misconfigured
from shared.contracts.parts import ChatOutcome
from shared.language.commands.command import ChatCommand, ChatCommandName, CommandScope
from shared.language.commands.language import Language, language

TOPIC = "{topic}"
"""Placeholder for the topic; the caller fills it in where text is allowed."""
_ANY = "any"
_ONE = "1"
_WHICH, _WHICH_ONE = "asked_back_which", "asked_back_which_one"
_PLACEHOLDER = re.compile(r"\{(count|which|topic)\}")


def say(command: ChatCommand, outcome: ChatOutcome) -> str:
    """The reply to a command with this outcome, in its language; it has `{topic}` in it only if the command has a topic.

    Raises Misconfigured if the language file lacks it.
    """
    if outcome == "declined":
        command, outcome = replace(command, name=ChatCommandName.DECLINE, topic=None), "done"
    return _say(language(command.language), command.name, command.scope.value, outcome, has_topic=command.topic is not None)


def require_sayings(code: str) -> None:
    """Raises Misconfigured if a language lacks the reply to some outcome of some command."""
    for name, scope, outcome in product(ChatCommandName, CommandScope, get_args(ChatOutcome)):
        say(ChatCommand(name, scope=scope, language=code), outcome)


def say_what_goes(command: ChatCommand, count: str, told: Sequence[str]) -> str | None:
    """The question before a forgetting that says what would go: how many memories, and some of them in their own words.

    None if the language file has no such question for this command.
    """
    table = language(command.language).text.say.get(command.name.value, {})
    template = table.get(_WHICH if len(told) > 1 or count != _ONE else _WHICH_ONE)
    if template is None or not told:
        return None
    values = {"count": count, "which": "; ".join(f'"{text}"' for text in told), "topic": command.topic or ""}
    return _PLACEHOLDER.sub(lambda found: values[found[1]], template)


def say_grace(command: ChatCommand, minutes: int) -> str | None:
    """A sentence that says for how long it can be taken back; None if the language file has none."""
    table = language(command.language).text.say.get(_ANY, {})
    template = table.get("grace" if minutes > 1 else "grace_one")
    return template and template.replace("{minutes}", str(minutes))


def with_topic(said: str, command: ChatCommand) -> str:
    """A reply of `say` with the topic filled in."""
    return said.replace(TOPIC, command.topic or "")


def _say(known: Language, name: ChatCommandName, scope: str, outcome: ChatOutcome, *, has_topic: bool) -> str:
    tables = [known.text.say.get(key, {}) for key in (f"{name}_{scope}", name.value, _ANY)]
    keys = ([f"{outcome}_about"] if has_topic else []) + [outcome]
    for table in tables:
        for key in keys:
            if key in table:
                return table[key]
    raise Misconfigured(f"the language file {known.code}.toml has nothing to say for {name}, {outcome}")
