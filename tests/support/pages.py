"""The code in pages of the documentation."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests.support.installations import PATIENCE_S

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """Every block of code in this language."""
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found, page
    return [str(block) for block in found]


class Block(NamedTuple):
    """A block of code as a page prints it."""

    page: str
    language: str
    code: str

    @property
    def first_line(self) -> str:
        """The line by which it is named."""
        return self.code.partition("\n")[0]


def printed_blocks() -> list[Block]:
    """Every block of the pages for users, in their order."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    return [
        Block(str(page.relative_to(ROOT)), language, code)
        for page in sorted(pages)
        for language, code in re.findall(r"^```(\S*)\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    ]


NOT_RUN = {
    "CONTRIBUTING.md": "each takes minutes; that the targets exist is tested, and the pipeline runs them",
    "docs/cluster.md": "three machines; tests/acceptance/test_cluster.py has three servers on one",
    "docs/deploy.md": "docker, systemd and root; tests/unit/test_deploy.py reads what they are given",
    "docs/evaluation.md": "LoCoMo is not shipped; tests/evals runs these commands on a sample",
    "docs/mcp.md": "installs, runs for ever, and a client of others; the page's program is run",
    "docs/chat.md": "a dialogue, which tests/integration/test_chat.py holds",
    "docs/models.md": "runs for ever, and needs a model's server",
}
"""The pages whose commands are not run as printed, and why. That each names commands and options that exist is tested."""

NOT_RUN_ALONE = {
    "pip install 'memstream[server]'": "as in README.md, which tests/acceptance/test_newcomer.py runs",
    "make demo  # see it work, in one minute, without keys or network": "the demo and the tests have tests of their own",
    'make bench NAME=promises ARGS="--peers --conversations locomo.json"': "installs other memories, and takes an hour",
    "memstream rebuild --all": "stops everything first, as README.md's, which tests/acceptance/test_newcomer.py runs",
    "memstream sessions relearn s1 s2 --space home --user anna --dry-run": "tests/acceptance/test_relearning.py has sessions",
    "cd examples/javascript": "needs npm's registry; tests/acceptance/test_javascript.py runs the bot",
    ".venv/bin/memstream reader create --space shop": "runs for ever; tests/acceptance/test_followers.py runs it",
    "cd examples/followers": "runs for ever; tests/acceptance/test_followers.py runs it",
}
"""Single blocks that are not run as printed, by their first line, and why."""


def commands_of(page: str) -> list[Block]:
    """What a reader types who follows a page: its commands, and the programs between them in the quick start."""
    languages = {"sh", "python"} if page == "docs/quickstart.md" else {"sh"}
    printed = [block for block in printed_blocks() if block.page == page and block.language in languages]
    return [block for block in printed if block.first_line not in NOT_RUN_ALONE]


def module_of(page: str) -> ModuleType:
    """The first block of Python as a module of its own."""
    module = ModuleType(f"recipe_{Path(page).stem}")
    sys.modules[module.__name__] = module  # annotations are looked up there
    exec(compile(blocks(page, "python")[0], page, "exec"), module.__dict__)
    return module


async def run_python(code: str, folder: Path, data: Path) -> str:
    """What a program prints that finds its memstream in `data`; it must end well, and warn of nothing."""
    path = os.pathsep.join((str(ROOT), str(ROOT / "sdk")))
    environment = {**os.environ, "MEMSTREAM_DATA_DIR": str(data), "PYTHONPATH": path}
    program = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "error", "-c", code, cwd=folder, env=environment, stdout=-1, stderr=-1
    )
    said, problems = await asyncio.wait_for(program.communicate(), PATIENCE_S)
    assert program.returncode == 0, problems.decode()
    return said.decode()
