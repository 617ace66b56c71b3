"""What a chat looks like: in two columns on a wide terminal, else one below the other; in a pipe as plain lines."""

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from memstream.cli.chat_turns import Changes, TalkTurn
from memstream.cli.text import harmless, one_line

_WIDE = 96
"""Columns of a terminal from which on two columns have room."""
_WIDEST = 160
_LINE = 160
_MOST_RECALLED = 6


def show_turn(console: Console, turn: TalkTurn, changes: Changes) -> None:
    """Show what was answered, or would be given to a model, and beside it what the memory did."""
    left, right = _answer(turn), Text("\n").join(_memory(turn, changes)) or Text("nothing new", style="dim")
    if not console.is_terminal:
        console.print(left)
        console.print(right, soft_wrap=True)
        return
    panels = _panel(left, "bot" if turn.reply else "what a model would be given"), _panel(right, "memory")
    if console.width < _WIDE:
        console.print(Group(*panels))
        return
    columns = Table.grid(padding=(0, 1), expand=False)
    half = (min(console.width, _WIDEST) - 1) // 2
    columns.add_column(width=half)
    columns.add_column(width=half)
    columns.add_row(*panels)
    console.print(columns)


def show_changes(console: Console, changes: Changes) -> None:
    """Show what was learned, superseded and forgotten."""
    for line in _changed(changes):
        console.print(line, soft_wrap=not console.is_terminal)


def _answer(turn: TalkTurn) -> Text:
    if turn.reply:
        return Text(harmless(turn.reply))
    return Text(harmless(turn.context.markdown).strip() or "(nothing: what is known has nothing to do with this)")


def _memory(turn: TalkTurn, changes: Changes) -> Iterator[Text]:
    recalled = turn.context.items[:_MOST_RECALLED] if turn.reply and not turn.context.command else ()
    for item in recalled:
        yield _line("recalled", item.text, "dim")
    if not turn.was_kept:
        yield _line("not kept", "as you wished", "yellow")
    for secret in turn.masked:
        yield _line("masked", secret, "yellow")
    for question in turn.context.pending:
        yield _line("in doubt", question.question, "yellow")
    yield from _changed(changes)


def _changed(changes: Changes) -> Iterator[Text]:
    yield from (_line("learned", fact.text, "green") for fact in changes.learned)
    yield from (_line("known", f"{fact.text} (told {fact.repeat_count + 1} times)", "cyan") for fact in changes.repeated)
    for ended in changes.superseded:
        yield _line("superseded", f"{ended.text} → {ended.by}" if ended.by else ended.text, "magenta")
    yield from (_line("forgotten", text, "red") for text in changes.forgotten)


def _line(what: str, text: str, style: str) -> Text:
    return Text.assemble((f"{what}: ", style), one_line(text, _LINE))


def _panel(content: RenderableType, title: str) -> Panel:
    return Panel(content, title=title, title_align="left", border_style="dim")
