"""No block of code on a page escapes its test: commands are run as printed or named with a reason, programs have a test."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.main import get_command

from memstream.cli import app
from memstream.cli.root import hoisted
from services.retriever.settings import operator_ranking
from shared.contracts.ids import Space
from shared.contracts.preferences import RankingOptions
from shared.contracts.queries import Preset
from tests.support.pages import NOT_RUN, NOT_RUN_ALONE, ROOT, printed_blocks

SHOWN = {"text", "json", "mermaid"}
"""What is no code: transcripts are compared, and JSON is parsed, where they are."""

PROGRAMS = {
    ("README.md", "python"): (2, "tests/acceptance/test_newcomer.py"),
    ("README.md", "javascript"): (1, "tests/acceptance/test_newcomer.py"),
    ("docs/adapters.md", "python"): (5, "tests/integration/test_adapters_page.py"),
    ("docs/client.md", "python"): (5, "tests/integration/test_sync_client.py"),
    ("docs/coming-from-mem0.md", "python"): (1, "tests/integration/test_docs.py"),
    ("docs/followers.md", "python"): (1, "tests/acceptance/test_followers.py"),
    ("docs/mcp.md", "python"): (1, "tests/integration/test_docs.py"),
    ("docs/operations.md", "toml"): (1, "tests/unit/test_printed_blocks.py"),
    ("docs/python.md", "python"): (1, "tests/integration/test_docs.py"),
    ("docs/quickstart.md", "python"): (2, "tests/acceptance/test_printed_commands.py"),
    ("docs/recipes/discord.md", "python"): (1, "tests/integration/test_recipes.py"),
    ("docs/recipes/fastapi.md", "python"): (1, "tests/integration/test_recipes.py"),
    ("docs/recipes/langgraph.md", "python"): (1, "tests/integration/test_recipes.py"),
    ("docs/recipes/notebook.md", "python"): (4, "tests/integration/test_docs.py"),
    ("docs/recipes/telegram.md", "python"): (1, "tests/integration/test_recipes.py"),
    ("docs/tools.md", "python"): (1, "tests/integration/test_docs.py"),
}
"""How many programs a page prints, and the test that runs all of them. With a new one, let that test run it, then count it."""

TYPED = sorted({line for block in printed_blocks() if block.language == "sh" for line in block.code.splitlines()})
CALLED = re.compile(r"(?:^(?:\w+=\S+ )*|\$\(|&& |bin/|server )memstream (.*?)(?=\)|;|&&|\||$)")
"""The arguments of our program in a line of a shell."""


def test_every_program_on_a_page_has_a_test() -> None:
    printed = Counter((block.page, block.language) for block in printed_blocks() if block.language not in {"sh", *SHOWN})
    assert printed == {key: count for key, (count, _) in PROGRAMS.items()}
    assert [test for _, test in PROGRAMS.values() if not (ROOT / test).exists()] == []


def test_whatever_is_not_run_is_there() -> None:
    first_lines = {block.first_line for block in printed_blocks()}
    assert NOT_RUN_ALONE.keys() <= first_lines
    assert NOT_RUN.keys() <= {block.page for block in printed_blocks() if block.language == "sh"}


@pytest.mark.parametrize("line", TYPED)
def test_every_command_that_a_page_prints_takes_these_options(line: str) -> None:
    for arguments in CALLED.findall(re.sub(r"(?:^| )#.*", "", line)):
        require_arguments(shlex.split(arguments))


def test_every_command_in_the_words_of_a_page_takes_these_options() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("docs/recipes/*.md")]
    for page in pages:
        for command in sorted(set(re.findall(r"`memstream ([a-z][^`]* --[^`…]*)`", page.read_text("utf-8")))):
            require_options(page, command)


def test_the_ranking_on_the_page_is_read(tmp_path: Path) -> None:
    [block] = [block for block in printed_blocks() if block.language == "toml"]
    path = tmp_path / "ranking.toml"
    path.write_text(block.code, "utf-8")
    read = operator_ranking(path, RankingOptions())
    assert read.weights(Space("shop"), preset=Preset.SHIPPED).beta == 0.3


def test_a_wrong_option_is_noticed() -> None:
    with pytest.raises(Exception, match="No such option"):
        require_arguments(["list", "--spaces", "shop"])


def require_arguments(arguments: list[str]) -> None:
    """Read the arguments of `memstream` as it does itself, without running anything. Raises what Typer raises."""
    command, rest = _command(arguments)
    command.make_context("memstream", rest)


def require_options(page: Path, words: str) -> None:
    """Fail where a command of running text, whose arguments may be left out, has no such option."""
    command, rest = _command(words.split())
    known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)} | {"--help"}
    assert {each.partition("=")[0] for each in rest if each.startswith("--")} <= known, f"{page.name}: memstream {words}"


def _command(arguments: list[str]) -> tuple[Any, list[str]]:
    """The command that these arguments call, and the rest without the global options."""
    rest = hoisted(arguments)
    while rest and rest[0].startswith("-"):
        rest = rest[2 if rest[0] == "--data-dir" else 1 :]
    command: Any = get_command(app)
    while hasattr(command, "resolve_command"):
        _, command, rest = command.resolve_command(typer.Context(command), rest)
    return command, rest
