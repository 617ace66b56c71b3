"""What `memstream status` says of dead letters."""

import pytest

from memstream.cli.status import _letters


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
