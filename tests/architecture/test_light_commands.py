"""What a call of the command line imports: the modules of its command, and nothing that only the services need."""

import subprocess
import sys

import pytest

HEAVY = {
    "faststream", "numpy", "onnxruntime", "prometheus_client", "services", "sqlalchemy", "sqlite3", "structlog",
    "uvicorn",
}  # fmt: skip
CLIENT = {"memstream.client", "nats", "pydantic_settings", "shared.contracts.commands"}
LOADED = "import atexit, sys; atexit.register(lambda: print('loaded', *sys.modules, file=sys.stderr));"


def imported(code: str) -> set[str]:
    """The modules that a process holds at its end."""
    result = subprocess.run([sys.executable, "-c", LOADED + code], check=False, capture_output=True, text=True)
    *_, loaded = result.stderr.splitlines()
    return set(loaded.split())


def called(*arguments: str) -> set[str]:
    return imported(f"sys.argv[1:] = {list(arguments)!r}; from memstream.__main__ import main; main()")


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["bot", "--help"], ["eval", "--help"], ["nosuch"]])
def test_what_needs_no_command_imports_not_even_the_client(arguments: list[str]) -> None:
    assert called(*arguments).isdisjoint(HEAVY | CLIENT)


@pytest.mark.parametrize(
    "command",
    [
        "ask", "audit", "bot show", "confirm", "context", "correct", "entity", "explain", "export", "forget", "forget-user",
        "import", "incognito start", "init", "list", "pin", "receipt", "remember", "restore", "run", "search", "send",
        "sessions sweep", "show", "status", "summary", "unpin", "up",
    ],
)  # fmt: skip
def test_the_help_of_a_command_imports_nothing_of_the_services(command: str) -> None:
    assert called(*command.split(), "--help").isdisjoint(HEAVY)


def test_a_command_that_talks_to_a_server_imports_nothing_of_the_services() -> None:
    assert called("--data-dir", "/nonexistent", "search", "tea").isdisjoint(HEAVY)


def test_a_bot_imports_nothing_of_the_services_and_of_the_command_line() -> None:
    assert imported("from memstream import MemoryClient").isdisjoint(HEAVY | {"typer", "rich", "memstream.cli"})
