"""What a space reads of another: only what is shared, only now, marked with where it is from, and never a copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from services.retriever import sharing
from shared.contracts.commands import RememberFact
from shared.contracts.ids import MemoryId, SessionId, Space
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, ForgetUser, StartIncognito
from shared.contracts.queries import ScoredMemory
from shared.contracts.sharing import ShareTag, UnshareTag
from shared.contracts.undoing import Undo
from tests.support.commands import change, correct, remember, restore, user_says
from tests.support.scopes import ANNA, ANNAS_SCOPE, BEN
from tests.support.spaces import Spaces

HOME, WORK, CLUB = "home", "work", "club"
SUSHI, DOCTOR = "My favourite food is sushi", "My doctor is called Petrov"


@pytest.fixture
def spaces(tmp_path: Path) -> Iterator[Spaces]:
    spaces = Spaces(tmp_path)
    spaces.tell(HOME, remember(SUSHI, tags=("Food", "private")))
    spaces.tell(HOME, remember(DOCTOR, tags=("health",)))
    yield spaces
    spaces.close()


def share(tag: str = "food", space: str = WORK) -> ShareTag:
    return ShareTag(tag=tag, with_space=Space(space))


def of_session(text: str, *tags: str, source_ids: tuple[str, ...] = ()) -> RememberFact:
    return RememberFact(text=text, tags=tags, session_id=SessionId("s1"), source_ids=source_ids)


def texts(items: list[ScoredMemory]) -> list[str]:
    return [item.text for item in items]


def test_nothing_is_read_before_it_is_shared_nor_anything_else_after(spaces: Spaces) -> None:
    assert spaces.given(WORK, f"{SUSHI} {DOCTOR}") == []
    spaces.tell(HOME, share())
    assert texts(spaces.given(WORK, f"{SUSHI} {DOCTOR}")) == [SUSHI]
    assert spaces.given(CLUB, SUSHI) == []
    assert spaces.given(WORK, SUSHI, user=BEN) == []
    assert spaces.given(HOME, SUSHI) == []


def test_a_context_says_where_it_is_from_also_where_nothing_is_known_of_the_person(spaces: Spaces) -> None:
    spaces.tell(HOME, share())
    answer = spaces.context(WORK, "What is my favourite food?")
    assert [(item.text, item.origin) for item in answer.items] == [(SUSHI, HOME)]
    assert "from: home" in answer.markdown
    assert not answer.abstained
    spaces.tell(WORK, remember("I write reports on Mondays"))
    assert "from: home" in spaces.context(WORK, "What is my favourite food?").markdown


def test_it_stands_among_what_is_the_spaces_own_and_what_both_say_stands_once(spaces: Spaces) -> None:
    spaces.tell(WORK, remember("My favourite food at work is soup"))
    spaces.tell(HOME, share())
    items = spaces.context(WORK, "What is my favourite food?").items
    assert {(item.text, item.origin) for item in items} == {(SUSHI, HOME), ("My favourite food at work is soup", None)}
    spaces.tell(WORK, remember(SUSHI))
    items = spaces.context(WORK, "What is my favourite food?").items
    assert [item.origin for item in items if item.text == SUSHI] == [None]


def test_it_tells_nothing_of_the_rest_of_its_space(spaces: Spaces) -> None:
    spaces.tell(HOME, of_session("I like ramen", "food", "secret project", source_ids=("outside",)))
    spaces.tell(HOME, share())
    for item in spaces.given(WORK, "ramen sushi"):
        told = item.model_dump(exclude_defaults=True)
        assert set(told) <= {
            *("memory_id", "kind", "text", "number", "occurred_at", "recorded_at", "tags", "score", "origin", "importance"),
            *("confidence", "by_now"),
        }
        assert [tag.casefold() for tag in item.tags] == ["food"]
        assert item.number == 0


def test_what_is_revoked_forgotten_retired_or_replaced_is_not_read_any_more(spaces: Spaces) -> None:
    spaces.tell(HOME, share())
    (item,) = spaces.given(WORK, SUSHI)
    spaces.tell(HOME, Undo(memory_id=MemoryId(item.memory_id)))
    assert spaces.given(WORK, SUSHI) == []
    spaces.tell(HOME, restore(item.memory_id))
    assert texts(spaces.given(WORK, SUSHI)) == [SUSHI]
    spaces.tell(HOME, correct(item.memory_id, "My favourite food is ramen"))
    assert texts(spaces.given(WORK, "favourite food")) == ["My favourite food is ramen"]
    spaces.tell(HOME, UnshareTag(tag="FOOD", with_space=Space(WORK)))
    assert spaces.given(WORK, "favourite food") == []
    spaces.tell(HOME, share())
    spaces.tell(HOME, Forget(query="ramen"))
    assert spaces.given(WORK, "favourite food") == []


@pytest.mark.parametrize("off", [PersonSettings(memory_enabled=False), PersonSettings(incognito_default=True)])
@pytest.mark.parametrize("first_word", [SUSHI, "favourite"])
def test_a_space_that_is_off_or_incognito_gives_nothing_until_it_is_on_again(
    spaces: Spaces, off: PersonSettings, first_word: str
) -> None:
    spaces.tell(HOME, share())
    spaces.tell(HOME, change(off))
    assert spaces.given(WORK, first_word) == []
    assert spaces.context(WORK, first_word).items == ()
    spaces.tell(HOME, change(PersonSettings(memory_enabled=True, incognito_default=False)))
    assert texts(spaces.given(WORK, first_word)) == [SUSHI]


def test_a_space_that_is_off_or_a_session_that_is_incognito_is_given_nothing(spaces: Spaces) -> None:
    spaces.tell(HOME, share())
    spaces.tell(WORK, StartIncognito(session_id=SessionId("s1")))
    assert spaces.context(WORK, SUSHI, session_id=SessionId("s1")).withheld == "incognito"
    assert spaces.context(WORK, SUSHI, incognito=True).items == ()
    spaces.tell(WORK, change(PersonSettings(memory_enabled=False)))
    answer = spaces.context(WORK, SUSHI)
    assert (answer.items, answer.withheld) == ((), "memory_off")


def test_who_is_forgotten_gives_nothing_and_who_is_forgotten_elsewhere_is_still_given(spaces: Spaces) -> None:
    spaces.tell(HOME, share())
    spaces.tell(WORK, remember("I write reports"))
    spaces.tell(WORK, ForgetUser())
    assert texts(spaces.given(WORK, SUSHI)) == [SUSHI]
    spaces.tell(HOME, ForgetUser())
    assert spaces.given(WORK, SUSHI) == []
    spaces.tell(HOME, remember(SUSHI, tags=("food",)))
    assert spaces.given(WORK, SUSHI) == []


def test_the_limits_of_a_question_count_for_what_is_given(spaces: Spaces) -> None:
    spaces.tell(HOME, share())
    assert texts(spaces.given(WORK, SUSHI, tags=("food",))) == [SUSHI]
    assert spaces.given(WORK, SUSHI, tags=("health",)) == []
    assert spaces.context(WORK, SUSHI, limit=1, budget_tokens=60).tokens <= 60


def test_a_session_of_the_same_name_elsewhere_is_not_the_current_one(spaces: Spaces) -> None:
    spaces.tell(HOME, of_session("I like ramen", "food"))
    spaces.tell(HOME, share())
    assert "I like ramen" in texts(list(spaces.context(WORK, "Do I like ramen?", session_id=SessionId("s1")).items))


def test_where_the_operator_does_not_allow_it_nothing_is_read(tmp_path: Path) -> None:
    spaces = Spaces(tmp_path, sharing=False)
    spaces.tell(HOME, remember(SUSHI, tags=("food",)))
    spaces.tell(HOME, share())
    assert spaces.given(WORK, SUSHI) == []
    spaces.close()


def test_no_byte_of_it_is_in_the_files_of_the_other_space(spaces: Spaces) -> None:
    spaces.tell(WORK, user_says("What do I like?", "s1"))
    spaces.tell(HOME, share())
    assert spaces.given(WORK, SUSHI)
    spaces.memories.flush()
    assert b"sushi" in spaces.bytes_of(HOME)
    assert b"sushi" not in spaces.bytes_of(WORK)
    spaces.tell(HOME, Forget(query="sushi"))
    spaces.erase()
    assert b"sushi" not in spaces.bytes_of(HOME) + spaces.bytes_of(WORK)


def test_after_an_erasure_nobody_is_known_that_only_erased_shares_named(spaces: Spaces, tmp_path: Path) -> None:
    spaces.tell(HOME, share())
    spaces.tell(HOME, share("health", CLUB))
    assert len(spaces.memories.index.recipients(ANNAS_SCOPE)) == 2
    spaces.tell(HOME, Forget(query="sushi"))
    spaces.erase()
    assert len(spaces.memories.index.recipients(ANNAS_SCOPE)) == 1
    assert spaces.digests() == spaces.digests_of_a_rebuild(tmp_path / "rebuilt")
    assert texts(spaces.given(CLUB, DOCTOR, user=ANNA)) == [DOCTOR]


def test_a_file_that_fails_gives_nothing_and_the_space_answers(spaces: Spaces, monkeypatch: pytest.MonkeyPatch) -> None:
    spaces.tell(HOME, share())
    spaces.tell(WORK, remember("My favourite food at work is soup"))

    def broken(*_: object) -> None:
        raise OSError("the disk is gone")

    monkeypatch.setattr(sharing, "given_to", broken)
    assert texts(list(spaces.context(WORK, "What is my favourite food?").items)) == ["My favourite food at work is soup"]
