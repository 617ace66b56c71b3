"""The search by words over arrays agrees with SQLite's own BM25 over the texts of turns and of those beside them."""

from __future__ import annotations

import json
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.domain.full_text import near_pairs, terms
from services.retriever.store.arrays.word_search import WordSearch
from shared.runtime.sqlite import in_memory
from shared.text.indexed import date_words, said
from shared.text.words import spaced
from tests.support.files import Shelved, shelved
from tests.support.scopes import T0

_FTS = """CREATE VIRTUAL TABLE said USING fts5(
    turn, before1, after1, before2, after2, tags, tokenize='porter unicode61 remove_diacritics 2')"""
_PUT = "INSERT INTO said(rowid, turn, before1, after1, before2, after2, tags) VALUES (?, ?, ?, ?, ?, ?, ?)"
_BM25 = "SELECT rowid, -bm25(said, 1.0, 0.5, 0.5, 0.25, 0.25, 1.0) FROM said WHERE said MATCH ?"
_TOLD = "SELECT number, session_id, speaker, content, tags FROM memories WHERE kind = '{}' ORDER BY number"
_WORDS = ("heron", "weir", "painted", "painting", "café", "green", "May", "Anna", "我喜欢猫", "katzen")
_QUESTIONS = ("the green heron", "painting the weir in May", "Anna café", "我喜欢猫", "Wo sind die Katzen und das Café?", "of")


class Turn(NamedTuple):
    """A turn in one of two sessions."""

    text: str
    session: str
    speaker: str | None


_texts = st.lists(st.sampled_from(_WORDS), min_size=1, max_size=12).map(" ".join)
_turns = st.builds(Turn, _texts, st.sampled_from("ab"), st.sampled_from([None, "Anna"]))


def scores(told: Shelved, asked: str) -> dict[int, float]:
    """By the arrays."""
    with told.connected() as db:
        arrays = told.searched(db).arrays
    found = WordSearch(arrays, asked).scores(())
    return {number: score for number, score in zip(arrays["number"].tolist(), found.tolist(), strict=True) if score}


def scores_by_sqlite(told: Shelved, asked: str) -> dict[int, float]:
    """By an index with a column for each neighbour."""
    index = in_memory()
    index.execute(_FTS)
    with told.connected() as db:
        turns, facts = (db.exec_driver_sql(_TOLD.format(kind)).all() for kind in ("episode", "fact"))
    for session in "ab":
        of = [turn for turn in turns if turn.session_id == session]
        texts = [spaced(said(turn.speaker, turn.content)) for turn in of]
        for place, turn in enumerate(of):
            beside = [texts[at] if 0 <= at < len(of) else "" for at in (place - 1, place + 1, place - 2, place + 2)]
            index.execute(_PUT, (turn.number, f"{texts[place]} {date_words(T0)}", *beside, " ".join(json.loads(turn.tags))))
    for fact in facts:
        index.execute(_PUT, (fact.number, spaced(fact.content), "", "", "", "", " ".join(json.loads(fact.tags))))
    pairs = (f"NEAR({one} {other}, 4)" for one, other in near_pairs(terms(asked)))
    query = " OR ".join([*terms(asked), *pairs])
    return dict(index.execute(_BM25, (query,)).fetchall()) if query else {}


@given(st.lists(_turns, min_size=1, max_size=8), st.lists(_texts, max_size=2))
def test_the_scores_are_those_of_sqlite(tmp_path_factory: pytest.TempPathFactory, turns: list[Turn], facts: list[str]) -> None:
    told = shelved(tmp_path_factory.mktemp("told") / "anna.db")
    for turn in turns:
        told.say(turn.text, session=turn.session, speaker=turn.speaker)
    for text in facts:
        told.know(text, "green herons")
    for asked in _QUESTIONS:
        assert scores(told, asked) == pytest.approx(scores_by_sqlite(told, asked))
    told.file.close()
