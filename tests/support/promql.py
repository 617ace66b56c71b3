"""The part of PromQL that our rules and dashboards use, evaluated over made-up series, where there is no promtool.

Source: prometheus.io/docs/prometheus/latest/querying; `increase` extrapolates to the ends of its range as Prometheus does, and
`histogram_quantile` interpolates within a bucket. What it does not know it refuses.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

Labels = frozenset[tuple[str, str]]
Samples = Sequence[tuple[float, float]]
Vector = dict[Labels, float]
Value = Vector | float
_NAME = "__name__"
_LOOKBACK_S = 300.0
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?)|(?P<name>[a-zA-Z_:][\w:]*)|(?P<string>\"[^\"]*\")|(?P<range>\[[^\]]+\])|"
    r"(?P<op>=~|!~|!=|==|>=|<=|[-+*/<>=(){},]))"
)
_UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_COMPARISONS = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne}
_ARITHMETIC: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda a, b: a / b if b else math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a),
}
_LEVELS: tuple[Sequence[str], ...] = (("and",), tuple(_COMPARISONS), ("+", "-"), ("*", "/"))
_AGGREGATES: dict[str, Callable[[Sequence[float]], float]] = {"sum": sum, "min": min, "max": max, "count": len}


class Unknown(Exception):
    """The expression has something that is not evaluated here."""


class Token(NamedTuple):
    """A piece of an expression."""

    kind: str
    text: str


def tokens(expression: str) -> Iterator[Token]:
    """The pieces of an expression."""
    at, end = 0, len(expression.rstrip())
    while at < end:
        if not (match := _TOKEN.match(expression, at)):
            raise Unknown(expression[at:])
        yield Token(str(match.lastgroup), match[str(match.lastgroup)])
        at = match.end()


def seconds(duration: str) -> float:
    """A duration such as 15m."""
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"(\d+)([smhd])", duration))


@dataclass
class Series:
    """What Prometheus has scraped: of each series its samples, in order."""

    samples: dict[Labels, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, labels: Labels, at_s: float, value: float) -> None:
        """A sample of a series."""
        self.samples.setdefault(labels, []).append((at_s, value))

    def evaluate(self, expression: str, at_s: float) -> Value:
        """The value of an expression at a moment. Raises Unknown."""
        parser = _Parser(self, list(tokens(expression)), at_s)
        value = parser.binary(0)
        if parser.left:
            raise Unknown(parser.left[0].text)
        return value

    def within(
        self, matches: Callable[[Labels], bool], begin_s: float, end_s: float
    ) -> dict[Labels, list[tuple[float, float]]]:
        """The samples of matching series after one moment and until another."""
        found = {
            labels: [s for s in all_ if begin_s < s[0] <= end_s] for labels, all_ in self.samples.items() if matches(labels)
        }
        return {labels: samples for labels, samples in found.items() if samples}


class _Parser:
    """Reads an expression by recursive descent, and evaluates it as it goes."""

    def __init__(self, series: Series, left: list[Token], at_s: float) -> None:
        self._series = series
        self.left = left
        self._at_s = at_s

    def _next(self, *texts: str) -> Token | None:
        """The next piece, where it is one of these."""
        return self.left.pop(0) if self.left and self.left[0].text in texts else None

    def _expect(self, text: str) -> None:
        if not self._next(text):
            raise Unknown(f"no {text} before {self.left[:1]}")

    def binary(self, level: int) -> Value:
        """An expression whose operators bind at least so tightly."""
        if level == len(_LEVELS):
            return self._primary()
        value = self.binary(level + 1)
        while token := self._next(*_LEVELS[level]):
            value = _combined(token.text, value, self.binary(level + 1))
        return value

    def _primary(self) -> Value:
        token = self.left.pop(0)
        if token.kind == "number":
            return float(token.text)
        if token.text == "(":
            value = self.binary(0)
            self._expect(")")
            return value
        if token.kind != "name":
            raise Unknown(token.text)
        if token.text in _AGGREGATES:
            return self._aggregated(_AGGREGATES[token.text])
        if self._next("("):
            return self._called(token.text)
        return {labels: samples[-1][1] for labels, samples in self._selected(token.text, _LOOKBACK_S).items()}

    def _aggregated(self, aggregate: Callable[[Sequence[float]], float]) -> Vector:
        by = self._labels() if self._next("by") else ()
        self._expect("(")
        value = self.binary(0)
        self._expect(")")
        groups: dict[Labels, list[float]] = {}
        for labels, each in _vector(value).items():
            groups.setdefault(frozenset((k, v) for k, v in labels if k in by), []).append(each)
        return {labels: float(aggregate(values)) for labels, values in groups.items()}

    def _labels(self) -> tuple[str, ...]:
        self._expect("(")
        names = []
        while not self._next(")"):
            names.append(self.left.pop(0).text)
            self._next(",")
        return tuple(names)

    def _called(self, name: str) -> Value:
        if name == "time":
            self._expect(")")
            return self._at_s
        if name == "histogram_quantile":
            share = self.binary(0)
            self._expect(",")
            buckets = _vector(self.binary(0))
            self._expect(")")
            return _quantiles(float(share) if isinstance(share, float) else math.nan, buckets)
        if name not in _OVER_TIME:
            raise Unknown(name)
        found, range_s = self._ranged()
        self._expect(")")
        over = {_nameless(labels): _OVER_TIME[name](samples, self._at_s, range_s) for labels, samples in found.items()}
        return {labels: value for labels, value in over.items() if value is not None}

    def _ranged(self) -> tuple[Mapping[Labels, Samples], float]:
        metric = self.left.pop(0).text
        matchers = self._matchers()
        range_s = seconds(self.left.pop(0).text)
        return self._series.within(_matching(metric, matchers), self._at_s - range_s, self._at_s), range_s

    def _selected(self, metric: str, range_s: float) -> Mapping[Labels, Samples]:
        return self._series.within(_matching(metric, self._matchers()), self._at_s - range_s, self._at_s)

    def _matchers(self) -> list[tuple[str, str, str]]:
        found = []
        if self._next("{"):
            while not self._next("}"):
                label, how, value = (self.left.pop(0).text for _ in range(3))
                found.append((label, how, value.strip('"')))
                self._next(",")
        return found


def _matching(metric: str, matchers: Sequence[tuple[str, str, str]]) -> Callable[[Labels], bool]:
    def matches(labels: Labels) -> bool:
        has = dict(labels)
        return has.get(_NAME) == metric and all(_TESTS[how](has.get(label, ""), value) for label, how, value in matchers)

    return matches


_TESTS: Mapping[str, Callable[[str, str], bool]] = {
    "=": operator.eq,
    "!=": operator.ne,
    "=~": lambda has, pattern: re.fullmatch(pattern, has) is not None,
    "!~": lambda has, pattern: re.fullmatch(pattern, has) is None,
}


def _nameless(labels: Labels) -> Labels:
    return frozenset((k, v) for k, v in labels if k != _NAME)


def _vector(value: Value) -> Vector:
    if isinstance(value, float):
        raise Unknown("a number where series are meant")
    return value


def _combined(how: str, left: Value, right: Value) -> Value:
    if how == "and":
        keys = {_nameless(labels) for labels in _vector(right)}
        return {labels: value for labels, value in _vector(left).items() if _nameless(labels) in keys}
    if isinstance(left, float) and isinstance(right, float):
        return _ARITHMETIC[how](left, right)
    pairs = _paired(left, right)
    if how in _COMPARISONS:
        return {labels: a for labels, (a, b) in pairs.items() if _COMPARISONS[how](a, b)}
    return {_nameless(labels): _ARITHMETIC[how](a, b) for labels, (a, b) in pairs.items()}


def _paired(left: Value, right: Value) -> dict[Labels, tuple[float, float]]:
    if isinstance(left, float):
        return {labels: (left, value) for labels, value in _vector(right).items()}
    if isinstance(right, float):
        return {labels: (value, right) for labels, value in left.items()}
    others = {_nameless(labels): value for labels, value in right.items()}
    return {labels: (value, others[_nameless(labels)]) for labels, value in left.items() if _nameless(labels) in others}


def _increase(samples: Samples, at_s: float, range_s: float) -> float | None:
    """As Prometheus: resets are added, and what was seen is extended to the ends of the range where samples come near them."""
    if len(samples) < 2:
        return None
    grown = sum(b - a if b >= a else b for (_, a), (_, b) in pairwise(samples))
    first, last = samples[0][0], samples[-1][0]
    seen, step = last - first, (last - first) / (len(samples) - 1)
    before, after = first - (at_s - range_s), at_s - last
    if grown > 0:
        before = min(before, seen * samples[0][1] / grown)
    extended = seen + sum(gap if gap < step * 1.1 else step / 2 for gap in (before, after))
    return grown * extended / seen


def _rate(samples: Samples, at_s: float, range_s: float) -> float | None:
    increase = _increase(samples, at_s, range_s)
    return None if increase is None else increase / range_s


_OVER_TIME: Mapping[str, Callable[[Samples, float, float], float | None]] = {
    "increase": _increase,
    "rate": _rate,
    "min_over_time": lambda samples, _, __: min(value for _, value in samples),
    "max_over_time": lambda samples, _, __: max(value for _, value in samples),
}


def _quantiles(share: float, buckets: Vector) -> Vector:
    groups: dict[Labels, list[tuple[float, float]]] = {}
    for labels, count in buckets.items():
        bound = float(dict(labels)["le"].replace("+Inf", "inf"))
        groups.setdefault(frozenset((k, v) for k, v in labels if k != "le"), []).append((bound, count))
    return {labels: _quantile(share, sorted(found)) for labels, found in groups.items()}


def _quantile(share: float, buckets: Sequence[tuple[float, float]]) -> float:
    total = buckets[-1][1]
    if not total:
        return math.nan
    rank, below, counted = share * total, 0.0, 0.0
    for bound, count in buckets:
        if count >= rank:
            return below if math.isinf(bound) else below + (bound - below) * (rank - counted) / (count - counted or 1)
        below, counted = bound, count
    return below
