"""What the documentation says is so: generated pages are fresh, and whatever a page names exists."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from docs import build_site, generate
from docs.build_site import dead_links
from docs.life import STAGES
from docs.recording import drawn
from memstream.cli import app
from services.consolidator.domain.rules import facts
from shared.contracts.queries import QUERIES
from shared.language.commands.command import SURE
from shared.language.commands.reading import read_chat_command
from shared.runtime.metrics import REGISTRY
from tests.support.annotated_talks import said_turns
from tests.support.commands import remember
from tests.support.paper import PaperLog

ROOT = Path(__file__).parents[2]
PAGES = {
    path: path.read_text("utf-8")
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])
}
ROOMS = ("bench", "docs", "examples", "sdk", "services", "shared", "tests")
SOURCES = [path.as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.*")]
OF_AN_INSTALLATION = {"keys.toml", "tokens.toml", "credentials.toml", "ranking.toml", "bot.py"}


def test_generated_pages_are_what_the_code_says() -> None:
    assert generate.stale() == [], "run `make docs`"


def test_a_stale_page_fails_the_check(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generate, "PAGES", {"events.md": lambda: "another page", "queries.md": generate.PAGES["queries.md"]})
    with pytest.raises(SystemExit, match=r"^stale: events\.md; run `make docs`$"):
        generate.main(["--check"])


def test_the_sentences_of_the_privacy_page_are_read_as_it_says() -> None:
    rows = re.findall(r"^\| ([A-Z][^|]+[.?]) \| `(\w+)` \|$", (ROOT / "docs/privacy.md").read_text("utf-8"), re.MULTILINE)
    assert len(rows) == 14
    for sentence, name in rows:
        read = read_chat_command(sentence)
        assert read is not None, sentence
        assert (read.name, read.confidence >= SURE) == (name, True), sentence


LEARNING = (ROOT / "docs/learning.md").read_text("utf-8").partition("\n## What a fact is\n")[2]


def _rows(heading: str) -> list[tuple[str, ...]]:
    """The rows of the table that begins with this line."""
    lines = LEARNING.partition(f"\n{heading}\n")[2].partition("\n\n")[0].splitlines()[1:]
    assert lines, f"the page has no table {heading}"
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]


@pytest.mark.parametrize(("said", "fact"), _rows("| The user says | The fact |"))
def test_the_page_on_learning_says_what_a_statement_teaches(said: str, fact: str) -> None:
    assert [each.text for each in facts(said_turns(f"user: {said}"))] == [fact]


@pytest.mark.parametrize(("before", "said", "fact"), _rows("| Said before | The user says | The fact |"))
def test_the_page_on_learning_says_what_several_turns_teach(before: str, said: str, fact: str) -> None:
    between = "bot: Noted.\n" if before.startswith("user") else ""
    told = said_turns(f"user: hi\n{before}\n{between}user: {said}")
    assert [each.text for each in facts(told)] == ([fact] if fact else [])


@pytest.mark.parametrize(("before", "said", "holds"), _rows("| Known before | The user says | What holds |"))
def test_the_page_on_learning_says_what_a_statement_ends(before: str, said: str, holds: str) -> None:
    assert _outdates(before, said) is (holds != "both")


@pytest.mark.parametrize("said", [said for (said,) in _rows("| The user says |")])
def test_the_page_on_learning_says_what_is_no_fact(said: str) -> None:
    assert facts(said_turns(f"user: {said}")) == []


def _outdates(before: str, said: str) -> bool:
    """True if what is learned of a statement ends a known fact, or a part of it."""
    log = PaperLog()
    log.tell(remember(before))
    [fact] = facts(said_turns(f"user: {said}"))
    return not {event.type for event in log.tell(remember(fact.text))}.isdisjoint({"fact_superseded", "fact_outdated"})


def test_every_link_between_pages_leads_somewhere() -> None:
    assert [f"{page.relative_to(ROOT)}: {link}" for page, text in PAGES.items() for link in _dead(page, text)] == []


def test_the_picture_of_a_memorys_life_is_true() -> None:
    said, learned, *_ = (" ".join(text for text, _ in stage.texts) for stage in STAGES)
    outdating, forgetting = (" ".join(text for text, kind in STAGES[n].texts if kind == "said").strip("“”") for n in (3, 4))
    assert "I'm allergic to shrimp." in said
    assert [fact.text for fact in facts(said_turns("user: I'm allergic to shrimp."))] == ["The user is allergic to shrimp."]
    assert "Anna is allergic to shrimp." in learned
    assert _outdates("The user is allergic to shrimp.", outdating)
    read = read_chat_command(forgetting)
    assert read is not None
    assert (read.name, read.topic) == ("forget_about", "shrimp")


def test_the_recording_shows_the_demo_to_its_end_and_calls_nobody() -> None:
    drawing = (ROOT / "docs/pictures/demo.svg").read_text("utf-8")
    assert drawn("● rebuilt, equal").startswith("<svg ")
    assert "equal" in drawing
    assert re.findall(r"https?://(?!www\.w3\.org)", drawing) == []


def test_a_site_has_no_dead_links_where_each_leads_somewhere(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a><a href="b.html#there">b</a><a href="c.html">c</a>', "utf-8")
    (tmp_path / "b.html").write_text('<h1 id="here">b</h1><a href="https://example.com">far</a>', "utf-8")
    assert dead_links(tmp_path) == ["a.html: b.html#there", "a.html: c.html"]


def test_the_site_is_built_and_every_link_of_it_leads_somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("zensical.toml", "CHANGELOG.md", "CONTRIBUTING.md"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    for name, path in (("ROOT", tmp_path), ("SITE", tmp_path / "build/site"), ("PAGES", tmp_path / "build/docs")):
        monkeypatch.setattr(build_site, name, path)
    assert list(build_site.problems()) == []
    assert (tmp_path / "build/site/index.html").exists()


def test_no_page_bears_the_place_where_it_was_written() -> None:
    place = re.compile(r"(?<![\w.~])/(?:work|tmp|home|root|Users)/")
    assert [str(page.relative_to(ROOT)) for page, text in PAGES.items() if place.search(text)] == []


def test_json_in_pages_is_json() -> None:
    json_block = re.compile(r"^```json\n(.*?)^```", re.DOTALL | re.MULTILINE)
    assert [
        (str(page.relative_to(ROOT)), block[:40])
        for page, text in PAGES.items()
        for block in json_block.findall(text)
        if not _is_json(block)
    ] == []


def test_the_lines_that_add_memstream_to_a_client_start_what_there_is() -> None:
    page = (ROOT / "docs/mcp.md").read_text("utf-8")
    documents = [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```", page, re.DOTALL | re.MULTILINE)]
    servers = [server for document in documents for named in document.values() for server in named.values()]
    servers += [json.loads(given) for given in re.findall(r"--add-mcp '([^']+)'", page)]
    calls = [[server["command"], *server["args"]] for server in servers]
    calls += [words.split() for words in re.findall(r"\| `(?:claude|codex|gemini) mcp add memstream (?:-- )?([^`]+)`", page)]
    assert len(calls) == 6
    root = get_command(app)
    for program, *arguments in calls:
        assert program == "memstream"
        _, command, rest = root.resolve_command(typer.Context(root), arguments)  # type: ignore[attr-defined] # it is a group
        command.make_context("mcp", rest)


def test_every_make_target_that_pages_name_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = {
        (page.name, name) for page, text in PAGES.items() for name in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE)
    }
    assert {(page, name) for page, name in named if name not in targets} == set()


def test_every_command_that_pages_name_exists() -> None:
    root = get_command(app)
    every = "\n".join(PAGES.values())
    for words in sorted(set(re.findall(r"`(?:\.venv/bin/)?memstream ([a-z][a-z -]*)", every))):
        name, _, rest = words.partition(" ")
        command = root.get_command(typer.Context(root), name)  # type: ignore[attr-defined] # it is a group
        assert command, name
        if subcommands := getattr(command, "commands", None):
            assert rest.split(" ")[0] in subcommands, words


def test_every_test_that_pages_name_exists() -> None:
    for path, name in sorted(set(re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", "\n".join(PAGES.values())))):
        assert (ROOT / path).exists(), path
        assert f"def {name}(" in (ROOT / path).read_text("utf-8") if name else True, f"{path}::{name}"


def test_every_source_file_that_pages_name_exists() -> None:
    ends = {end for path in SOURCES for end in _ends(path)}
    for name in sorted(set(re.findall(r"`((?:\w+/)*\w+\.(?:py|toml))`", "\n".join(PAGES.values())))):
        assert name in OF_AN_INSTALLATION or (ROOT / name).exists() or name in ends, name


def test_the_operator_is_told_of_every_metric_that_calls_for_an_alarm() -> None:
    page = (ROOT / "docs/operations.md").read_text("utf-8")
    samples = {metric.name: metric.documentation for metric in REGISTRY.collect()}
    told = {name.removesuffix("_total") for name in re.findall(r"`(memstream_\w+)", page)} - {"memstream_"}
    assert told <= samples.keys()
    assert {name for name, documentation in samples.items() if "alarm" in documentation} <= told


def test_the_folders_of_the_architecture_exist() -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    tree = page.partition("## Folders")[2].split("```")[1]
    named = re.findall(r"(?:^| )([a-z]+(?:/[a-z]+)*)/", tree, re.MULTILINE)
    assert "services" in named
    rooms = (ROOT, ROOT / "services", ROOT / "shared", ROOT / "services/ingest")
    assert [name for name in named if not any((room / name).is_dir() for room in rooms)] == []


def test_the_architecture_names_every_query() -> None:
    table = re.search(
        r"^\| Request and reply.*?\n\n", (ROOT / "docs/architecture.md").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert table
    assert set(QUERIES) <= set(re.findall(r"`(?:ask\.<space>\.<user>\.)?(\w+)`", table[0]))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def _ends(path: str) -> Iterator[str]:
    """`c`, `b/c` ... of `/a/b/c`."""
    parts = path.split("/")
    yield from ("/".join(parts[-count:]) for count in range(1, len(parts)))


def _dead(page: Path, text: str) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)", text):
        linked = (page.parent / target) if target else page
        if not linked.exists() or (anchor and anchor not in _anchors(linked.resolve())):
            yield f"{target}#{anchor}"


@cache
def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
