"""Writes the Python reference from signatures and docstrings: `docs/python.md`."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from textwrap import dedent
from typing import Any, TypeAlias

import memstream
from docs.tables import codes, doc, grid
from memstream.client import asking, consolidating, exporting, forgetting, memories, telling
from memstream.client.connected import MemoryClient
from memstream.client.exchange import Decision, Receipt
from shared.contracts.errors import OUTCOMES, MemstreamError

_GROUPS = (
    ("Say", "What was said, and what is to be remembered.", telling),
    ("Ask", "What is known.", asking),
    ("Forget, and keep out", "What is to be known no more, or not at all.", forgetting),
    ("Take along", "A person's memories and their history as a whole.", exporting),
    ("Learn", "For whoever learns from conversations with a program of their own, and for what is in doubt.", consolidating),
    ("Tools", "For a model that calls functions.", memories),
)
_LONGEST = 110
_Function: TypeAlias = Callable[..., Any]


def python_page() -> Iterator[str]:
    """The blocks of the page."""
    yield "# Python reference"
    yield (
        "`pip install memstream` has two clients with the same methods: `MemoryClient`, whose methods are awaited, and"
        " `SyncMemoryClient`, whose methods are not, for code without an event loop and for notebooks. Everything is written"
        " here as for `MemoryClient`. [Tools](tools.md) are for models; the fields of answers are in [queries](queries.md)."
    )
    yield "## Connect"
    yield _signature(MemoryClient.__name__, MemoryClient.__init__)
    yield _told(MemoryClient)
    yield '```python\nasync with MemoryClient(space="shop", user="anna") as memory:\n    ...\n```'
    yield from (block for name in ("connect", "for_user", "close") for block in _method(name))
    told = {"connect", "for_user", "close"}
    for title, words, module in _GROUPS:
        names = [name for name in _public() if name not in told and _written_in(name) == module.__name__]
        told.update(names)
        yield from (f"## {title}", words, *(block for name in names for block in _method(name)))
    others = [name for name in _public() if name not in told]
    if others:
        yield from ("## More", *(block for name in others for block in _method(name)))
    yield from _results()


def _public() -> list[str]:
    """The methods, in the order in which each module tells them."""
    found = [name for name, each in inspect.getmembers(MemoryClient, inspect.isroutine) if not name.startswith("_")]
    return sorted(found, key=lambda name: (_written_in(name), inspect.getsourcelines(_function(name))[1]))


def _function(name: str) -> _Function:
    found: _Function = getattr(MemoryClient, name)
    return getattr(found, "__func__", found)


def _written_in(name: str) -> str:
    return str(_function(name).__module__)


def _method(name: str) -> Iterator[str]:
    yield f"### {name}"
    yield _signature(name, _function(name))
    yield _told(_function(name))


def _told(thing: object) -> str:
    """A docstring, whose names of code are set as code already."""
    return inspect.getdoc(thing) or ""


def _signature(name: str, function: _Function) -> str:
    """The signature as it is written, one argument a line where it is long."""
    (node,) = ast.parse(dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)  # noqa: S101
    arguments = _arguments(node.args, vars(sys.modules[function.__module__]))
    returns = f" -> {ast.unparse(node.returns)}" if node.returns and node.name != "__init__" else ""
    call = "await " if isinstance(node, ast.AsyncFunctionDef) and not _yields(node) else ""
    call = "async for … in " if isinstance(node, ast.AsyncFunctionDef) and _yields(node) else call
    line = f"{call}{name}({', '.join(arguments)}){returns}"
    if len(line) > _LONGEST:
        line = f"{call}{name}(\n" + "".join(f"    {each},\n" for each in arguments) + f"){returns}"
    return f"```text\n{line}\n```"


def _yields(node: ast.AST) -> bool:
    return any(isinstance(each, ast.Yield) for each in ast.walk(node))


def _arguments(node: ast.arguments, known: Mapping[str, object]) -> list[str]:
    """Each argument as it is written, without self; `known` are the constants that defaults name."""
    given = [*node.posonlyargs, *node.args]
    defaults = [None] * (len(given) - len(node.defaults)) + [*node.defaults]
    pairs = [pair for pair in zip(given, defaults, strict=True) if pair[0].arg not in {"self", "cls"}]
    told = [_argument(each, value, known) for each, value in pairs]
    if node.kwonlyargs:
        told.append("*")
    told += [_argument(each, value, known) for each, value in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    return [*told, f"**{node.kwarg.arg}"] if node.kwarg else told


def _argument(argument: ast.arg, default: ast.expr | None, known: Mapping[str, object]) -> str:
    kind = f": {ast.unparse(argument.annotation)}" if argument.annotation else ""
    if default is None:
        return f"{argument.arg}{kind}"
    value = known.get(default.id) if isinstance(default, ast.Name) else None
    return f"{argument.arg}{kind} = {value if isinstance(value, int | float) else ast.unparse(default)}"


def _results() -> Iterator[str]:
    yield "## What comes back"
    yield f"`Receipt`: {doc(Receipt)}"
    yield f"`Decision`: {doc(Decision)}"
    yield "Answers to queries have the fields of their table in [queries](queries.md)."
    yield "## Errors"
    yield f"Every error is a `MemstreamError`: {_told(MemstreamError).partition(chr(10))[0]}"
    raised = [error for error in OUTCOMES if error.__name__ in memstream.__all__]
    yield grid(("Raised", "Meaning"), [(f"`{error.__name__}`", doc(error)) for error in raised])
    yield f"The package itself has {codes(sorted(memstream.__all__))}."
