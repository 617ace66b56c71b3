"""The table of commands: each is where it says, and lists and completion know it without importing it."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from typer.main import get_command

from memstream.cli import app
from memstream.cli.lazy import LazyCommand, all_commands


def _commands() -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    for name, command in all_commands().items():
        inner = getattr(command, "commands", None) or {"": command}
        found += [(f"{name} {each}".strip(), of) for each, of in inner.items()]
    return found


@pytest.mark.parametrize(("name", "command"), [pytest.param(*each, id=each[0]) for each in _commands()])
def test_a_list_describes_a_command_as_its_own_help_does(name: str, command: LazyCommand) -> None:
    loaded = command.loaded()
    assert loaded.name == name.rsplit(maxsplit=1)[-1]
    assert command.described().help == loaded.help == inspect.getdoc(loaded.callback)


def completed(words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> list[str]:
    monkeypatch.setenv("_MEMSTREAM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split(" ")) - 1))
    with pytest.raises(SystemExit) as left:
        app(prog_name="memstream")
    assert not left.value.code
    return capsys.readouterr().out.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("memstream se", ["search", "send", "settings", "sessions"]),
        ("memstream --json bot ", ["create", "list", "show"]),
        ("memstream search --as", ["--as-of"]),
        ("memstream run ", ["server", "ingest", "retriever", "maintenance", "consolidator", "feed", "gateway"]),
        ("memstream rebuild --projection re", ["retriever"]),
        (
            "memstream import --format ",
            ["auto", "jsonl", "csv", "chatgpt", "claude", "openai", "mem0", "langgraph", "locomo", "export"],
        ),
        ("memstream search --kind ", ["episode", "fact", "reflection", "rollup"]),
        ("memstream ask li", ["list"]),
        ("memstream send rem", ["remember_fact"]),
        ("memstream eval tasks --embedder m", ["minilm"]),
    ],
)
def test_the_tab_key_completes(
    words: str, offered: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sorted(completed(words, monkeypatch, capsys)) == sorted(offered)


def test_completion_can_be_installed() -> None:
    options = {name for parameter in get_command(app).params for name in parameter.opts}
    assert {"--install-completion", "--show-completion"} <= options


def test_a_command_about_a_person_takes_whose_memories_it_is_about() -> None:
    command = all_commands()["search"]
    assert isinstance(command, LazyCommand)
    assert [each.name for each in command.loaded().params][-3:] == ["space", "user", "bot"]
