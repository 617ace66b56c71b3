"""`python -m bench.wishes.lasting` learns the weights and writes them; `… held-out [shown]` tells how well it learns.

Then each person is held out in turn, a fold at a time.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from unittest import mock

from bench.wishes.lasting.learning import WEIGHTS, examples, learn, written
from shared.language.statements import wishing
from shared.language.statements.language import statement_language
from shared.language.statements.wishing import is_lasting_wish

_FOLDS = 4


def main(arguments: Sequence[str]) -> None:
    """Learn, and write what comes of it or print how well it was learned."""
    every = examples()
    if "held-out" not in arguments:
        WEIGHTS.write_text(written(learn(every)), encoding="utf-8")
        return
    persons = sorted({each.person for each in every if each.is_of_person})
    total: Counter[str] = Counter()
    for fold in range(_FOLDS):
        held = set(persons[fold::_FOLDS])
        weights = learn([each for each in every if each.person not in held])
        with mock.patch.object(wishing, "_weights", return_value=weights):
            for each in (each for each in every if each.person in held and each.is_as_written):
                kind = f"{each.language} {'wish' if each.is_wish else 'other'}"
                is_amiss = is_lasting_wish(each.text, statement_language(each.language)) is not each.is_wish
                total[kind] += 1
                total[f"{kind} amiss"] += is_amiss
                if is_amiss and "shown" in arguments:
                    print(kind, "|", each.person, "|", each.text)
    for kind in sorted(total):
        print(kind, total[kind])


if __name__ == "__main__":
    main(sys.argv[1:])
