"""What is published: built once, without network, and tried in a bot's project that has `services` and `shared` too."""

import asyncio
import json
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from pathlib import Path

import pytest

from tests.support.environments import environment_with, needed
from tests.support.installations import Installation

ROOT = Path(__file__).parents[2]


def python(*arguments: str, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run this interpreter; `path` comes before the checkout that is installed in it."""
    environment = os.environ | ({"PYTHONPATH": str(path)} if path else {})
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=cwd, env=environment, check=False, capture_output=True, text=True)


def build(*arguments: str, into: Path) -> None:
    command = ["-P", "-m", "build", "--no-isolation", "--outdir", str(into), *arguments, str(ROOT)]
    result = python(*command, cwd=into)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sdist, and the wheel that `build` makes from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    build(into=folder)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (found,) = dist.glob("*.whl")
    return found


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what pip would put into site-packages."""
    folder = tmp_path_factory.mktemp("site")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A bot's project with packages of the same names as ours."""
    for name in ("services", "shared"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("OWNER = 'bot'\n")
    return tmp_path


def test_a_wheel_has_nothing_but_memstream_at_its_top(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    version = wheel.name.split("-")[1]
    assert {name.partition("/")[0] for name in names} == {"memstream", f"memstream-{version}.dist-info"}


def test_the_page_on_an_index_has_no_link_that_leads_nowhere(wheel: Path) -> None:
    archive = zipfile.ZipFile(wheel)
    (metadata,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    head, _, page = archive.read(metadata).decode().partition("\n\n")
    assert "Description-Content-Type: text/markdown" in head
    assert "pip install memstream" in page
    assert [link for link in re.findall(r"\]\(([^)]*)\)", page) if not link.startswith("https://")] == []
    assert "The life of a memory" in page


def test_a_wheel_carries_the_services_and_what_they_share(wheel: Path) -> None:
    packed = {name.removeprefix("memstream/_bundle/") for name in zipfile.ZipFile(wheel).namelist()}
    ours = {
        str(path.relative_to(ROOT))
        for folder in ("services", "shared")
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {"services/__init__.py", "shared/__init__.py"} <= ours <= packed


def test_the_sdist_builds_the_same_wheel_as_the_checkout(wheel: Path, tmp_path: Path) -> None:
    build("--wheel", into=tmp_path)
    assert (tmp_path / wheel.name).read_bytes() == wheel.read_bytes()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="only a git checkout knows what belongs to it")
def test_the_sdist_holds_what_git_holds(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        packed = {name.partition("/")[2] for name in archive.getnames()}
    listed = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    assert packed - {"PKG-INFO"} == {name for name in listed.split("\0") if (ROOT / name).is_file()}


def test_a_bot_keeps_its_own_services_and_shared(site: Path, bot: Path) -> None:
    code = """
import sys
before = list(sys.path)
from memstream import MemoryClient
import services, shared
assert MemoryClient.__module__.startswith('memstream.client.')
assert services.OWNER == shared.OWNER == 'bot'
assert sys.path == before
assert 'memstream._bundle.shared.contracts' in sys.modules
"""
    result = python("-c", code, cwd=bot, path=site)
    assert result.returncode == 0, result.stderr


def test_in_our_own_process_client_and_services_share_one_copy_of_the_contracts(site: Path, bot: Path) -> None:
    code = """
import sys
from memstream._home import open_home
open_home()
import memstream.client, services, shared.contracts
assert '_bundle' in services.__file__ and '_bundle' in shared.contracts.__file__
assert not [name for name in sys.modules if name.startswith('memstream._bundle')]
"""
    result = python("-c", code, cwd=bot, path=site)
    assert result.returncode == 0, result.stderr


def test_the_command_runs_our_services_wherever_it_is_called(site: Path, bot: Path) -> None:
    result = python("-m", "memstream", "--help", cwd=bot, path=site)
    assert result.returncode == 0, result.stderr


@pytest.fixture(scope="module")
def client_alone(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command `memstream` as `pip install memstream` leaves it: without the extra `server`."""
    home = tmp_path_factory.mktemp("client") / "venv"
    packages = environment_with(needed("memstream"), home)
    for top in site.iterdir():
        (packages / top.name).symlink_to(top)
    command = home / "bin" / "memstream"
    command.write_text(f"#!{home}/bin/python\nfrom memstream.__main__ import main\nmain()\n")
    command.chmod(0o700)
    return command


async def called(command: Path, person: Installation, *arguments: str) -> str:
    """What a command prints that does what it is told."""
    environment = os.environ | {"MEMSTREAM_DATA_DIR": str(person.settings.data_dir), "COLUMNS": "200"}
    environment |= {"MEMSTREAM_NATS_URL": person.settings.nats_url or ""}
    process = await asyncio.create_subprocess_exec(str(command), *arguments, env=environment, stdout=-1, stderr=-1)
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    return out.decode()


@pytest.mark.asyncio(loop_scope="module")
async def test_the_client_alone_runs_what_needs_only_the_client(
    client_alone: Path, shared_memstream: Installation, tmp_path: Path
) -> None:
    async def run(*arguments: str) -> str:
        return await called(client_alone, shared_memstream, *arguments)

    assert await run("--version") == f"{distribution('memstream').version}\n"
    assert "search" in await run("--help")
    assert "password" in await run("bot", "show")
    turn = json.dumps({"session_id": "s1", "text": "I like green tea.", "message_id": "m1"})
    assert (await run("send", "user_message", turn)).startswith("recorded")
    assert "remembered as fact_" in await run("remember", "Anna lives in Oslo")
    assert "green tea" in await run("search", "tea")
    assert "green tea" in await run("context", "tea")
    assert "Oslo" in await run("list", "--kind", "fact")
    export = str(tmp_path / "me.jsonl")
    assert "in" in await run("export", "--out", export)
    assert "equals the export" in await run("import", "--format", "export", export)
    assert "(default)" in await run("settings", "show")
    assert "1 memory forgotten" in await run("forget", "--query", "green tea", "--yes", "--no-wait")


@pytest.mark.parametrize("command", ["up", "init", "run ingest", "rebuild --all", "verify", "doctor", "log"])
def test_without_the_server_extra_a_command_that_needs_it_says_so_in_one_line(
    client_alone: Path, tmp_path: Path, command: str
) -> None:
    environment = os.environ | {"MEMSTREAM_DATA_DIR": str(tmp_path)}
    result = subprocess.run([client_alone, *command.split()], env=environment, check=False, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("error: memstream[server] is needed for this command: pip install 'memstream[server]'")
    assert result.stderr.count("\n") == 1


def test_without_the_mcp_extra_its_command_says_so_in_one_line(client_alone: Path) -> None:
    result = subprocess.run([client_alone, "mcp"], check=False, capture_output=True, text=True)
    assert result.returncode == 2
    assert result.stderr.startswith("error: memstream[mcp] is needed for this command: pip install 'memstream[mcp]'")
    assert result.stderr.count("\n") == 1
