"""What `memstream status` says of dead letters, and of embedding."""

import pytest

from memstream.cli.status import _letters, _progress


@pytest.mark.parametrize(
    ("count", "lost", "full", "words"),
    [
        (0, None, False, "none"),
        (3, {}, False, "[yellow]3[/]"),
        (3, {}, True, "[yellow]3[/]; [yellow]there is no room for more: the oldest go[/]"),
        (3, {"alice": 7}, False, "[yellow]3[/]; [yellow]7 of the bot alice not kept, as the share is used up[/]"),
        (3, {"*": 7}, False, "[yellow]3[/]; [yellow]7 of bots of all spaces not kept, as the share is used up[/]"),
    ],
)
def test_an_operator_is_told_of_dead_letters_that_were_not_kept(
    count: int, lost: dict[str, int] | None, *, full: bool, words: str
) -> None:
    document = {"dead_letters": count, "dead_letters_lost": lost, "dead_letters_full": full}
    assert _letters(document) == words


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"backlog": 0}, ""),
        ({}, ": 1,000 of 5,000 done"),
        ({"per_s": 40.0, "left_s": 100.0}, ": 1,000 of 5,000 done, 40/s, 2 min left"),
        ({"per_s": 0.5, "left_s": 8_000.0, "is_switching": True}, "; embedding anew: 1,000 of 5,000 done, 0.5/s, 2 h left"),
    ],
)
def test_an_operator_is_told_how_far_embedding_has_come(more: dict[str, object], words: str) -> None:
    status = {"backlog": 4_000, "done": 1_000, "total": 5_000, "per_s": 0.0, "left_s": None, "is_switching": False}
    assert _progress(status | more) == words
