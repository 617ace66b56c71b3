"""What takes long is made once, however many want it at the same time."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from shared.domain.made_once import made_once

_PATIENCE_S = 30.0


def test_who_comes_while_it_is_made_waits_for_it() -> None:
    begun, may_end, made = Event(), Event(), list[str]()

    def make(word: str) -> str:
        made.append(word)
        begun.set()
        may_end.wait(_PATIENCE_S)
        return word.upper()

    kept = made_once(make)
    with ThreadPoolExecutor(4) as threads:
        results = [threads.submit(kept, "en") for _ in range(4)]
        begun.wait(_PATIENCE_S)
        assert not any(result.done() for result in results)
        may_end.set()
        assert {result.result(_PATIENCE_S) for result in results} == {"EN"}
    assert made == ["en"]
    assert kept("de") == "DE"


def test_what_could_not_be_made_is_tried_again() -> None:
    tries = list[str]()

    def make(word: str) -> str:
        tries.append(word)
        if len(tries) == 1:
            raise LookupError
        return word

    kept = made_once(make)
    with pytest.raises(LookupError):
        kept("en")
    assert kept("en") == "en"
