"""The code in pages of the documentation."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path
from types import ModuleType

from tests.support.installations import PATIENCE_S

ROOT = Path(__file__).parents[2]


def blocks(page: str, language: str) -> list[str]:
    """Every block of code in this language."""
    found = re.findall(rf"^```{language}\n(.*?)^```", (ROOT / page).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert found, page
    return [str(block) for block in found]


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
