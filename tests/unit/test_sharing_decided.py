"""A tag is shared once, taken back once, and goes with the last memory that has it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from services.ingest.domain.policy import SHIPPED
from shared.contracts.errors import Malformed, MemoryOff, SharingOff
from shared.contracts.event import EventData
from shared.contracts.ids import MemoryId, MessageId, Space
from shared.contracts.moving import ImportedRecord, ImportMemories
from shared.contracts.preferences import PersonSettings
from shared.contracts.privacy import Forget, ForgetUser, MemoryForgotten
from shared.contracts.sharing import ShareTag, TagShared, TagUnshared, UnshareTag
from shared.domain.sharing import recipient
from tests.support.commands import change, correct, remember
from tests.support.paper import PaperLog
from tests.support.rules import given, nothing, rejected
from tests.support.scopes import ANNA, KEYS, SPACE

WORK = Space("work")


def share(tag: str = "food", space: str = WORK) -> ShareTag:
    return ShareTag(tag=tag, with_space=Space(space))


def unshare(tag: str = "food", space: str = WORK) -> UnshareTag:
    return UnshareTag(tag=tag, with_space=Space(space))


def said(kind: type[EventData] = TagShared, tag: str = "food", space: str = WORK) -> EventData:
    key = recipient(space, ANNA, KEYS.digester)
    return kind.model_validate({"tag": tag, "with_space": space, "recipient": key})


class TestDecisions:
    """What ingest decides of the two commands."""

    def test_a_tag_is_shared_whether_or_not_anything_has_it_yet(self) -> None:
        given().when(share()).then(said())

    @pytest.mark.parametrize("tag", ["food", "Food", "FOOD"])
    def test_what_is_shared_is_not_shared_again_however_it_is_written(self, tag: str) -> None:
        given(said()).when(share(tag)).then(nothing)

    def test_a_share_is_of_one_tag_and_one_space(self) -> None:
        given(said()).when(share("travel")).then(said(tag="travel"))
        given(said()).when(share(space="club")).then(said(space="club"))

    def test_a_share_is_taken_back_once_and_can_be_given_again(self) -> None:
        given(said()).when(unshare("Food")).then(said(TagUnshared, tag="Food"))
        given(said(), said(TagUnshared)).when(unshare()).then(nothing)
        given(said(), said(TagUnshared)).when(share()).then(said())

    def test_what_was_never_shared_is_not_taken_back(self) -> None:
        given().when(unshare()).then(nothing)
        given(said(space="club")).when(unshare()).then(nothing)

    def test_a_space_shares_nothing_with_itself(self) -> None:
        given().when(share(space=SPACE)).then(rejected(Malformed))

    def test_while_memory_is_off_nothing_is_shared_but_may_be_taken_back(self) -> None:
        log = PaperLog()
        log.tell(share())
        log.tell(change(PersonSettings(memory_enabled=False)))
        with pytest.raises(MemoryOff):
            log.tell(share("travel"))
        assert [event.type for event in log.tell(unshare())] == ["tag_unshared"]

    def test_where_the_operator_does_not_allow_it_nothing_is_shared_but_may_be_taken_back(self) -> None:
        log = PaperLog()
        log.tell(share())
        log.policy = replace(SHIPPED, sharing=False)
        with pytest.raises(SharingOff):
            log.tell(share("travel"))
        assert [event.type for event in log.tell(unshare())] == ["tag_unshared"]


class TestForgetting:
    """The tag is text of the person: it goes with what it was of."""

    def test_a_share_goes_with_the_last_memory_that_has_its_tag(self) -> None:
        log, (one, other) = told("I like sushi", "My soup is cold")
        (shared,) = log.tell(share())
        assert shared.number not in erased(log, one)
        assert shared.number in erased(log, other)
        assert [event.type for event in log.tell(share())] == ["tag_shared"], "nothing of it is known any more"

    def test_a_corrected_fact_keeps_the_tag(self) -> None:
        log, (one,) = told("I like sushi")
        (shared,) = log.tell(share())
        (corrected, _) = log.tell(correct(one, "I like ramen"))
        assert shared.number not in erased(log, one)
        assert shared.number in erased(log, str(corrected.data.subject))

    def test_a_share_goes_when_the_words_of_its_tag_are_forgotten_and_nothing_has_it(self) -> None:
        log, _ = told("My dog is called Rex", tags=())
        (shared,) = log.tell(share("rex"))
        (unrelated,) = log.tell(share("music"))
        [event] = log.tell(Forget(query="Rex"))
        assert isinstance(event.data, MemoryForgotten)
        assert shared.number in event.data.numbers
        assert unrelated.number not in event.data.numbers

    def test_whoever_is_forgotten_shares_nothing(self) -> None:
        log, _ = told("I like sushi")
        log.tell(share())
        log.tell(ForgetUser())
        assert log.tell(unshare()) == []


def test_an_import_takes_over_what_was_shared_in_its_order() -> None:
    log = PaperLog()
    shares = [TagShared(tag="food", with_space=WORK, recipient="0" * 32), TagShared(tag="own", with_space=SPACE, recipient="0")]
    records = [record(number, data) for number, data in enumerate((*shares, shares[0]), start=1)]
    records.append(record(9, TagUnshared(tag="Food", with_space=WORK, recipient="1")))
    told = log.tell(ImportMemories(message_id=MessageId("1"), records=tuple(records)))
    assert [event.data for event in told] == [said(), said(TagUnshared, tag="Food")]


def told(*texts: str, tags: tuple[str, ...] = ("Food",)) -> tuple[PaperLog, list[str]]:
    """A log with these facts, and their ids."""
    log = PaperLog()
    facts = [log.tell(remember(text, tags=tags))[0] for text in texts]
    return log, [str(event.data.subject) for event in facts]


def erased(log: PaperLog, memory_id: str) -> set[int]:
    events = log.tell(Forget(memory_ids=(MemoryId(memory_id),), only=True))
    return {number for each in events if isinstance(each.data, MemoryForgotten) for number in each.data.numbers}


def record(number: int, data: EventData) -> ImportedRecord:
    fields = {"record_id": f"{number:032x}", "command_id": f"{number + 99:032x}", "occurred_at": "2026-03-01T09:00:00Z"}
    return ImportedRecord.model_validate({**fields, "type": data.event_type, "data": data.model_dump(mode="json")})
