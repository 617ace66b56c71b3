"""What is published: built once, without network, and tried in a bot's project that has `services` and `shared` too."""

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

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
assert MemoryClient.__module__ == 'memstream.client'
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


def test_without_the_server_extra_the_command_says_so_in_one_line(site: Path, bot: Path) -> None:
    code = "import sys; sys.modules['structlog'] = None; sys.argv[1:] = ['up']; from memstream.__main__ import main; main()"
    result = python("-c", code, cwd=bot, path=site)
    assert result.returncode == 2
    assert result.stderr.startswith("error: memstream[server] is needed for this command: pip install 'memstream[server]'")
    assert result.stderr.count("\n") == 1
