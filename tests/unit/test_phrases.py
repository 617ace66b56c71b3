"""What is made of the phrases of a language file, whether a part stands in them or is named."""

from __future__ import annotations

import pytest

from shared.contracts.errors import Misconfigured
from shared.language.commands import phrases
from shared.language.commands.phrases import NamedParts, Phrase, parse

PARTS = NamedParts({"erase": "forget|wipe [out]", "past": "all|[absolutely] everything [of it]", "do": "<erase> <past>"})


@pytest.mark.parametrize(
    ("named", "written_out"),
    [
        ("please <erase> this", "please (forget|wipe [out]) this"),
        ("[<erase>] that", "[(forget|wipe [out])] that"),
        ("<past> is (gone|<erase>)", "(all|[absolutely] everything [of it]) is (gone|(forget|wipe [out]))"),
        ("<do> about {topic}", "((forget|wipe [out]) (all|[absolutely] everything [of it])) about {topic}"),
    ],
)
def test_a_phrase_with_named_parts_is_as_one_that_is_written_out(named: str, written_out: str) -> None:
    for _ in range(2):  # at first it is made, then it is known
        found, expected = parse(named, PARTS), parse(written_out, NamedParts({}))

        assert _all_of(found) == _all_of(expected)


def test_what_is_made_of_a_named_part_is_made_once() -> None:
    made: list[tuple[Phrase, ...]] = []
    parts = NamedParts({"erase": "forget|wipe"})

    for text in ("<erase> this", "<erase> that"):
        [part, _] = parse(text, parts)
        assert isinstance(part, phrases.Choice)
        part.made(made.append)

    assert len(made) == 1


def test_what_is_wrong_with_a_named_part_is_said_of_each_phrase_that_names_it() -> None:
    parts = NamedParts({"what": "{topic}|this"})

    for text in ("<what> now", "<what> please"):
        with pytest.raises(Misconfigured, match="may not begin with"):
            phrases.first_words(parse(text, parts))


def _all_of(phrase: Phrase) -> tuple[object, ...]:
    return (
        phrases.expression(phrase),
        phrases.first_words(phrase),
        phrases.needed_words(phrase),
        phrases.words(phrase),
        list(phrases.named(phrase)),
    )
