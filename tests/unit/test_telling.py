"""What other people's conversations say is not taken for what was forgotten."""

from __future__ import annotations

from itertools import islice

import pytest

from services.ingest.domain.telling import Alone, said_in, telling, tells
from shared.contracts.parts import Role
from shared.language.text.distinctive import is_of_many_people, unmistakable
from tests.support.annotated_talks import said_turns, talks
from tests.support.scopes import KEYS

_STATEMENTS = 4
"""Of each talk."""
_TURNS = 12


@pytest.mark.parametrize("language", ["en", "de", "es", "fr"])
def test_what_another_says_is_seldom_taken_for_what_was_forgotten(language: str) -> None:
    said = {name: said_turns(talk.talk) for name, talk in talks(pattern=f"{language}*.toml").items()}
    compared = taken = 0
    for name, turns in said.items():
        own = (turn.text for turn in turns if turn.role is Role.USER and 20 < len(turn.text) < 200 and "?" not in turn.text)
        for text in islice(own, _STATEMENTS):
            names = unmistakable(text)
            known = frozenset(filter(is_of_many_people, names))
            forgotten = telling(text, Alone(names - known, known), KEYS.digester)
            assert forgotten is not None
            for other, their in said.items():
                for turn in their[:_TURNS] if other != name else ():
                    by_others = turn.role is not Role.USER
                    compared += 1
                    taken += any(tells(forgotten, each, by_others=by_others) for each in said_in(turn.text, KEYS.digester))
    assert compared > 1_000
    assert taken <= compared / 1_000, (taken, compared)
