"""Who asks, and whether somebody of another space does."""

from services.ingest.import_pace import ImportPace
from shared.runtime import attention
from shared.runtime.attention import Attention


def test_a_space_is_asked_beside_others_for_a_moment_after_their_question() -> None:
    now = [0.0]
    asked = Attention(lambda: now[0])
    assert not asked.is_asked_beside("home")
    asked.note_question("home")
    assert asked.is_asked
    assert not asked.is_asked_beside("home")
    assert asked.is_asked_beside("work")
    now[0] = attention._STILL_ASKING_S
    assert not asked.is_asked_beside("work")


def test_spaces_that_asked_long_ago_are_forgotten() -> None:
    now = [0.0]
    asked = Attention(lambda: now[0])
    for number in range(3 * attention._MOST_KNOWN):
        now[0] += attention._STILL_ASKING_S
        asked.note_question(f"space {number}")
    assert len(asked._asked_by) <= attention._MOST_KNOWN + 1


def test_two_floods_share_the_rest_of_one_and_end_it_when_nothing_waits() -> None:
    pace = ImportPace()
    assert pace.rest_of_a_flood_s("a", 0.01, is_flooded=True) == 0.08
    assert pace.rest_of_a_flood_s("b", 0.01, is_flooded=True) == 0.16
    assert pace.rest_of_a_flood_s("b", 9.0, is_flooded=True) == 0.25
    assert pace.rest_of_a_flood_s("a", 0.01, is_flooded=False) == 0.0
    assert pace.rest_of_a_flood_s("b", 0.01, is_flooded=True) == 0.08
