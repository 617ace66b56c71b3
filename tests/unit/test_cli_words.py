"""What the command line says to people."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from rich.console import Console

from memstream.cli import app
from memstream.cli.browsing import _rows
from memstream.cli.copyable import copyable
from memstream.cli.forgetting import print_counts, print_receipt, print_words
from memstream.cli.importing import _print as _print_import
from memstream.cli.searching import print_items
from memstream.cli.sending import ImportReport
from memstream.cli.session import CliSession, answer_console
from memstream.cli.settings import _defaults
from memstream.cli.settings import _print as _print_settings
from memstream.cli.status import _forgetting
from memstream.cli.text import counted, memories
from memstream.client.exchange import Exchange, _validated
from memstream.tool_answers import of_memory
from shared.contracts.errors import Malformed, NotFound, TooLarge
from shared.contracts.parts import Kind, Score
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Scan
from shared.contracts.queries import (
    Asked,
    ContextQuery,
    ForgetPreviewAnswer,
    ForgetPreviewQuery,
    MemoryDetail,
    ReceiptAnswer,
    ScoredMemory,
    SearchQuery,
    ShowQuery,
    WouldForget,
)
from shared.runtime.settings import RuntimeSettings
from tests.support.scopes import T0

WORDS = "my [/]bracket and a [red]colour[/nope]"


class OneMemory:
    """Knows one memory, under any id."""

    async def show(self, memory_id: str) -> object:
        said = SimpleNamespace(memory_id=memory_id, occurred_at=datetime(2026, 1, 1, tzinfo=UTC), text=WORDS)
        return SimpleNamespace(memory=said)


RECEIPT = ReceiptAnswer(state="waiting", scope="s", forgotten_at=T0, memories=2, events=3, erased=0)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (RECEIPT.model_copy(update={"erase_at": T0}), "`memstream take-back` brings it back"),
        (RECEIPT.model_copy(update={"state": "taken_back", "completed_at": T0}), "it is known again"),
    ],
)
def test_a_receipt_says_what_waits_and_what_was_taken_back(found: ReceiptAnswer, said: str) -> None:
    console = Console(file=(shown := io.StringIO()), width=200)
    print_receipt(console, found)
    assert said in shown.getvalue()


async def test_what_would_be_forgotten_is_shown_as_it_was_said() -> None:
    page = io.StringIO()
    plan = SimpleNamespace(memories=[SimpleNamespace(memory_id="fact_1", why="named", in_doubt=False)])
    await print_words(cast("Any", OneMemory()), Console(file=page, width=20), cast("Any", plan))
    assert WORDS in page.getvalue()


class HiddenMemory:
    """Answers as for a memory that was forgotten in chat, and waits to be erased."""

    async def show(self, _: str) -> SimpleNamespace:
        raise NotFound


async def test_what_is_hidden_already_is_listed_without_words() -> None:
    page = io.StringIO()
    plan = SimpleNamespace(memories=[SimpleNamespace(memory_id="fact_1", why="named", in_doubt=False)])
    await print_words(cast("Any", HiddenMemory()), Console(file=page, width=200), cast("Any", plan))
    assert "hidden already" in page.getvalue()


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


@pytest.mark.parametrize(
    ("model", "fields"),
    [(ContextQuery, {"query": "x" * 16_385}), (SearchQuery, {"query": "x" * 16_385}), (ShowQuery, {"memory_id": "x" * 257})],
)
def test_what_is_too_long_is_told_by_the_client_as_by_the_service(model: type[Asked], fields: dict[str, str]) -> None:
    with pytest.raises(TooLarge, match=r"at most .* characters; shorten it") as raised:
        _validated(model, fields)
    assert raised.value.code == "too_large"
    assert "xx" not in raised.value.message


def test_what_is_short_enough_and_wrong_is_no_matter_of_length() -> None:
    with pytest.raises(Malformed, match="limit") as raised:
        _validated(SearchQuery, {"query": "tea", "limit": 0})
    assert not isinstance(raised.value, TooLarge)


async def test_an_empty_message_id_is_refused_and_not_replaced() -> None:
    with pytest.raises(Malformed, match="message_id"):
        await Exchange(cast("Any", None), space="shop", user="anna").send("pin", {"memory_id": "fact_1", "message_id": ""})


def test_one_is_no_plural() -> None:
    assert [memories(1), memories(2), counted(0, "event"), counted(1, "event")] == [
        "1 memory",
        "2 memories",
        "0 events",
        "1 event",
    ]


def said(print_it: Callable[[Console], None]) -> str:
    page = io.StringIO()
    print_it(Console(file=page, width=200))
    return page.getvalue()


def test_a_plan_and_a_receipt_of_one_thing_say_one() -> None:
    plan = ForgetPreviewAnswer(
        position=1,
        memories=(WouldForget(memory_id="fact_1", kind=Kind.FACT, why="named"),),
        events=1,
        losing_a_source=("fact_2",),
    )
    assert said(lambda console: print_counts(console, plan)).endswith(
        "1 memory, 1 event of the log; 1 fact stays with one source less\n"
    )
    receipt = ReceiptAnswer(
        state="done", scope="s", forgotten_at=T0, completed_at=T0, memories=1, events=1, erased=1,
        scan=Scan(events=1, found=0, in_transit=1, rejected=0),
    )  # fmt: skip
    words = said(lambda console: print_receipt(console, receipt))
    assert "1 memory forgotten" in words
    assert "1 of 1 event erased" in words
    assert "1 message in transit" in words
    assert "looked for" not in words


@pytest.mark.parametrize(("places", "held"), [((), "none found"), (("ingest/ingest.db",), "still found in ingest/ingest.db")])
def test_a_receipt_says_which_files_it_has_looked_through(places: tuple[str, ...], held: str) -> None:
    scan = Scan(events=1, found=0, in_transit=0, rejected=0, files=9, sought=1, places=places, unread=("other files",))
    receipt = ReceiptAnswer(
        state="done", scope="s", forgotten_at=T0, completed_at=T0, memories=1, events=1, erased=1, scan=scan
    )
    words = said(lambda console: print_receipt(console, receipt))
    assert f"1 name, id or text looked for in 9 files: {held}" in words
    assert "not looked at: other files" in words


@pytest.mark.parametrize(
    ("pinned", "rate", "words"),
    [
        (True, 0.1, "1.000, does not decay while it is pinned"),
        (False, 0.1, "1.000, decays by 0.1 a day"),
        (False, 0.0, "1.000, does not decay"),
    ],
)
def test_only_what_decays_is_said_to_decay(pinned: bool, rate: float, words: str) -> None:  # noqa: FBT001
    memory = MemoryDetail(
        memory_id="fact_1", kind=Kind.FACT, text="tea", number=1, occurred_at=T0, recorded_at=T0, pinned=pinned, decay_rate=rate
    )
    assert dict(_rows(memory))["confidence"] == words


def test_an_import_of_nothing_names_no_position() -> None:
    assert said(lambda console: _print_import(console, ImportReport(), [])) == "the file holds no turns\n"


def test_a_memory_that_is_found_shows_an_id_that_can_be_typed() -> None:
    score = Score(total=1, relevance=1, recency=1, importance=1)
    memory = ScoredMemory(
        memory_id=f"fact_{'0123456789abcdef' * 2}"[:29],
        kind=Kind.FACT,
        text="tea",
        number=1,
        occurred_at=T0,
        recorded_at=T0,
        score=score,
    )
    assert "fact_01234567  2026" in said(lambda console: print_items(console, [memory]))
    assert "fact_" not in said(lambda console: print_items(console, [memory], ids=False))
    shared = memory.model_copy(update={"origin": "home"})
    assert "from home, fact: tea" in said(lambda console: print_items(console, [shared]))
    assert of_memory(shared)["shared_by_space"] == "home"
    assert "shared_by_space" not in of_memory(memory)


@pytest.mark.parametrize(("folder", "options"), [(None, ""), ("/data/my memory", " --data-dir '/data/my memory'")])
def test_a_command_to_copy_names_the_program_and_the_folder(
    folder: str | None, options: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", [".venv/bin/memstream", "up"])
    monkeypatch.delenv("MEMSTREAM_DATA_DIR", raising=False)
    data_dir = Path(folder) if folder else RuntimeSettings().data_dir
    assert copyable("start it with `memstream up`", data_dir) == f"start it with `.venv/bin/memstream up{options}`"


def test_an_error_says_what_to_call_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["some/bin/memstream", "list", "--data-dir", str(tmp_path)])
    with pytest.raises(SystemExit):
        app()
    assert f"`some/bin/memstream init --data-dir {tmp_path}`" in capsys.readouterr().err


@pytest.mark.parametrize("named", [[], ["fact_1234", "--query", "tea"]])
def test_what_is_to_be_forgotten_must_be_named_in_one_way(
    named: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["memstream", "forget", *named, "--data-dir", str(tmp_path)])
    with pytest.raises(SystemExit) as left:
        app()
    assert left.value.code == 2
    assert "name memories, or give one of --query, --message and --session" in capsys.readouterr().err


def test_the_value_of_what_is_not_set_is_shown(tmp_path: Path) -> None:
    (tmp_path / "ranking.toml").write_text("[ranking]\nbeta = 0.3\n")
    usual = _defaults(CliSession(RuntimeSettings(data_dir=tmp_path), space="shop"))
    page = said(lambda console: _print_settings(console, PersonSettings(soft_cap=7), usual))
    lines = {line.split()[0]: line for line in page.splitlines()}
    assert "0.3 (default)" in lines["ranking.beta"]
    assert "30 (default)" in lines["idle_minutes"]
    assert "default" not in lines["soft_cap"]
    assert "true (default)" in lines["memory_enabled"]


def test_a_problem_of_the_whole_query_needs_no_place() -> None:
    with pytest.raises(Malformed, match="does not fit: name exactly one"):
        _validated(ForgetPreviewQuery, {})


def test_status_says_of_how_many_people_something_is_still_being_erased() -> None:
    assert _forgetting({"erasing": 1}) == "what 1 person had forgotten is being erased"
    assert _forgetting({"erasing": 0, "waiting": 1}) == "what 1 person had forgotten in chat can be taken back still"
    assert _forgetting({"erasing": 2}) == "what 2 people had forgotten is being erased"
