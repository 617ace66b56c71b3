"""Plots as SVG, drawn on the server. Colours are classes of the page's style sheet; nothing is loaded, nothing runs."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

Curve = Sequence[float | None]
"""Values over time, the newest last; None: nothing is known."""
Say = Callable[..., str]
"""The saying of a key, as the page's words."""

_WIDTH, _HEIGHT = 480, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 10, 8, 20
_STEPS = (1, 2, 2.5, 5, 10)
_GRIDS = 2
_TIMES = ((7_200, 3_600, "h"), (120, 60, "min"), (1, 1, "s"), (0, 0.001, "ms"))
"""From how many seconds on a time is written in which unit."""
_UNITS = ((1e9, "G"), (1e6, "M"), (1e3, "k"))


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart: its title, its lines by their names, and what they are measured in: nothing, "s", "%", "B"."""

    title: str
    lines: Mapping[str, Curve]
    unit: str = ""
    hint: str = ""

    @property
    def is_known(self) -> bool:
        """Whether there is anything to show."""
        return any(value is not None for line in self.lines.values() for value in line)

    @property
    def legend(self) -> list[tuple[str, str]]:
        """Each line's name and newest value."""
        return [
            (name, "–" if (value := last(line)) is None else readable(value, self.unit)) for name, line in self.lines.items()
        ]


def readable(value: float, unit: str = "") -> str:
    """A number as people read it.

    >>> readable(0.0042, "s"), readable(900, "s"), readable(12_345), readable(0.5, "%"), readable(3_000_000, "B")
    ('4.2 ms', '15 min', '12.3k', '50 %', '3 MB')
    """
    if unit == "%":
        return f"{value * 100:.3g} %"
    if unit == "s":
        _, second, shown = next(each for each in _TIMES if value >= each[0]) if value else _TIMES[2]
        return f"{value / second:.3g} {shown}"
    size, name = next(((size, name) for size, name in _UNITS if abs(value) >= size), (1.0, ""))
    return f"{value / size:.3g}{' ' if unit else ''}{name}{unit}"


def top_of(most: float) -> float:
    """Where an axis ends that shows values up to `most`: a round number, above nought.

    >>> top_of(0), top_of(7), top_of(230), top_of(0.012)
    (1.0, 10.0, 250.0, 0.02)
    """
    if most <= 0:
        return 1.0
    size = 10.0 ** math.floor(math.log10(most))
    return next(step * size for step in _STEPS if most <= step * size * (1 + 1e-9))


def last(line: Curve) -> float | None:
    """The newest value that is known."""
    return next((value for value in reversed(line) if value is not None), None)


def svg(plot: Plot, say: Say, *, hours: float) -> Markup:
    """The chart, with what it shows in words for a screen reader."""
    known = [value for line in plot.lines.values() for value in line if value is not None]
    top = 1.0 if plot.unit == "%" else top_of(max(known, default=0.0))
    drawn = "".join(_drawn(line, top, number) for number, line in enumerate(plot.lines.values(), start=1))
    begin = f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(in_words(plot, say))}">'
    return Markup(begin + _grid(top, plot.unit) + _hours(hours, say) + drawn + "</svg>")  # noqa: S704 - numbers and escaped words


def in_words(plot: Plot, say: Say) -> str:
    """What a chart shows, in a sentence."""
    told = [_told(name, line, plot.unit, say) for name, line in plot.lines.items()]
    return f"{plot.title}: {'; '.join(told)}"


def _told(name: str, line: Curve, unit: str, say: Say) -> str:
    known = [value for value in line if value is not None]
    if not known:
        return say("operator.unknown", name=name)
    return say("operator.told", name=name, now=readable(known[-1], unit), most=readable(max(known), unit))


def _y(value: float, top: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - min(max(value / top, 0.0), 1.0))


def _drawn(line: Curve, top: float, number: int) -> str:
    """The line, broken where nothing is known."""
    pieces: list[list[tuple[float, float]]] = [[]]
    for index, value in enumerate(line):
        if value is not None:
            pieces[-1].append((_LEFT + (_WIDTH - _LEFT - _RIGHT) * (index / max(len(line) - 1, 1)), _y(value, top)))
        elif pieces[-1]:
            pieces.append([])
    return f'<g class="s{number}">{"".join(_piece(piece, number) for piece in pieces if piece)}</g>'


def _piece(points: Sequence[tuple[float, float]], number: int) -> str:
    """A part of a line; the first line has its area, and a value that stands alone is a point."""
    if len(points) == 1:
        return f'<circle cx="{points[0][0]:.1f}" cy="{points[0][1]:.1f}" r="2.5"/>'
    told = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    floor = _HEIGHT - _BOTTOM
    area = f'<polygon points="{points[0][0]:.1f},{floor} {told} {points[-1][0]:.1f},{floor}"/>' if number == 1 else ""
    return f'{area}<polyline points="{told}"/>'


def _grid(top: float, unit: str) -> str:
    drawn = []
    for step in range(_GRIDS + 1):
        y = _y(top * step / _GRIDS, top)
        drawn.append(f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        drawn.append(f'<text class="y" x="{_LEFT - 7}" y="{y + 3.5:.1f}">{readable(top * step / _GRIDS, unit)}</text>')
    return f'<g class="grid">{"".join(drawn)}</g>'


def _hours(hours: float, say: Say) -> str:
    marks = (("begin", _LEFT, f"−{hours:g} h"), ("end", _WIDTH - _RIGHT, str(escape(say("operator.now")))))
    middle = ("middle", (_LEFT + _WIDTH - _RIGHT) // 2, f"−{hours / 2:g} h")
    drawn = [f'<text class="{place}" x="{x}" y="{_HEIGHT - 4}">{words}</text>' for place, x, words in (*marks, middle)]
    return f'<g class="hours">{"".join(drawn)}</g>'
