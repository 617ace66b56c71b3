from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.parts import Entity
from shared.language.text.entities import canonical_name, find_entities, without_overlaps


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("nothing to see here", []),
        ("ask @ben_2 now", [("person", "@ben_2")]),
        ("@ben: hi", [("person", "@ben")]),
        ("mail ben@example.org today", [("email", "ben@example.org")]),
        ("mail ben.smith+x@mail.example.co.uk.", [("email", "ben.smith+x@mail.example.co.uk")]),
        ("a lone @ or # says nothing", []),
        ("see https://example.org/a?b=c.", [("url", "https://example.org/a?b=c")]),
        ("(see http://example.org/x)", [("url", "http://example.org/x")]),
        ("HTTPS://EXAMPLE.ORG!", [("url", "HTTPS://EXAMPLE.ORG")]),
        ("https://example.org/@ben#top", [("url", "https://example.org/@ben#top")]),
        ("https://anna@example.org/", [("url", "https://anna@example.org/")]),
        ("I like #boats, #été", [("hashtag", "#boats"), ("hashtag", "#été")]),
        ("issue #42 and a#b", []),
        ("on 2026-05-03", [("date", "2026-05-03")]),
        ("on 3.5.2026 or 03/05/26", [("date", "3.5.2026"), ("date", "03/05/26")]),
        ("on 3 May", [("date", "3 May")]),
        ("on the 3rd of May, 2026!", [("date", "3rd of May, 2026")]),
        ("on May 3rd 2026", [("date", "May 3rd 2026")]),
        ("september 21st", [("date", "september 21st")]),
        ("3 mayors may 12345", []),
        ("may I?", []),
        ("🙂 @ana 🙂 #día", [("person", "@ana"), ("hashtag", "#día")]),
    ],
)
def test_patterns_find_what_a_reader_would(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(entity.type, entity.name) for entity in find_entities(text)] == expected


@given(st.text(alphabet="@#/:.ab 13May-\né🙂", max_size=60))
def test_entities_stand_where_they_say_in_order_and_apart(text: str) -> None:
    found = find_entities(text)
    assert all(text[entity.start : entity.end] == entity.name for entity in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


def test_at_most_64_entities_are_kept() -> None:
    assert len(find_entities("#ab " * 100)) == 64


@pytest.mark.parametrize(
    "piece",
    ["#ab ", "@ab ", "http://a.b ", "a@b.c ", "3 May ", "https://.", "1 ", "a.", "@", "a@b-.", "May  ", "3.5."],
)
def test_a_long_text_of_one_repeated_piece_is_read_to_its_end(piece: str) -> None:
    """None of the patterns backtracks without end; a text like this once took seconds."""
    text = (piece * 65_536)[:65_536] + " #last"
    found = find_entities(text)
    assert len(found) <= 64
    assert all(text[entity.start : entity.end] == entity.name for entity in found)


def entity(kind: str, start: int, end: int, confidence: float) -> Entity:
    return Entity(name="x" * (end - start), type=kind, start=start, end=end, confidence=confidence)


def test_of_two_that_overlap_the_surer_is_kept() -> None:
    sure, long = entity("email", 4, 6, 0.99), entity("person", 0, 9, 0.9)
    assert without_overlaps([long, sure]) == [sure]


def test_of_two_equally_sure_the_longer_is_kept() -> None:
    short, long = entity("date", 0, 5, 0.9), entity("date", 2, 9, 0.9)
    assert without_overlaps([short, long]) == [long]


def test_of_two_alike_the_first_is_kept() -> None:
    first, second = entity("date", 0, 5, 0.9), entity("date", 4, 9, 0.9)
    assert without_overlaps([second, first]) == [first]


def test_neighbours_do_not_overlap() -> None:
    left, right = entity("date", 0, 5, 0.9), entity("date", 5, 9, 0.9)
    assert without_overlaps([right, left]) == [left, right]


spans = st.tuples(st.integers(0, 30), st.integers(1, 8), st.sampled_from([0.5, 0.9, 0.99]))


@given(st.lists(spans.map(lambda s: entity("other", s[0], s[0] + s[1], s[2])), max_size=12))
def test_whoever_is_dropped_met_a_better_one(found: list[Entity]) -> None:
    kept = without_overlaps(found)
    for dropped in (candidate for candidate in found if candidate not in kept):
        rivals = [other for other in kept if other.start < dropped.end and dropped.start < other.end]
        assert any(rival.confidence >= dropped.confidence for rival in rivals)


@pytest.mark.parametrize(
    ("name", "canonical"), [("@Ben", "ben"), ("#Boats", "boats"), ("3  May", "3 may"), ("STRASSE", "strasse")]
)
def test_two_mentions_have_one_canonical_name(name: str, canonical: str) -> None:
    assert canonical_name(Entity(name=name, type="other", start=0, end=1, confidence=1)) == canonical
