"""Places that are made only when they are looked at are those that would have been made at once."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.domain.candidate import Candidate, Placed
from services.retriever.domain.candidate_columns import CandidateColumns
from services.retriever.domain.ranked import Ranked
from services.retriever.domain.ranking import best_first, rank, rank_columns
from services.retriever.domain.weights import Weights

shares = st.floats(0.0, 1.0, width=16)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    numbers = draw(st.lists(st.integers(1, 300), min_size=1, max_size=100, unique=True))
    return [
        Candidate(
            number,
            draw(st.sampled_from(("fact", "episode"))),
            age_s=draw(shares) * 1e7,
            importance=draw(shares),
            confidence=draw(shares),
            session=draw(st.sampled_from((None, 1, 2))),
            legs={leg: draw(shares) for leg in draw(st.sets(st.sampled_from(("lexical", "vector"))))},
            cosine=draw(st.none() | shares),
            is_superseded=draw(st.booleans()),
        )
        for number in numbers
    ]


def without_manner(place: Placed) -> Placed:
    return place._replace(candidate=place.candidate._replace(legs=dict(place.candidate.legs), ranks={}))


@given(found=candidates(), which=st.slices(100))
def test_a_candidate_that_is_made_late_is_the_one_that_would_have_been_made_at_once(
    found: list[Candidate], which: slice
) -> None:
    columns = CandidateColumns.of(found)
    late = rank_columns(columns, Weights(), made=lambda rows: columns.of_rows(rows).candidates())
    at_once = [without_manner(place) for place in rank(found, Weights())]
    assert [without_manner(place) for place in late[which]] == at_once[which]
    assert [without_manner(place) for place in late] == at_once
    assert late.numbers == [place.candidate.number for place in at_once]
    assert late.totals == [place.total for place in at_once]
    assert late.of_kind("fact") == [place.candidate.number for place in at_once if place.candidate.kind == "fact"]
    holding = [place for place in at_once if not place.candidate.is_superseded]
    assert [without_manner(place) for place in late.without_superseded()] == holding


@given(found=candidates(), gains=st.dictionaries(st.integers(1, 300), shares, max_size=9))
def test_places_that_change_move_among_the_others(found: list[Candidate], gains: dict[int, float]) -> None:
    before = rank(found, Weights())
    moved = [place._replace(total=gains[number], relevance=gains[number]) for number, place in before.among(gains).items()]
    after, changed = before.changed(moved), {place.candidate.number: place for place in moved}
    expected = best_first(changed.get(place.candidate.number, place) for place in before)
    assert list(after) == expected
    assert (after.totals, after.relevances) == ([each.total for each in expected], [each.relevance for each in expected])
    assert list(before) == list(rank(found, Weights())), "what was ranked is as it was"


def test_the_first_are_put_into_another_order_and_the_others_follow_as_they_were() -> None:
    places = Ranked.of([Placed(1.0 / number, 0.0, 0.0, Candidate(number, "fact", 0.0, 0.5)) for number in range(1, 6)])
    first = [places[1]._replace(penalty=0.25), places[0]]
    found = places.beginning_with(first)
    assert (found.numbers, found[:2], list(found[2:])) == ([2, 1, 3, 4, 5], first, places[2:])
    assert found.beginning_with([found[1], found[0]]).numbers == [1, 2, 3, 4, 5]


def test_no_more_are_made_than_are_looked_at() -> None:
    asked: list[int] = []
    found = [Candidate(number, "fact", 0.0, 0.5, legs={"lexical": number / 300}) for number in range(1, 301)]

    def made(rows: Sequence[int]) -> list[Candidate]:
        asked.extend(rows)
        return [found[row] for row in rows]

    places = rank_columns(CandidateColumns.of(found), Weights(), made=made)
    assert [place.candidate.number for place in places[:3]] == [300, 299, 298]
    assert places[0].candidate.number == 300
    _ = places.numbers, places.relevances, places.changed([places[1]]), places.without_superseded()
    assert sorted(asked) == [297, 298, 299], "each once, and no other"
    with pytest.raises(IndexError):
        places[300]
