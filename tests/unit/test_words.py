"""What of a question reaches the full-text index, in many languages, and what never does."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.retriever.domain.full_text import named, terms
from tests.support.files import Shelved, shelved


@pytest.fixture
def file(tmp_path: Path) -> Shelved:
    return shelved(tmp_path / "anna.db")


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("I painted the old boats", "Did you paint a boat?"),
        ("Meine Katzen heißen Mimi und Momo", "Wie heißt die Katze, und wo ist sie?"),
        ("Mes enfants adorent la montagne", "Où est la montagne des enfants ?"),
        ("Tengo dos hermanos en Sevilla", "¿Dónde está mi hermano y qué hace?"),
        ("Abbiamo comprato una casa a Torino", "Quando abbiamo comprato le case?"),
        ("Eu comprei uma bicicleta vermelha", "Onde está a minha bicicletas?"),
        ("Ik heb twee fietsen in de schuur", "Waar is mijn fiets en wat is het?"),
        ("我昨天买了一辆自行车", "自行车在哪里?"),
        ("私は毎朝コーヒーを飲みます", "コーヒーは好きですか"),
        ("ฉันชอบกินข้าวผัด", "ข้าวผัด"),
        ("나는 고양이를 키운다", "고양이"),
        ("مدينتي المفضلة دمشق", "دمشق"),
    ],
)
def test_a_question_finds_what_was_said_in_its_language(file: Shelved, said: str, asked: str) -> None:
    file.say("something else altogether, of no concern")
    file.say(said, session="s2")
    assert file.texts(asked)[:1] == [said]


def test_two_characters_that_stand_apart_are_no_word(file: Shelved) -> None:
    file.say("车行自")
    assert file.texts("自行") == []


@pytest.mark.parametrize(
    ("said", "beside", "asked"),
    [
        ("娘の美咲が合格しました", "京都に行きました。楽しかったです", "娘はどうなりましたか?"),
        ("車をスバルに買い替えました", "素敵ですね。会議は何時ですか", "今の車は何ですか?"),
        ("妻は看護師です", "これは何ですか。職場の話ですか", "妻は何をしていますか?"),
        ("改喝普洱茶", "我做什么都可以", "我喝什么?"),
        ("养了一只猫, 豆包", "我的什么都不叫什么", "我的猫叫什么?"),
    ],
)
def test_a_word_of_one_character_is_found_and_what_only_asks_is_not(file: Shelved, said: str, beside: str, asked: str) -> None:
    file.say(beside)
    file.say(said, session="s2")
    assert file.texts(asked) == [said]


@pytest.mark.parametrize("asked", ["何ですか?", "どこにいますか", "什么?", "在哪里?"])
def test_function_words_of_scripts_without_spaces_alone_ask_for_nothing(asked: str) -> None:
    assert terms(asked) == []


@given(st.text(alphabet="我的猫叫什么名字犬は何歳ですかカタくーやさしい喫茶々ข고a1 ", max_size=40))
def test_what_is_looked_for_stands_in_the_question(text: str) -> None:
    assert all(term.strip('"').replace(" ", "") in text for term in terms(text))


def test_words_that_stand_together_count_more(file: Shelved) -> None:
    apart = "the green parrot sat on a very old and quite broken wooden garden chair"
    together = "a garden parrot sat on the very old and quite broken wooden green chair"
    file.say(apart, session="s1")
    file.say(together, session="s2")
    assert file.texts("garden parrot")[0] == together
    assert file.texts("green parrot")[0] == apart


def test_stop_words_alone_ask_for_nothing() -> None:
    assert terms("what is it to me?") == []
    assert terms("Was ist das für ein?") == []


def test_a_speaker_without_spaces_around_the_name_is_recognised() -> None:
    assert named(["小明", "小红"], "小明喜欢什么?") == {"小明"}


HOSTILE = [
    'a" OR "b', "NEAR(a b)", "a AND NOT b", "turn:a", "a*", "^a", "(", '"', "''", "a\0b", "\ud800", "🙂", "\u202eabc", "%s",
    "{}", "'; DROP TABLE memories; --", "-- ", "\\", "* * *", "a-b+c", "OR", "NOT", "AND AND", "a:b:c", "\n\r\t", "¿?",
    "０１２", "ﷺ",
]  # fmt: skip


@pytest.mark.parametrize("asked", HOSTILE)
def test_hostile_words_are_answered(file: Shelved, asked: str) -> None:
    file.say("a b NEAR AND")
    assert not set(file.match(asked).failed) - {"vector"}


@given(st.text(max_size=300))
def test_any_text_makes_a_query_that_the_index_understands(text: str) -> None:
    matched = _SHARED.match(text)
    assert set(matched.failed) == {"vector"}, (text, matched.failed)


@pytest.fixture(scope="module", autouse=True)
def _shared(tmp_path_factory: pytest.TempPathFactory) -> None:
    global _SHARED  # noqa: PLW0603 - Hypothesis takes no fixture of a test's own
    _SHARED = shelved(tmp_path_factory.mktemp("words") / "anna.db")
    _SHARED.say("near and or not 寿司 katze")


_SHARED: Shelved


def test_words_that_say_little_are_no_terms_unless_there_are_no_others() -> None:
    """The stem of `us` is that of `use` and `used`."""
    assert terms("who visited us again from Poland?") == ['"visited"', '"poland"']
    assert terms("again?") == ['"again"']
    assert terms("Wie viele Katzen haben wir denn wieder?") == ['"katz"*']
