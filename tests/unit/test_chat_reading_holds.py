"""Whatever is written, the reading of chat commands ends, soon, and keeps to what was written."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shared.contracts.parts import MAX_TEXT_CHARACTERS
from shared.language.commands.language import language
from shared.language.commands.line import words_in
from shared.language.commands.reading import read_answer, read_chat_command, read_chat_commands
from shared.language.commands.slips import Slips
from shared.language.text.sentences import message_sentences
from tests.support.examples import examples

PIECES = [
    "forget",
    "that",
    "what I said",
    "about",
    "Bob",
    "remember",
    "please",
    "could you",
    "and",
    "so",
    "because",
    "no",
    "yes",
    "if",
    "he told me",
    "turn memory off",
    "pin",
    "it",
    "the",
    "memory",
    ",",
    ":",
    ".",
    "!",
    "?",
    "\n",
    " ",
    "'",
    '"',
    "“",
    "”",
    "«",
    "`",
    "```",
    ">",
    "- ",
    "1. ",
    "(",
    ")",
    "<q>",
    "🙂",
    "é",
    "ß",
    "İ",
    "ﬁ",
    "\x00",
    "\t",
    "\r",
    "\u2028",
    "*",
    "_",
    "-",
    "@",
    "/",
]
TEXTS = st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=40).map(" ".join)
REPEATED = [
    "forget, ",
    "forget that. ",
    "forget what i said about x, ",
    "forget what i said about ",
    "remember that i ",
    "'a ",
    '"',
    "“",
    "`",
    "<q>",
    "please ",
    "ok ok, ",
    "and , ",
    "no, ",
    "🙂",
    "! ",
    "remove x from ",
    "what do you remember about ",
    "a.b-",
]


@given(TEXTS)
@example("_")
@example("forget that\x00")
@example("İ forget what I said about İİİ")
def test_words_that_are_read_were_written(text: str) -> None:
    written = "".join(text.split())
    for command in read_chat_commands(text, languages=("en", "de")):
        for words in (command.topic, command.fact):
            assert words is None or (words and "".join(words.split()) in written)
        assert 0 < command.confidence < 1
    read_answer(text, languages=("en", "de"))


@given(TEXTS)
def test_the_one_command_is_among_all(text: str) -> None:
    commands, one = read_chat_commands(text), read_chat_command(text)
    assert one in commands if commands else one is None


@given(TEXTS)
def test_no_command_is_passed_over_for_want_of_a_cue(text: str) -> None:
    assert language("en").may_be_read(words_in(text)) or not read_chat_commands(text)


@given(TEXTS)
def test_a_quoted_message_is_no_command(text: str) -> None:
    line = text.replace("\n", " ")
    for quoted in (
        f"> {line}",
        f"`{line.replace('`', '')}`",
        f"```\n{text.replace('`', '')}\n```",
        "“" + line.replace("”", "") + "”",
    ):
        if not any(mark in quoted[1:] for mark in '“”"`' if mark != quoted[0]):
            assert read_chat_commands(quoted.replace('"', "")) == ()


@given(TEXTS)
def test_sentences_are_parts_of_the_text(text: str) -> None:
    for sentence in message_sentences(text):
        assert sentence.text in text
        assert len(sentence.text) == len(sentence.shown)


@settings(max_examples=examples(25))
@given(st.lists(st.sampled_from([*REPEATED, *PIECES]), min_size=1, max_size=4), st.sampled_from(["", "\n"]))
@example(["no, "], "\n")
@example(["'a "], "")
def test_the_longest_hostile_text_is_read_to_its_end(parts: list[str], end: str) -> None:
    """Not timed: an expression that exploded would run into the suite's limit of two minutes."""
    unit = "".join(parts)
    block = (unit * 1_000)[:990] + end if end else unit
    text = ("forget " + block * MAX_TEXT_CHARACTERS)[:MAX_TEXT_CHARACTERS]
    read_chat_command(text, languages=("en", "de"))


@pytest.mark.parametrize("slip", ["froget", "forgte", "frgt", "fogret"])
def test_a_slip_means_its_word_and_a_real_word_means_itself(slip: str) -> None:
    slips = Slips(["forget", "remember"])
    assert slips.meant(slip) == "forget"
    assert slips.meant("forget") is None
    assert slips.meant("forge") is None
