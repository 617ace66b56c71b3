"""What a model invents is not learned, and what it only puts into other words is."""

from __future__ import annotations

import pytest

from shared.contracts.parts import Role
from shared.language.statements.grounding import Grounds
from tests.support.chat_endpoint import said
from tests.support.grounding_cases import GOOD, INVENTED, GroundingCase


def is_supported(case: GroundingCase, known: tuple[str, ...] = ()) -> bool:
    texts = said(*(text[2:] for text in case.said))
    roles = {"u": Role.USER, "a": Role.ASSISTANT}
    page = [type(turn)(turn.memory_id, turn.number, roles[text[0]], turn.speaker, turn.text, turn.occurred_at)
            for turn, text in zip(texts, case.said, strict=True)]  # fmt: skip
    return Grounds.of([page[index - 1] for index in case.cited], page, known).supports(case.fact)


@pytest.mark.parametrize("case", GOOD, ids=lambda case: case.fact)
def test_a_fact_in_other_words_is_kept(case: GroundingCase) -> None:
    assert is_supported(case)


@pytest.mark.parametrize("case", INVENTED, ids=lambda case: case.fact)
def test_an_invented_fact_is_refused(case: GroundingCase) -> None:
    assert not is_supported(case)


def test_a_name_may_be_taken_from_what_is_known() -> None:
    case = GroundingCase(("u my sister turned 41 today",), (1,), "The user's sister Grace is 41 years old.")
    assert not is_supported(case)
    assert is_supported(case, known=("The user's sister is called Grace.",))


def test_what_is_known_already_is_no_evidence() -> None:
    case = GroundingCase(("u thanks a lot",), (1,), "The user keeps bees.")
    assert not is_supported(case, known=("The user keeps bees.",))


def test_a_question_of_the_assistants_counts_only_where_the_user_does_not_deny_it() -> None:
    question = "a Do you own a castle in Transylvania?"
    fact = "The user owns a castle in Transylvania."
    assert is_supported(GroundingCase((question, "u yes!"), (2,), fact))
    assert not is_supported(GroundingCase((question, "u no"), (2,), fact))
