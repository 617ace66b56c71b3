"""The commands of every page run as they are printed there, one page after the other, by a person who runs `memstream up`."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.no_network import has_namespaces
from tests.support.pages import NOT_RUN, ROOT, Block, commands_of, printed_blocks
from tests.support.terminals import ANSWERING, AT_MOST_S, Terminals, own_network

ENVIRONMENT = Path(sys.prefix)
FILES = ("tests/support/imports/conversations.json", "tests/support/imports/turns.csv", "examples")
PAGES = sorted({block.page for block in printed_blocks() if block.language == "sh"} - {"README.md", *NOT_RUN})
pytestmark = [
    pytest.mark.timeout(AT_MOST_S),
    pytest.mark.skipif(not has_namespaces(), reason="the usual ports may be taken: it wants a network of its own"),
]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminals]:
    """Somebody who reads the pages, with the files of which they speak."""
    home = tmp_path_factory.mktemp("home")
    for path in map(ROOT.joinpath, FILES):
        (shutil.copytree if path.is_dir() else shutil.copy)(path, home / path.name)
    with own_network() as network:
        terminals = Terminals(home, network)
        with terminals.stays_running("memstream up", ENVIRONMENT):
            terminals.runs(ANSWERING, ENVIRONMENT)
            yield terminals


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_of_a_page_do_what_it_says(page: str, reader: Terminals) -> None:
    for block in commands_of(page):
        said = reader.runs(_typed(block), ENVIRONMENT)
        assert "urn:memstream:problem" not in said, block.code


def _typed(block: Block) -> str:
    return f"python -c {shlex.quote(block.code)}" if block.language == "python" else block.code
