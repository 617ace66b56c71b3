from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.ids import CommandId, EventId, Space, User
from shared.domain.digests import Digester, entity_id, event_id, memory_id
from tests.support.scopes import ANNAS_SCOPE, KEYS

parts = st.lists(st.text(max_size=8), max_size=4)
names = st.text(alphabet="ab\0:/.", min_size=1, max_size=4)
DIGESTER = Digester(b"k" * 32)


@given(parts, parts)
def test_two_lists_of_parts_never_share_a_digest(one: list[str], other: list[str]) -> None:
    assert (DIGESTER.digest(*one) == DIGESTER.digest(*other)) == (one == other)


def test_parts_that_join_to_the_same_text_differ() -> None:
    assert len({DIGESTER.digest("ab", "c"), DIGESTER.digest("a", "bc"), DIGESTER.digest("abc")}) == 3


@given(names, names, names, names)
def test_two_pairs_of_space_and_user_never_share_a_scope(space: str, user: str, space2: str, user2: str) -> None:
    same = KEYS.scope_of(Space(space), User(user)) == KEYS.scope_of(Space(space2), User(user2))
    assert same == ((space, user) == (space2, user2))


def test_a_nul_in_an_id_moves_nobody_into_another_scope() -> None:
    assert KEYS.scope_of(Space("a\0b"), User("c")) != KEYS.scope_of(Space("a"), User("b\0c"))


def test_a_digest_depends_on_the_key() -> None:
    assert Digester(b"k" * 32).digest("a") != Digester(b"l" * 32).digest("a")


def test_a_commands_id_depends_on_all_that_names_it() -> None:
    other_scope = KEYS.scope_of(Space("home"), User("ben"))
    found = {
        DIGESTER.command_id(ANNAS_SCOPE, "user_message", "m1"),
        DIGESTER.command_id(ANNAS_SCOPE, "user_message", "m2"),
        DIGESTER.command_id(ANNAS_SCOPE, "agent_response", "m1"),
        DIGESTER.command_id(other_scope, "user_message", "m1"),
        DIGESTER.delivery_id("5e", 1),
        DIGESTER.delivery_id("5e", 2),
        DIGESTER.delivery_id("5f", 1),
    }
    assert len(found) == 7


def test_ids_are_the_same_for_ever() -> None:
    """Written down once: another value would double every command that is sent again."""
    command = KEYS.digester.command_id(ANNAS_SCOPE, "user_message", "m1")
    event = event_id(ANNAS_SCOPE, "user_message", command, 0)
    assert command == "ae44fe340eefa5a617e04dc092e32dab"
    assert event == "0d9eda00e4a8373abe20295e16878051"
    assert memory_id("ep", event) == f"ep_{event[:24]}"


def test_an_events_id_depends_on_its_index_and_command() -> None:
    one, other = CommandId("1" * 32), CommandId("2" * 32)
    found = {event_id(ANNAS_SCOPE, "user_message", command, index) for command in (one, other) for index in (0, 1, 11)}
    assert len(found) == 6


def test_the_prefix_says_what_a_memory_is() -> None:
    assert memory_id("fact", EventId("ab" * 16)).startswith("fact_")


def test_an_entity_has_one_id_for_a_type_and_name() -> None:
    assert entity_id("person", "ben") == entity_id("person", "ben")
    assert len({entity_id("person", "ben"), entity_id("hashtag", "ben"), entity_id("person", "anna")}) == 3
