"""Brackets in what the command line prints are text, but for the few styles that it writes itself."""

from __future__ import annotations

import pytest
from rich.markup import escape

from memstream.cli.session import PlainConsole


@pytest.mark.parametrize(
    ("printed", "seen"),
    [
        ("pip install 'memstream[ner]'", "pip install 'memstream[ner]'"),
        ("[dim]a folder[/]: /tmp/[red-ish]/x[0]", "a folder: /tmp/[red-ish]/x[0]"),
        ("[bold red]no[/] [/path] [link=http://x]y :tada:", "no [/path] [link=http://x]y :tada:"),
        (f"[yellow]{escape('a [dim] word')}[/]", "a [dim] word"),
    ],
)
def test_only_styles_of_the_command_line_are_markup(printed: str, seen: str) -> None:
    console = PlainConsole(width=100, emoji=False)
    with console.capture() as captured:
        console.print(printed)
    assert captured.get() == f"{seen}\n"


def test_what_is_printed_without_markup_stays_as_it_is() -> None:
    console = PlainConsole(width=100)
    with console.capture() as captured:
        console.print("[ner] [red]", markup=False)
    assert captured.get() == "[ner] [red]\n"
