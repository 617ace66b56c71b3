"""`python -m bench.wishes` learns the weights of English, writes them, and says how many examples they tell apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import shared.language.commands
from bench.wishes.corpus import Example, examples
from bench.wishes.learning import learn, written
from shared.language.commands.language import language
from shared.language.commands.learned import Likening, likest

_CODE = "en"


def main() -> None:
    """Learn the weights, write them beside the language file, and print what they do to the examples."""
    known = language(_CODE)
    kinds = known.text.cued.kinds
    told = list(examples(known))
    weights = learn(told, kinds)
    Path(shared.language.commands.__file__).parent.joinpath("weights", f"{_CODE}.json").write_text(
        written(weights), encoding="utf-8"
    )
    found = [_likeness(each, kinds, weights) for each in told]
    for is_wish in (True, False):
        some = [likeness for likeness, each in zip(found, told, strict=True) if each.is_wish is is_wish]
        above = sum(likeness is not None and likeness > 0 for likeness in some)
        print(f"{'wishes' if is_wish else 'others'}: {above} of {len(some)} taken for wishes")
    print(f"{len(weights.features)} weights")


def _likeness(example: Example, kinds: Mapping[str, str], weights: Likening) -> int | None:
    found = [place.likeness for words in example.said if (place := likest(words, kinds, weights))]
    return max(found, default=None)


if __name__ == "__main__":
    main()
