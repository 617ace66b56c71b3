"""Draws SVG pictures of a few rectangles and lines of text, readable on a light and on a dark page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape

WIDTH = 960
_FONT = "ui-sans-serif, system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif"
_STYLE = f"""
  text {{ font-family: {_FONT}; font-size: 14px; fill: #1f2328; }}
  .title {{ font-weight: 600; }}
  .soft {{ fill: #59636e; font-size: 12.5px; }}
  .said {{ font-style: italic; }}
  .box {{ fill: #f6f8fa; stroke: #d1d9e0; }}
  .ours {{ fill: #0b7a75; }}
  .other {{ fill: #8c959f; }}
  .edge {{ stroke: #8c959f; stroke-width: 1.5; fill: none; }}
  .light {{ fill: #ffffff; }}
  @media (prefers-color-scheme: dark) {{
    text {{ fill: #e6edf3; }}
    .soft {{ fill: #9198a1; }}
    .box {{ fill: #151b23; stroke: #3d444d; }}
    .ours {{ fill: #2a9d8f; }}
    .other {{ fill: #656c76; }}
    .light {{ fill: #ffffff; }}
  }}
"""


def picture(height: int, description: str, parts: Iterable[str]) -> str:
    """A whole picture, WIDTH wide; `description` is for those who cannot see it."""
    body = "\n".join(f"  {part}" for part in parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">\n'
        f"  <title>{escape(description)}</title>\n  <style>{_STYLE}  </style>\n{body}\n</svg>\n"
    )


def words(x: float, y: float, text: str, kind: str = "", *, anchor: str = "start") -> str:
    """A line of text that begins, ends or is centred at x, as `anchor` says."""
    return f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}"{_class(kind)}>{escape(text)}</text>'


def lines(x: float, y: float, texts: Sequence[tuple[str, str]], *, step: float = 18) -> list[str]:
    """Lines of text, one below the other, each with its kind."""
    return [words(x, y + step * number, text, kind) for number, (text, kind) in enumerate(texts)]


def box(x: float, y: float, width: float, height: float, kind: str = "box") -> str:
    """A rectangle with round corners."""
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6"{_class(kind)}/>'


def arrow(x: float, y: float, length: float) -> str:
    """A horizontal arrow to the right."""
    return f'<path d="M{x:g} {y:g}h{length:g}m-6 -4l6 4l-6 4"{_class("edge")}/>'


def _class(kind: str) -> str:
    return f' class="{kind}"' if kind else ""
