"""Records `memstream demo` as a picture of its terminal: `make demo-picture` runs it and writes `docs/pictures/demo.svg`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI
from rich.text import Text

PICTURE = Path(__file__).parent / "pictures" / "demo.svg"
_COLUMNS = 118
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'Liberation Mono', monospace"
_FORMAT = f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {{terminal_width}} {{terminal_height}}" role="img">
  <title>memstream demo, recorded</title>
  <style>
    .{{unique_id}}-matrix {{{{ font-family: {_FONT}; font-size: {{char_height}}px; line-height: {{line_height}}px; }}}}
    {{styles}}
  </style>
  <defs>{{lines}}</defs>
  <rect width="{{terminal_width}}" height="{{terminal_height}}" rx="8" fill="#0c0c0c"/>
  <g transform="translate(9, 9)">{{backgrounds}}<g class="{{unique_id}}-matrix">{{matrix}}</g></g>
</svg>
"""
"""As rich's own, without a window around it, and without a font from elsewhere: a picture must not call anybody."""


def recorded() -> str:
    """What `memstream demo` prints now, in colours. Raises CalledProcessError if it fails."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS), "TERM": "xterm-256color"}
        command = [sys.executable, "-m", "memstream", "demo"]
        done = subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True)  # noqa: S603
    return done.stdout


def drawn(output: str) -> str:
    """The output of a command as a picture, below the line that called it."""
    console = Console(record=True, width=_COLUMNS, file=StringIO(), force_terminal=True, legacy_windows=False)
    console.print("[bold]$ memstream demo[/]\n", highlight=False)
    console.print(Text.from_ansi(output.rstrip()), "\n")
    drawing = console.export_svg(theme=MONOKAI, code_format=_FORMAT, unique_id="demo")
    return "\n".join(line.rstrip() for line in drawing.splitlines()) + "\n"


if __name__ == "__main__":
    PICTURE.write_text(drawn(recorded()), encoding="utf-8")
    print(f"docs/pictures/{PICTURE.name}")
