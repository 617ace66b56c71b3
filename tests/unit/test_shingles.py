"""Source: Broder, "On the resemblance and containment of documents" (1997)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.ids import Scope
from shared.language.text.shingles import Shingler, each, raw, unpack
from shared.language.text.words import words_of
from tests.support.commands import packed
from tests.support.scopes import ANNAS_SCOPE, BEN, KEYS, scope_of

SHINGLER = Shingler(KEYS.digester, ANNAS_SCOPE)
FIVE = "I am allergic to hazelnuts"


def hashes(text: str, scope: Scope = ANNAS_SCOPE) -> set[int]:
    return set(Shingler(KEYS.digester, scope).hashes(text, most=10_000))


@pytest.mark.parametrize(
    "same",
    [
        "i am ALLERGIC, to hazelnuts!",
        " I  am\nallergic\tto — hazelnuts…",
        "“I am allergic to hazelnuts.”",
        "I_am_allergic_to_hazelnuts",
    ],
)
def test_case_punctuation_and_white_space_make_no_difference(same: str) -> None:
    assert len(hashes(FIVE)) == 1
    assert hashes(FIVE) <= hashes(same)


@pytest.mark.parametrize(
    "other", ["I am allergic to walnuts", "I am not allergic to hazelnuts", "hazelnuts to allergic am I", ""]
)
def test_other_words_have_other_hashes(other: str) -> None:
    assert hashes(FIVE).isdisjoint(hashes(other))


def test_a_curly_apostrophe_is_an_apostrophe() -> None:
    assert hashes("I don’t like it here") == hashes("I don't like it here")


def test_the_same_words_of_two_people_have_different_hashes() -> None:
    assert hashes(FIVE).isdisjoint(hashes(FIVE, scope_of(BEN)))


def test_a_part_of_five_words_is_recognised() -> None:
    assert hashes("am allergic to hazelnuts and") <= hashes(f"{FIVE} and to cats")


@pytest.mark.parametrize("part", ["Anna likes tea", "To cats."])
def test_a_short_sentence_is_recognised_as_a_whole_only(part: str) -> None:
    assert hashes(part) <= hashes("Anna likes tea. She moved to Bergen last year! To cats.")
    assert hashes(part).isdisjoint(hashes("As far as I know Anna likes tea to cats in winter."))


def test_a_single_word_is_no_sentence() -> None:
    assert hashes("Thanks.") == set()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ('You said: "I like tea." Right?', ["I like tea", "You said"]),
        ("- I like tea\n- more", ["I like tea"]),
        ("I like tea - really", ["I like tea", "I like tea - really"]),
        ("Buy 3.5 litres", ["Buy 3.5 litres"]),
        ("(I like tea)", ["I like tea"]),
    ],
)
def test_a_short_quotation_stands_by_itself(text: str, parts: list[str]) -> None:
    words = words_of(text)
    found = [text[words[p.first].start : words[p.last].end] for p in SHINGLER.short_quotations(text, words)]
    assert sorted(found) == sorted(parts)


def test_scripts_without_spaces_are_read_by_character() -> None:
    assert len(words_of("我对榛子过敏")) == 6
    assert hashes("我对榛子过敏。") & hashes("你说过：我对榛子过敏")
    assert [word.folded for word in words_of("Ist das Straße 日本?")] == ["ist", "das", "strasse", "日", "本"]


def test_a_word_knows_its_place() -> None:
    text = "Ah, don’t 你好!"
    assert [text[word.start : word.end] for word in words_of(text)] == ["Ah", "don’t", "你", "好"]


def test_of_a_long_text_the_beginning_counts() -> None:
    text = " ".join(f"word{n}" for n in range(5_000))
    assert len(SHINGLER.hashes(text, most=100)) == 100
    assert set(SHINGLER.hashes(text, most=100)) < hashes(text)


@given(st.text(max_size=300))
def test_any_text_has_hashes_that_travel(text: str) -> None:
    found = SHINGLER.hashes(text, most=1_000)
    assert list(each(raw(found))) == found
    assert unpack(packed(found)) == raw(found)
    assert len(set(found)) == len(found)
