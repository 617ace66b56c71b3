"""The example in JavaScript, run as its README says, against a whole installation."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

import pytest

from shared.contracts.ids import Space, User
from shared.contracts.subjects import ask_subject
from tests.acceptance.processes import Installation

_EXAMPLE = Path(__file__).parents[2] / "examples" / "javascript"
_RUN = 'eval "$("$PYTHON" -m memstream --data-dir "$DATA" bot show --env)" && exec node bot.js "$@"'

needs_node = [
    pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node.js here"),
    pytest.mark.skipif(not (_EXAMPLE / "node_modules").exists(), reason="npm's packages are not there: run `make examples`"),
]
pytestmark = needs_node


async def _run_bot(installation: Installation, *arguments: str) -> str:
    environment = {**os.environ, "PYTHON": sys.executable, "DATA": str(installation.files.root)}
    bot = await asyncio.create_subprocess_exec(
        "sh", "-c", _RUN, "sh", *arguments, cwd=_EXAMPLE, env=environment, stdout=-1, stderr=-1
    )
    async with asyncio.timeout(60):
        said, problems = await bot.communicate()
    assert bot.returncode == 0, problems.decode()
    return said.decode()


@pytest.mark.parametrize("user", ["anna@example.com", "José Ñ"])
async def test_the_bot_is_remembered_and_what_it_sent_twice_is_recorded_once(installation: Installation, user: str) -> None:
    space = "my shop"
    outcomes, _, block = (await _run_bot(installation, space, user)).partition("## Relevant memory\n")
    assert [line.split()[1] for line in outcomes.splitlines()] == ["recorded,", "unchanged,", "recorded,"]
    assert block.count("I am allergic to shrimp.") == 1
    assert "Noted" not in block  # what a bot only says back is kept, and is no line of a context
    async with installation.bot() as bot:
        memories = await bot.ask(ask_subject(Space(space), User(user), "list"), {})
    assert sorted(item["text"] for item in memories["items"]) == ["I am allergic to shrimp.", "Noted: no shrimp for you."]


async def test_two_runs_for_two_people_know_nothing_of_each_other(installation: Installation) -> None:
    first = await _run_bot(installation, "shop", "a.b")
    second = await _run_bot(installation, "shop", "a%2Eb")
    assert first.count("allergic") == second.count("allergic") == 1
