"""`memstream import` at a running memstream: samples of every form, bad records, a kill, and what the page says."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
from pathlib import Path

import pytest

from memstream.client import Memories, MemoryClient
from shared.contracts.parts import Kind
from shared.contracts.queries import ConversationState
from shared.runtime.credentials import DEFAULT_BOT, load_credentials
from tests.support.forks import Fork, Printed, printed
from tests.support.installations import Installation, until

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "support" / "imports"
MANY = 3_000


class Importer:
    """Imports into a space of a running memstream, from a folder with the samples."""

    def __init__(self, installation: Installation, space: str, folder: Path) -> None:
        self.space = space
        self.folder = folder
        self._installation = installation
        shutil.copytree(SAMPLES, folder, dirs_exist_ok=True)

    @property
    def environment(self) -> dict[str, str]:
        return {**os.environ, "MEMSTREAM_NATS_URL": self._installation.settings.nats_url or "", "COLUMNS": "200"}

    def arguments(self, file: str, *options: str) -> tuple[str, ...]:
        whose = ("--space", self.space, "--data-dir", str(self._installation.settings.data_dir))
        return ("import", str(self.folder / file), *options, *whose)

    async def run(self, file: str, *options: str) -> Printed:
        return await asyncio.to_thread(printed, "memstream", *self.arguments(file, *options), environment=self.environment)

    def client(self) -> MemoryClient:
        settings = self._installation.settings
        password = load_credentials(settings.files.credentials).bots[DEFAULT_BOT].password
        url = self._installation.server.url
        return MemoryClient(space=self.space, user="me", url=url, name=DEFAULT_BOT, password=password)


@pytest.fixture
def importer(shared_memstream: Installation, space: str, tmp_path: Path) -> Importer:
    return Importer(shared_memstream, space, tmp_path / "samples")


@pytest.mark.parametrize(
    ("file", "user", "kind", "count"),
    [
        ("conversations.json", "me", Kind.EPISODE, 2),
        ("claude.json", "me", Kind.EPISODE, 2),
        ("openai.jsonl", "me", Kind.EPISODE, 3),
        ("mem0.json", "alice", Kind.FACT, 1),
        ("store.json", "bob", Kind.FACT, 1),
        ("checkpoints.json", "cleo", Kind.EPISODE, 2),
    ],
)
async def test_a_file_of_another_program_is_remembered_once(
    importer: Importer, file: str, user: str, kind: Kind, count: int
) -> None:
    first = await importer.run(file, "--json")
    assert first.code == (3 if file == "openai.jsonl" else 0), first.err  # of that file one line is bad
    assert first.document["batches"]["recorded"] == 1
    again = await importer.run(file)
    assert "(all known already)" in again.out
    async with importer.client() as client:
        person = client.for_user(user)
        stats = await person.stats(min_position=first.document["position"])
        assert stats.memories[kind] == count


async def test_what_ended_in_the_past_is_over_and_learned_from(importer: Importer) -> None:
    said = {"role": "user", "session_id": "then", "text": "I play chess on Sundays.", "occurred_at": "2024-05-01T10:00:00Z"}
    told = {"role": "user", "session_id": "now", "text": "It rains."}
    (importer.folder / "one.jsonl").write_text("\n".join(map(json.dumps, (told, said))))
    done = await importer.run("one.jsonl")
    assert done.code == 0, done.err
    async with importer.client() as client:

        async def states() -> dict[str, bool]:
            found = (await client.sessions()).sessions
            return {each.session_id: each.state is ConversationState.OPEN for each in found}

        async def is_over() -> bool:
            return await states() == {"then": False, "now": True}

        await until(is_over, what="the conversation of 2024 is over, and the other is not")


async def test_bad_records_are_named_written_and_with_strict_stop_the_import(importer: Importer) -> None:
    strict = await importer.run("turns.jsonl", "--strict")
    assert strict.code != 0
    assert "nothing was imported: line 2: session_id: Field required; line 3: not JSON" in strict.err
    written = importer.folder / "turns.jsonl.rejected.jsonl"
    assert not written.exists()
    done = await importer.run("turns.jsonl", "--json")
    assert (done.code, done.document["turns"], done.document["rejected_file"]) == (3, 1, str(written))
    assert [json.loads(line)["field"] for line in written.read_text().splitlines()] == ["session_id", None]
    assert written.stat().st_mode & 0o077 == 0


async def test_an_import_that_is_killed_and_run_again_loses_nothing_and_doubles_nothing(importer: Importer) -> None:
    lines = [
        json.dumps({"role": "user", "session_id": f"s{number // 30}", "text": f"turn {number % 7}", "message_id": None})
        for number in range(MANY)
    ]
    (importer.folder / "many.jsonl").write_text("\n".join(lines))
    async with importer.client() as client:
        process = Fork(
            "memstream",
            *importer.arguments("many.jsonl"),
            environment=importer.environment,
            out=importer.folder / "out",
            err=importer.folder / "err",
        )
        await until(lambda: _has_begun(client), what="the first turns are recorded")
        process.kill()
        await process.wait()
        halfway = (await client.stats()).memories[Kind.EPISODE]
        done = await importer.run("many.jsonl", "--json")
        assert done.code == 0, done.err
        stats = await client.stats(min_position=done.document["position"])
        assert (stats.memories[Kind.EPISODE], halfway < MANY) == (MANY, True)


async def _has_begun(memory: Memories) -> bool:
    return (await memory.stats()).memories.get(Kind.EPISODE, 0) > 0


async def test_a_dry_run_says_what_the_page_says_and_sends_nothing(importer: Importer) -> None:
    page = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    [command] = re.findall(r"```sh\n(memstream import .* --dry-run)\n```", page)
    [expected] = re.findall(r"```text\n(csv: .*?)```", page, re.DOTALL)
    said = await importer.run(*command.split()[2:])
    assert (said.code, said.out) == (0, expected)
    async with importer.client() as client:
        assert (await client.stats()).latest_recorded_at is None


async def test_every_form_of_the_page_is_one_of_the_option(importer: Importer) -> None:
    page = (ROOT / "docs" / "importing.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    refused = await importer.run("turns.csv", "--format", "nonsense")
    assert named | {"auto"} == set(re.findall(r"'(\w+)'", refused.err)) - {"nonsense"}
