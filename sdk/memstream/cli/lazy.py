"""Commands that are imported when they run; a list of them shows the docstrings that stand in their sources."""

from __future__ import annotations

import ast
import gc
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from memstream.cli.commands import COMMANDS, Group


class LazyCommand(TyperCommand):
    """Stands for a command until it runs."""

    def __init__(self, name: str, place: str) -> None:
        super().__init__(name)
        self._module, _, self._function = place.partition(":")

    def described(self) -> LazyCommand:
        """This command with its help, read from its source without importing it."""
        self.help = next(
            ast.get_docstring(node)
            for node in _source(self._module).body
            if isinstance(node, ast.FunctionDef) and node.name == self._function
        )
        return self

    def loaded(self) -> TyperCommand:
        """The command itself, with its options."""
        app = typer.Typer(add_completion=False)
        app.command(self.name)(getattr(import_module(f"memstream.cli.{self._module}"), self._function))
        return cast("TyperCommand", get_command(app))


class LazyGroup(TyperGroup):
    """A group of lazy commands."""

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 - typer keeps these types private
        """The command as a list shows it."""
        command = super().get_command(ctx, cmd_name)
        return command.described() if isinstance(command, LazyCommand) else command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - typer keeps these types private
        """The command that these arguments call, ready to run or to complete."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.loaded() if isinstance(command, LazyCommand) else command, rest


def all_commands() -> dict[str, TyperCommand | TyperGroup]:
    """Every command and group of the command line, by its name."""
    return {name: _group(name, of) if isinstance(of, Group) else LazyCommand(name, of) for name, of in COMMANDS.items()}


def _group(name: str, group: Group) -> LazyGroup:
    commands = [LazyCommand(each, place) for each, place in group.commands.items()]
    return LazyGroup(name=name, help=group.help, commands=commands, no_args_is_help=True)


@cache
def _source(module: str) -> ast.Module:
    """The parsed source of a module of commands, without the collector: what it ends may parse as well, for a traceback.

    Before CPython 3.11.8 that fails: https://github.com/python/cpython/issues/106905.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return ast.parse(Path(__file__).with_name(f"{module}.py").read_bytes())
    finally:
        if collects:
            gc.enable()
