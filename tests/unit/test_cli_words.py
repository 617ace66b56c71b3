"""What the command line says to people."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from memstream.cli import app
from memstream.cli.privacy import _print_words
from memstream.cli.session import answer_console
from memstream.client.exchange import _validated
from shared.contracts.errors import Malformed
from shared.contracts.queries import ForgetPreviewQuery

WORDS = "my [/]bracket and a [red]colour[/nope]"


class OneMemory:
    """Knows one memory, under any id."""

    async def show(self, memory_id: str) -> object:
        said = SimpleNamespace(memory_id=memory_id, occurred_at=datetime(2026, 1, 1, tzinfo=UTC), text=WORDS)
        return SimpleNamespace(memory=said)


async def test_what_would_be_forgotten_is_shown_as_it_was_said() -> None:
    page = io.StringIO()
    plan = SimpleNamespace(memories=[SimpleNamespace(memory_id="fact_1", why="named")])
    await _print_words(cast("Any", OneMemory()), Console(file=page, width=20), cast("Any", plan))
    assert WORDS in page.getvalue()


def test_what_is_piped_is_not_cut_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout", io.StringIO())
    assert answer_console().width > 200


@pytest.mark.parametrize(("args", "hint"), [(["remember"], "memstream remember --help"), (["nosuch"], "--help")])
def test_a_usage_error_names_the_help_of_its_command(
    args: list[str], hint: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["memstream", *args])
    with pytest.raises(SystemExit) as left:
        app()
    assert left.value.code == 2
    assert hint in capsys.readouterr().err


def test_a_problem_of_the_whole_query_needs_no_place() -> None:
    with pytest.raises(Malformed, match="does not fit: name exactly one"):
        _validated(ForgetPreviewQuery, {})
