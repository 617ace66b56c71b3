"""Every function that cuts texts takes every script without spaces for one, by the one table of them."""

from pathlib import Path

import pytest

from services.ingest.domain.likeness import likeness, match
from services.retriever.domain.excerpt import asked_words, excerpt
from services.retriever.domain.full_text import named, terms
from shared.language.text import scripts
from shared.language.text.shingles import Shingler
from shared.language.text.stating import content_words, has_enough
from shared.language.text.tokens import surface
from shared.language.text.words import pairs_of, search_words, spaced, words_of
from tests.support.commands import user_says
from tests.support.files import shelved
from tests.support.paper import PaperLog
from tests.support.scopes import ANNAS_SCOPE, KEYS
from tests.unit.test_forgetting import facts, forget, forgotten, ids

SAYINGS = {
    "Han": "我对榛子过敏",
    "Han, extension A": "㐀㐁㐂㐃㐄㐆",
    "Han, extension B": "𠀀𠀁𠀂𠀃𠀄𠀅",
    "Han, extension J": "".join(map(chr, range(0x323B0, 0x323B6))),
    "Han, compatibility": "豈更車賈滑串",
    "Han, with signs": "佐々木〇一〆",
    "hiragana": "きのうねこがきた",
    "hentaigana": "".join(map(chr, range(0x1B002, 0x1B008))),
    "katakana": "コーヒーガスキ",
    "katakana, half-width": "ｶﾅｺﾋｽｷ",
    "Thai": "ฉันชอบกินข้าวผัด",
    "Lao": "ຂ້ອຍມັກກິນເຂົ້າ",
    "Burmese": "ငါကော်ဖီကြိုက်တယ်",
    "Khmer": "ខ្ញុំចូលចិត្តកាហ្វេ",
}
KOREAN = "나는 고양이를 키운다"


@pytest.fixture(params=SAYINGS, ids=str)
def saying(request: pytest.FixtureRequest) -> str:
    return SAYINGS[request.param]


def test_the_table_has_each_script_once() -> None:
    each = [
        scripts.HAN,
        scripts.HIRAGANA,
        scripts.KATAKANA,
        scripts.HANGUL,
        scripts.THAI,
        scripts.LAO,
        scripts.BURMESE,
        scripts.KHMER,
    ]
    assert sorted("".join(each)) == sorted(scripts.SEARCHED_BY_CHARACTER)
    assert scripts.HANGUL not in scripts.UNSPACED


def test_a_character_is_a_word(saying: str) -> None:
    assert [word.folded for word in words_of(saying)] == list(saying)
    assert {token.kind for token in surface(saying).tokens} == {"unspaced"}
    assert pairs_of(f"tea {saying}!") == [saying[at : at + 2] for at in range(len(saying) - 1)]


def test_other_writing_beside_it_is_cut_off(saying: str) -> None:
    assert search_words(f"tea{saying}TEA") == ["tea", saying, "tea"]
    assert {"tea", "cat"} < content_words(f"tea{saying}Cats")
    assert surface(f"tea{saying}").tokens[0].key == "tea"


def test_the_index_takes_it_apart_and_finds_a_part_of_it(saying: str, tmp_path: Path) -> None:
    file = shelved(tmp_path / "anna.db")
    file.say("something else altogether")
    file.say(saying, session="s2")
    assert spaced(saying).split() == list(saying)
    assert file.texts(saying) == [saying]
    assert terms(saying)


def test_a_speaker_is_recognised_without_spaces_around_the_name(saying: str) -> None:
    assert named([saying[:2]], f"{saying}?") == {saying[:2]}


def test_what_is_said_again_is_recognised(saying: str) -> None:
    shingler = Shingler(KEYS.digester, ANNAS_SCOPE)
    assert set(shingler.hashes(saying, most=99)) <= set(shingler.hashes(f"You said:{saying}, Anna", most=99))
    again = match(likeness(saying, KEYS.digester), likeness(f" {saying}!", KEYS.digester))
    assert again is not None
    assert again.kind == "exact"


def test_a_turn_that_holds_a_fact_states_it(saying: str) -> None:
    assert has_enough(content_words(f"Oh! {saying}, so that is it."), content_words(saying))


def test_a_turn_that_holds_a_forgotten_fact_goes_with_it(saying: str) -> None:
    log = PaperLog()
    [source] = ids(log.tell(user_says("As I said before.", message_id="m0")))
    [again] = ids(log.tell(user_says(f"Well: {saying}. Right?", message_id="m1")))
    [fact] = ids(log.tell(facts(source, saying)), "fact")
    assert again in forgotten(log.tell(forget(fact)))


def test_an_excerpt_keeps_the_sentence_that_was_asked_for(saying: str) -> None:
    text = "It rained all day. " * 20 + f"{saying}. " + "And then it rained. " * 20
    assert saying in excerpt(text, asked_words(f"{saying[:4]}?"), most=120)


def test_korean_words_are_words_and_are_searched_by_character() -> None:
    assert [word.folded for word in words_of(KOREAN)] == KOREAN.split()
    assert {token.kind for token in surface(KOREAN).tokens} == {"word"}
    assert content_words(KOREAN) == set(KOREAN.split())
    assert spaced(KOREAN).split() == list(KOREAN.replace(" ", ""))


@pytest.mark.parametrize("mark", "・゠。、「」")
def test_a_mark_is_no_character_of_a_script(mark: str) -> None:
    assert words_of(mark) == []
    assert surface(f"猫{mark}犬").tokens[0].key == "猫"
    assert [token.key for token in surface(f"猫{mark}犬").tokens] == ["猫", "犬"]
