import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.contracts.errors import InvalidToken
from shared.contracts.ids import Scope, Slot, Space, User
from shared.contracts.subjects import (
    MAX_TOKEN_BYTES,
    SLOTS,
    SentSubject,
    ask_subject,
    decode_names,
    decode_token,
    encode_token,
    may_mean,
    meant_names,
    memory_subject,
    rejected_subject,
    scope_filter,
    scope_of_subject,
    send_subject,
    slot_of,
    work_subject,
)
from tests.support.scopes import HOSTILE_IDS

ids = st.text(min_size=1, max_size=MAX_TOKEN_BYTES).filter(lambda text: len(text.encode()) <= MAX_TOKEN_BYTES)
tokens = st.text(alphabet="abcAF09%2eE. *>\x00é", min_size=1, max_size=12)


@given(ids)
def test_an_id_survives_its_token(text: str) -> None:
    assert decode_token(encode_token(text)) == text


@given(ids)
def test_a_token_is_printable_ascii_without_the_signs_that_nats_understands(text: str) -> None:
    assert re.fullmatch(r"[!-~]+", encode_token(text))
    assert not set(encode_token(text)) & set(".*> ")


@given(ids, ids)
def test_two_ids_never_share_a_token(one: str, other: str) -> None:
    assert (encode_token(one) == encode_token(other)) == (one == other)


@given(tokens)
def test_what_decodes_is_the_only_spelling_of_its_id(token: str) -> None:
    try:
        text = decode_token(token)
    except InvalidToken:
        return
    assert encode_token(text) == token


@pytest.mark.parametrize("text", HOSTILE_IDS)
def test_a_hostile_id_is_one_plain_token(text: str) -> None:
    assert decode_token(encode_token(text)) == text
    assert send_subject(Space(text), User(text), "user_message").count(".") == 3


@pytest.mark.parametrize(
    "token",
    ["", "a.b", "a b", "*", ">", "%2e", "%61", "a%", "%zz", "%", "é", "%FF", "%C0%AE", "%ED%A0%80", "a\n", "%25%2"],
)
def test_any_other_spelling_is_refused(token: str) -> None:
    with pytest.raises(InvalidToken):
        decode_token(token)


@pytest.mark.parametrize("text", ["", "x" * 129, "ü" * 65, "\ud800"])
def test_an_id_that_is_empty_too_long_or_no_unicode_is_refused(text: str) -> None:
    with pytest.raises(InvalidToken):
        encode_token(text)


@pytest.mark.parametrize(
    ("space", "user", "words"),
    [
        ("", "anna", "the space is empty"),
        ("shop", "", "the user id is empty"),
        ("shop", "ü" * 65, "the user id has 130 bytes"),
        ("\ud800", "anna", "the space holds half of a surrogate pair"),
    ],
)
def test_a_refusal_says_which_id_is_wrong(space: str, user: str, words: str) -> None:
    for subject in (send_subject, ask_subject, work_subject):
        with pytest.raises(InvalidToken, match=words):
            subject(Space(space), User(user), "anything")


@pytest.mark.parametrize(("tokens", "words"), [(("%zz", "anna"), "the space"), (("shop", "a%2eb"), "user id .* as a%2Eb")])
def test_a_refused_token_says_whose_it_is(tokens: tuple[str, str], words: str) -> None:
    with pytest.raises(InvalidToken, match=words):
        decode_names(*tokens)


def test_a_wrong_spelling_is_answered_with_the_right_one() -> None:
    with pytest.raises(InvalidToken, match="write it as a%2Eb"):
        decode_token("a%2eb")


@given(ids)
def test_a_slot_is_one_of_64(text: str) -> None:
    assert 0 <= slot_of(User(text)) < SLOTS


def test_slots_are_used_evenly() -> None:
    used = [slot_of(User(f"user-{number}")) for number in range(6_400)]
    assert set(used) == set(range(SLOTS))
    assert max(used.count(Slot(slot)) for slot in range(SLOTS)) < 200


@pytest.mark.parametrize(("user", "slot"), [("anna", 59), ("u1", 51)])
def test_a_slot_never_changes(user: str, slot: int) -> None:
    assert slot_of(User(user)) == slot


@given(ids, ids)
def test_every_subject_has_the_tokens_that_its_stream_expects(space: str, user: str) -> None:
    for build in (send_subject, work_subject, ask_subject):
        assert len(build(Space(space), User(user), "what").split(".")) == 4


def test_a_log_subject_holds_its_scope() -> None:
    subject = memory_subject(Slot(7), Scope("ab" * 16), "episode_recorded")
    assert subject == f"memory.7.{'ab' * 16}.episode_recorded"
    assert scope_of_subject(subject) == "ab" * 16
    assert subject.startswith(scope_filter(Slot(7), Scope("ab" * 16)).removesuffix(">"))


@given(tokens, tokens, tokens)
def test_whatever_was_sent_gets_a_plain_subject_in_rejected(space: str, user: str, what: str) -> None:
    space, user, what = (token.replace(".", "_") for token in (space, user, what))
    sent = SentSubject("send", Slot(3), space, user, what)
    assert re.fullmatch(r"rejected\.\d+(\.[!-)+,\-/-=?-~]+){3}", rejected_subject(sent))


def test_a_good_token_keeps_its_spelling_in_rejected() -> None:
    assert rejected_subject(SentSubject("send", Slot(3), "a%2Eb", "anna", "nosuch")) == "rejected.3.a%2Eb.anna.nosuch"


@pytest.mark.parametrize("spelling", ["anna%2Ex%40mail", "anna%2ex@mail", "%61nna%2Ex@mail", "anna%2Ex@mail"])
def test_whatever_its_spelling_a_refused_message_is_kept_with_the_person_it_means(spelling: str) -> None:
    person = Space("home"), User("anna.x@mail")
    is_canonical = spelling == "anna%2Ex@mail"
    sent = SentSubject("send", slot_of(person[1]) if is_canonical else Slot(3), "home", spelling, "user_message")
    assert meant_names(sent) == person
    assert may_mean(sent, *person)
    kept = rejected_subject(sent)
    assert kept == f"rejected.{slot_of(person[1])}.home.anna%2Ex@mail.user_message"
    assert may_mean(SentSubject.parse(kept), *person)


def test_what_was_kept_encoded_once_more_may_mean_the_person_too() -> None:
    kept = SentSubject.parse("rejected.3.home.anna%252Ex%2540mail.user_message")
    assert may_mean(kept, Space("home"), User("anna.x@mail"))
    assert not may_mean(kept, Space("home"), User("anna"))
    assert not may_mean(kept, Space("work"), User("anna.x@mail"))


def test_a_token_that_is_no_text_means_nobody() -> None:
    sent = SentSubject("send", Slot(3), "home", "%FF", "user_message")
    assert meant_names(sent) is None
    assert not may_mean(sent, Space("home"), User("anna"))
