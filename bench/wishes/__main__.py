"""`python -m bench.wishes` learns the weights and writes them; `python -m bench.wishes held-out` tells how well it learns.

Then each persona of the tests is held out in turn, and read by weights of the others.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from unittest import mock

from bench.wishes.corpus import Example, examples
from bench.wishes.learning import WEIGHTS, learn, shown, written
from shared.language.commands import wishes
from shared.language.commands.wishes import Weights, Wish

_FLOORS = (-2.0, -1.0, -0.5, 0.0, 1.0)


def main(arguments: Sequence[str]) -> None:
    """Learn, and print or write what comes of it."""
    every = examples()
    if "held-out" not in arguments:
        WEIGHTS.write_text(written(learn(every)), encoding="utf-8")
        return
    personas = sorted({each.persona for each in every if each.weight > 1})
    found: list[tuple[Example, Wish]] = []
    for persona in personas:
        weights = learn([each for each in every if each.persona != persona])
        read = [(each, _read(each.text, weights)) for each in every if each.persona == persona]
        print(persona, _figures(read, 0.0))
        found += read
    for floor in _FLOORS:
        print(f"all, from {floor}:", _figures(found, floor))


def _read(text: str, weights: Mapping[str, Weights]) -> Wish:
    with mock.patch.object(wishes, "_weights", lambda: weights):
        return wishes.wish_of(shown(text)) or Wish(-9, -9, -9, -9)


def _figures(read: Sequence[tuple[Example, Wish]], floor: float) -> str:
    wished = [wish.withhold for each, wish in read if each.withhold]
    others = [wish.withhold for each, wish in read if each.withhold is False]
    kept, lost = sum(each < floor for each in wished), sum(each >= floor for each in others)
    return f"{kept} of {len(wished)} wishes missed, {lost} of {len(others)} others taken for wishes"


if __name__ == "__main__":
    main(sys.argv[1:])
