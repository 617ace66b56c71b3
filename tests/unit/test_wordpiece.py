"""The expected pieces were made with the `tokenizers` library (0.23), which is not among our dependencies."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.errors import Misconfigured
from shared.runtime.embedders import wordpiece
from shared.runtime.embedders.wordpiece import bert_uncased

TOKENIZER = bert_uncased()
PIECES = wordpiece._VOCABULARY.read_text(encoding="utf-8").splitlines()
CLS, SEP, UNK = 101, 102, 100


def pieces(text: str) -> str:
    return " ".join(PIECES[number] for number in TOKENIZER.ids(text)[1:-1])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        (" \t\n", ""),
        ("Hello, World!", "hello , world !"),
        ("unaffable embeddings", "una ##ffa ##ble em ##bed ##ding ##s"),
        ("Ada's e-mail: ada@example.org", "ada ' s e - mail : ada @ example . org"),
        ("naïve café, Ångström", "naive cafe , ang ##strom"),
        ("İstanbul ΟΔΟΣ Straße", "istanbul ο ##δ ##ο ##σ st ##raße"),
        ("a\x00b�c\u200dd", "abc ##d"),
        ("a\x0bb\x1cc\x85d", "abc ##d"),
        ("a\xa0b\u2003c\u3000d", "a b c d"),
        ("今日は晴れ。猫が好き", "[UNK] 日 は [UNK] れ 。 [UNK] か [UNK] き"),
        ("漢字と한국어", "漢 [UNK] と ##ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ ##ᄋ ##ᅥ"),
        ("🙂 ok👍🏽", "[UNK] [UNK]"),
        ("שלום مرحبا", "ש ##ל ##ו ##ם م ##ر ##ح ##ب ##ا"),
        ("$5.99+tax=~6€", "$ 5 . 99 + tax = ~ 6 ##€"),
        ("e\u0301cole", "ecole"),
        ("\u0378x", "[UNK]"),
        ("x\ue000y", "x ##y"),
    ],
)
def test_pieces_are_those_of_the_reference(text: str, expected: str) -> None:
    assert pieces(text) == expected


def test_names_of_special_pieces_in_a_text_are_plain_text() -> None:
    assert pieces("[SEP] [MASK]") == "[ sep ] [ mask ]"


def test_a_word_of_more_than_100_characters_is_unknown() -> None:
    assert TOKENIZER.ids("a" * 101) == [CLS, UNK, SEP]
    assert UNK not in TOKENIZER.ids("a" * 100)


def test_a_long_text_is_cut_to_256_pieces_with_both_ends() -> None:
    ids = TOKENIZER.ids("word " * 10_000)
    assert len(ids) == 256
    assert (ids[0], ids[-1]) == (CLS, SEP)
    assert TOKENIZER.ids("漢" * 50_000)[-1] == SEP


@given(st.text())
def test_any_text_gives_known_pieces_between_start_and_end(text: str) -> None:
    ids = TOKENIZER.ids(text)
    assert (ids[0], ids[-1]) == (CLS, SEP)
    assert 2 <= len(ids) <= 256
    assert all(0 <= number < 30_522 for number in ids)


@given(st.text(), st.text())
def test_two_texts_with_a_space_between_give_the_pieces_of_both(left: str, right: str) -> None:
    both = TOKENIZER.ids(f"{left} {right}")
    assert both[:-1] == [*TOKENIZER.ids(left)[:-1], *TOKENIZER.ids(right)[1:-1]][:255]


@given(st.text(alphabet="abc XYZ.,!'é"))
def test_case_and_accents_do_not_matter(text: str) -> None:
    assert TOKENIZER.ids(text.upper()) == TOKENIZER.ids(text.replace("é", "e"))


def test_a_damaged_vocabulary_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    damaged = tmp_path / "vocab.txt"
    damaged.write_text("[CLS]\n")
    monkeypatch.setattr(wordpiece, "_VOCABULARY", damaged)
    with pytest.raises(Misconfigured, match=r"vocab\.txt"):
        bert_uncased()
