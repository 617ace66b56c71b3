"""What a call of the command line imports: the modules of its command, and nothing that only the services need."""

import json
import subprocess
import sys

HEAVY = {
    "faststream", "numpy", "onnxruntime", "prometheus_client", "pysqlite3", "sqlalchemy", "sqlite3", "structlog",
    "uvicorn",
}  # fmt: skip
CLIENT = {"memstream.client", "nats", "pydantic_settings", "services", "shared.contracts.commands"}
OF_THE_SERVICES = {"cluster", "demo", "doctor", "eval", "log", "quarantine", "rebuild", "rejected", "verify", "whatif"}
"""Commands that the client alone cannot run, and whose own modules need what the services need."""

OF_VECTORS = {"numpy", "onnxruntime"}
OF_TEXTS = {
    "services.consolidator.domain.reading",
    "shared.language.statements.language",
    "shared.language.text.spelling",
    "shared.language.text.voice",
}
OF_MODELS = {"openai", "services.consolidator.llm.extractor", "shared.runtime.chat_models.chat_model"}

ONE_CALL = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(list(sys.modules)), file=sys.stderr))
{}
"""
HELP_OF_ALL = """
from memstream._home import open_home
open_home()
from memstream.cli import app
from memstream.cli.commands import COMMANDS, Group
first = {}
for name, of in COMMANDS.items():
    for call in [[name, each] for each in of.commands] if isinstance(of, Group) else [[name]]:
        if name not in %r:
            app([*call, "--help"], standalone_mode=False)
            first.update({module: call for module in sys.modules if module not in first})
print(json.dumps(first), file=sys.stderr)
sys.stderr.flush()
import os
os._exit(0)
"""


def imported(code: str) -> set[str]:
    """The modules that a process holds at its end."""
    return set(_last_line(ONE_CALL.format(code)))


def called(*arguments: str) -> set[str]:
    return imported(f"sys.argv[1:] = {list(arguments)!r}; from memstream.__main__ import main; main()")


def _last_line(code: str) -> dict[str, list[str]]:
    result = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    found: dict[str, list[str]] = json.loads(result.stderr.splitlines()[-1])
    return found


def test_what_needs_no_command_imports_not_even_the_client() -> None:
    for arguments in (["--version"], ["--help"], ["eval", "--help"], ["nosuch"]):
        assert called(*arguments).isdisjoint(HEAVY | CLIENT), arguments


def test_the_help_of_a_command_imports_nothing_heavy() -> None:
    first = _last_line("import json, sys\n" + HELP_OF_ALL % (OF_THE_SERVICES,))
    assert "memstream.client" in first
    assert {module: call for module, call in first.items() if module in HEAVY} == {}


def test_a_command_that_talks_to_a_server_imports_nothing_heavy() -> None:
    modules = called("--data-dir", "/nonexistent", "search", "tea")
    assert "memstream.client" in modules
    assert modules.isdisjoint(HEAVY | {"services", "aiohttp.client"})


def test_a_module_that_is_loaded_late_is_there_for_whoever_uses_it() -> None:
    code = "from memstream.__main__ import _load_when_used as late; late({0!r}); import {0}; before = {1!r} in sys.modules; "
    uses = ("import {0}; {0}.{2}", "from {0} import {2}", "import {0}.{3}; {0}.{2}")
    for use in uses:
        used = (code + use + "; assert not before").format("aiohttp", "aiohttp.client", "ClientSession", "web")
        assert "aiohttp.client" in imported(used), use


def test_services_start_without_what_only_vectors_texts_and_models_need() -> None:
    modules = imported("import memstream._home as at; at.open_home(); from memstream.cli.launching import import_all as a; a()")
    assert {"services.retriever.app", "shared.domain.arrays", "services.consolidator.domain.rules"} <= modules
    assert modules.isdisjoint(OF_VECTORS | OF_TEXTS | OF_MODELS)


def test_a_bot_imports_nothing_of_the_services_and_of_the_command_line() -> None:
    modules = imported("from memstream import MemoryClient")
    assert "nats" in modules
    assert modules.isdisjoint(HEAVY | {"memstream.cli", "pydantic_settings", "rich", "services", "shared.runtime", "typer"})
