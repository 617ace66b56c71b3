"""`python -m bench.wishes` learns the weights and writes them; `python -m bench.wishes held-out` tells how well it learns.

Then the people and the tests' sets are held out in turn, a fold at a time, and read by phrases and weights of the others.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from unittest import mock

from bench.wishes.corpus import Example, examples, personas
from bench.wishes.learning import WEIGHTS, learn, written
from shared.language.commands import wishes
from shared.language.commands.command import ChatCommandName
from shared.language.commands.language import SHIPPED_LANGUAGES
from shared.language.commands.reading import read_chat_command
from shared.language.text.weighing import Weights

_FOLDS = 3
_WITHHOLD = {ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT, ChatCommandName.FORGET_THAT}
_FORGET = {ChatCommandName.FORGET_ABOUT, ChatCommandName.FORGET_ME, *_WITHHOLD}


def main(arguments: Sequence[str]) -> None:
    """Learn, and write what comes of it or print how well it was learned."""
    every = examples()
    if "held-out" not in arguments:
        WEIGHTS.write_text(written(learn(every)), encoding="utf-8")
        return
    total: Counter[str] = Counter()
    for fold in range(_FOLDS):
        held = {persona for at, persona in enumerate(personas()) if at % _FOLDS == fold}
        weights = learn([each for each in every if each.persona not in held])
        for each, amiss in _amiss([each for each in every if each.persona in held], weights):
            total[_kind(each)] += 1
            total[f"{_kind(each)} amiss"] += amiss
            if amiss and "shown" in arguments:
                print(_kind(each), "|", each.persona, "|", each.text)
    for kind in sorted(total):
        print(kind, total[kind])


def _amiss(said: Sequence[Example], weights: Mapping[str, Weights]) -> Iterator[tuple[Example, bool]]:
    with mock.patch.object(wishes, "_weights", return_value=weights):
        for each in said:
            found = read_chat_command(each.text, languages=SHIPPED_LANGUAGES)
            if each.withhold or each.forget:
                yield each, found is None or found.name not in (_WITHHOLD if each.withhold else _FORGET)
            elif each.forget is False:
                yield each, found is not None and found.name in _FORGET


def _kind(each: Example) -> str:
    return "wish not to be kept" if each.withhold else "wish to forget" if each.forget else "look-alike"


if __name__ == "__main__":
    main(sys.argv[1:])
