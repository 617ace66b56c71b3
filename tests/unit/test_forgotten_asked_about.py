"""What a bot asks about what was forgotten, naming nobody, is not recorded; what only shares a word with it is."""

from __future__ import annotations

import pytest

from shared.contracts.errors import Forgotten
from tests.support.commands import agent_says, user_says
from tests.support.paper import AT_ONCE, PaperLog

FORGOTTEN = {
    "Zdenka": "My flatmate Zdenka is hooked on sleeping pills since the divorce.",
    "Tomasz": "My brother Tomasz lost his licence for speeding on the motorway.",
}


def log_without(name: str) -> PaperLog:
    log = PaperLog(AT_ONCE)
    log.tell(user_says(FORGOTTEN[name]))
    log.tell(user_says(f"Forget what I said about {name}"))
    return log


def test_a_bot_that_asks_about_it_without_a_name_is_not_recorded() -> None:
    with pytest.raises(Forgotten):
        log_without("Zdenka").tell(agent_says("are the sleeping pills still a problem since the divorce?"))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Zdenka", "Divorce is hard on everyone."),
        ("Zdenka", "Sleeping pills can be habit forming, ask a doctor."),
        ("Zdenka", "After a divorce many people sleep badly."),
        ("Tomasz", "Speeding on a motorway is dangerous."),
        ("Tomasz", "You need a licence to drive."),
    ],
)
def test_what_shares_a_word_or_two_with_it_is_recorded(name: str, text: str) -> None:
    assert log_without(name).tell(agent_says(text))
