import builtins

import pytest

from shared.contracts.errors import (
    OUTCOMES,
    Disposition,
    MemstreamError,
    NotCaughtUp,
    NotRecorded,
    Rejected,
    error_classes,
    outcome_of,
)
from shared.contracts.queries import ErrorAnswer


def descendants(cls: type[MemstreamError]) -> set[type[MemstreamError]]:
    return {cls}.union(*(descendants(child) for child in cls.__subclasses__()))


ALL = sorted(
    (cls for cls in descendants(MemstreamError) if cls.__module__.startswith("shared.contracts.")), key=lambda c: c.__name__
)


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_every_error_has_its_row_a_code_of_its_own_and_a_default_message(cls: type[MemstreamError]) -> None:
    assert cls in OUTCOMES
    assert "code" in vars(cls)
    assert cls().message == (cls.__doc__ or "").strip() != ""


def test_the_table_has_no_row_too_many() -> None:
    assert set(OUTCOMES) == set(ALL)


def test_no_two_errors_share_a_code() -> None:
    assert len({cls.code for cls in ALL}) == len(ALL)
    assert error_classes() == {cls.code: cls for cls in ALL}


def test_no_error_shadows_a_builtin() -> None:
    assert not [cls.__name__ for cls in ALL if hasattr(builtins, cls.__name__)]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_what_was_refused_is_kept_and_nothing_else_is(cls: type[MemstreamError]) -> None:
    outcome = OUTCOMES[cls]
    if issubclass(cls, Rejected):
        assert outcome.disposition is Disposition.DEAD_LETTER
    if issubclass(cls, NotRecorded):
        assert outcome.disposition is Disposition.ERASE
        return
    assert 400 <= outcome.http_status < 600
    assert 0 < outcome.exit_code < 126


def test_an_error_without_a_row_takes_that_of_its_ancestor() -> None:
    class Later(NotCaughtUp):
        """Not yet."""

    assert outcome_of(Later()) is OUTCOMES[NotCaughtUp]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_an_error_survives_the_wire(cls: type[MemstreamError]) -> None:
    answer = ErrorAnswer.model_validate_json(ErrorAnswer.of(cls("what happened")).model_dump_json())
    raised = answer.raised()
    assert (type(raised), raised.message) == (cls, "what happened")


def test_an_error_of_a_newer_memstream_is_raised_as_the_root() -> None:
    answer = ErrorAnswer.model_validate({"error": {"code": "from_the_future", "message": "hm"}})
    assert type(answer.raised()) is MemstreamError
