"""Forgetting by words: names match names and words match words, and what is not named beyond doubt is asked about first."""

from __future__ import annotations

import pytest

from services.ingest.domain.meaning import states_more
from services.ingest.domain.renewing import new_values
from services.retriever.chat_replies import spoken
from shared.contracts.envelope import Envelope
from shared.contracts.events import EpisodeRecorded
from shared.contracts.ids import MemoryId, SessionId
from shared.contracts.memories import Memory
from shared.contracts.parts import Kind, Role
from shared.contracts.privacy import ChatCommandRead, Forget, MemoryForgotten, StartIncognito
from shared.language.commands.command import ChatCommand, ChatCommandName
from shared.language.commands.reading import read_chat_command
from shared.language.commands.replies import say_what_goes
from shared.language.text.mentions import Fit, fit, topic_of
from tests.support.commands import agent_says, put_right, remember, user_says
from tests.support.paper import AT_ONCE, PaperLog
from tests.support.scopes import T0

OTHERS = [
    ("Mark", "Mark the date: my exam is on 4 June."),
    ("Will", "Will you come with me?"),
    ("May", "I may be allergic to penicillin."),
    ("May", "May I ask you something?"),
    ("Bill", "I pay my bills on Friday."),
    ("Bill", "The bill for the plumber is 50."),
    ("my bills", "I met Bill in the pub."),
    ("Nice", "We found a nice hotel in Lyon."),
    ("Nice", "Nice hotel, that."),
    ("Mark", "I am waiting for my exam marks."),
    ("Hope", "I hoped to study art; hope keeps me going."),
    ("Will", "Will you help me with the garden?"),
    ("Rose", "My rent rose by 50."),
    ("Grace", "We say grace before dinner."),
    ("Sue", "I might sue my landlord."),
    ("Turkey", "I eat turkey at Christmas."),
    ("Reading", "I love reading in bed."),
    ("Jack", "I left my jacket in the car."),
    ("Rob", "The shop was robbed."),
    ("C++", "I take vitamin C daily."),
    ("C", "I write C++ at work."),
    ("C#", "I sing in C major."),
    ("my running", "I run a bakery."),
    ("my rent", "The user rents a garage."),
    ("my will", "I will go to Spain."),
    ("my address", "I live alone."),
    ("my life", "Anna lives in Bergen."),
    ("the news", "I bought a new car."),
    ("Bank", "My bank raised the fees."),
    ("Focus", "I can't focus lately."),
    ("Polo", "I have a polo shirt."),
    ("Galaxy", "I study the galaxy at night."),
    ("the name of my dog", "I walk my dog every day."),
]
SAME = [
    ("May", "My friend May is a nurse."),
    ("Will", "My brother Will is twelve."),
    ("C++", "I write C++ at work."),
    ("c++", "I write C++ at work."),
    ("José", "Jose plays the cello."),
    ("Jose", "My friend José plays the cello."),
    ("Bill", "I live next to Bill's garage."),
    ("quixeldra", "My sister Quixeldra is a nurse."),
    ("the eiffel tower", "We climbed the Eiffel Tower."),
    ("my budget", "The budget is 300."),
    ("寿司", "私は寿司が好きです"),
    ("im diabetic", "I'm diabetic."),
    ("my will", "My will is with the notary."),
    ("Bill", "Bill, my brother, is a nurse."),
    ("Jack", "Jack is my flatmate, he's from Perth."),
    ("friday", "The party is on Friday."),
    ("the name of my dog", "My dog is called Rufus."),
    ("my dog's name", "My dog is called Rufus."),
    ("the pool thing", "The neighbours have a pool."),
    ("Paris", "We met in Paris."),
    ("New York", "I moved to New York in 2012."),
    ("Webb", "I met Mrs Webb on Monday."),
]
OTHER_FORMS = [
    ("Mark", "Mark lent me a drill."),
    ("Frank", "Frank's wallet was stolen."),
    ("Rose", "Rose never liked me."),
    ("may", "May I ask you something?"),
    ("my bills", "The bill for the plumber is 50."),
    ("my child", "My children are ill."),
    ("my city", "I love big cities."),
    ("my résumé", "I sent my resume to Siemens."),
    ("Zorvanda", "my sister zorvanda is a nurse"),
    ("Bill", "Bill has a boat."),
    ("York", "I moved to New York in 2012."),
    ("R", "I live at 4 R Street."),
    ("Christian", "I was raised a Christian."),
    ("Anna", "I read Anna Karenina twice."),
    ("Swift", "Swift is my favourite."),
    ("Sunday", "I work on Sundays."),
    ("april", "I was born in April."),
]


@pytest.fixture
def log() -> PaperLog:
    return PaperLog(AT_ONCE)


def read_fit(query: str, text: str) -> Fit:
    topic = topic_of(query, [text])
    return fit(topic, text) if topic else Fit.NONE


def taken(events: list[Envelope]) -> list[MemoryId]:
    return [each for event in events if isinstance(event.data, MemoryForgotten) for each in event.data.memory_ids]


def answer(events: list[Envelope]) -> ChatCommandRead:
    [found] = [event.data for event in events if isinstance(event.data, ChatCommandRead)]
    return found


def turn(events: list[Envelope]) -> MemoryId:
    [found] = [event.data.memory_id for event in events if isinstance(event.data, EpisodeRecorded)]
    return found


@pytest.mark.parametrize(("query", "text"), OTHERS)
def test_a_name_is_no_word_and_a_word_is_no_name(log: PaperLog, query: str, text: str) -> None:
    assert read_fit(query, text) is Fit.NONE
    log.tell(user_says(text))
    assert not taken(log.tell(Forget(query=query)))
    assert not taken(log.tell(user_says(f"Forget what I said about {query}.")))


@pytest.mark.parametrize(("query", "text"), SAME)
def test_what_is_named_as_it_was_told_is_matched_surely(log: PaperLog, query: str, text: str) -> None:
    assert read_fit(query, text) is Fit.SURE
    told = turn(log.tell(user_says(text)))
    assert taken(log.tell(Forget(query=query))) == [told]


@pytest.mark.parametrize(("query", "text"), OTHER_FORMS)
def test_another_form_of_a_word_is_asked_about(log: PaperLog, query: str, text: str) -> None:
    assert read_fit(query, text) is Fit.LIKELY
    told = turn(log.tell(user_says(text)))
    asked = log.tell(user_says(f"Forget what I said about {query}."))
    assert answer(asked).outcome == "asked_back"
    assert not taken(asked)
    assert told in taken(log.tell(user_says("Yes")))


def test_a_lower_case_word_is_a_name_if_the_person_told_of_one(log: PaperLog) -> None:
    friend = turn(log.tell(user_says("I had lunch with Mark today.")))
    log.tell(user_says("I am waiting for my exam mark."))
    assert taken(log.tell(user_says("forget what i said about mark"))) == [friend]


@pytest.mark.parametrize(
    "text",
    [
        "My last relationship ended in 2019, and we share a daughter, Mia.",
        "We have a daughter, Mia, from my last relationship.",
        "My last relationship gave me my daughter Mia.",
        "My last relationship ended badly. I moved to Leeds afterwards.",
        "I work as a nurse but my last relationship was with a doctor.",
        "My last relationship gave us our twins Ann and Bo.",
        "The photo of my kid Leo is from my last relationship.",
    ],
)
def test_a_turn_that_says_more_than_the_topic_is_asked_about(log: PaperLog, text: str) -> None:
    told = turn(log.tell(user_says(text)))
    asked = log.tell(user_says("Forget my last relationship, I'm moving on!"))
    assert answer(asked).outcome == "asked_back"
    assert told in answer(asked).memory_ids
    assert not taken(asked)
    assert answer(log.tell(user_says("No"))).outcome == "declined"
    assert told in log.words().told


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Quixeldra", "Hi there! My sister is called Quixeldra. How are you?"),
        ("tea", "I like tea, coffee and cake."),
        ("my address", "My address is 5 Elm Street, Leeds."),
        ("my dentist", "My dentist is Dr. Chen."),
        ("my job", "I have a new job at Siemens."),
        ("my car", "My car is a Volvo."),
        ("Zorvanda", "My sister Zorvanda is allergic to walnuts."),
        ("my tattoo", "I have a tattoo of a crow on my back."),
        ("Bartholomew", "Bartholomew owes money to half the village."),
        ("my goddaughter Lily", "Lily is my goddaughter."),
    ],
)
def test_what_only_states_the_topic_is_forgotten_at_once(log: PaperLog, query: str, text: str) -> None:
    told = turn(log.tell(user_says(text)))
    events = log.tell(user_says(f"Forget what I said about {query}."))
    assert (answer(events).outcome, taken(events)) == ("done", [told])


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("my allergy", "My son has an allergy."),
        ("my salary", "My sister's salary is 5000."),
        ("my phone", "My phone number is 555 0199."),
        ("my salary", "I earn 5000 a month."),
        ("my watch", "I watch tennis."),
        ("my run", "I run a bakery."),
        ("5", "I have 5 kids."),
        ("my date", "My date of birth is 3 May."),
        ("my old number", "My number is 555 0199."),
        ("my landline number", "My landline is 0371 554433."),
        ("my mechanic Christian", "Christian fixed my car."),
        ("my landlord being Petrov", "My landlord is Petrov."),
        ("Ann and Bob", "Bob smokes."),
        ("the party", "The party on Saturday is at Bob's, who is allergic to nuts."),
    ],
)
def test_what_may_be_of_somebody_else_or_a_part_of_it_is_asked_about(log: PaperLog, query: str, text: str) -> None:
    told = turn(log.tell(user_says(text)))
    asked = log.tell(user_says(f"Forget what I said about {query}."))
    assert (answer(asked).outcome, taken(asked)) == ("asked_back", [])
    assert told in answer(asked).memory_ids


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("My dog is called Rufus.", "u can forget about rufus"),
        ("Ferenc taught me to sail.", "u can delete everything on ferenc"),
        ("My cousin Fabrizia lives in Siena.", "forget fabrizia pls"),
        ("My mole on the back worries me.", "forget about the mole on my back please"),
        ("My dad's nickname is Bubi.", "forget my dads nickname"),
        ("I never liked my boss Wanda.", "scratch that"),
        ("I never liked my boss Wanda.", "delete that pls"),
        ("I sleepwalk since I was nine.", "forget i said that"),
    ],
)
def test_a_plain_request_is_obeyed_where_one_memory_is_meant(log: PaperLog, text: str, asks: str) -> None:
    log.tell(user_says("I live in Ulm, and the bank is round the corner.", "s0"))
    told = turn(log.tell(user_says(text)))
    events = log.tell(user_says(asks))
    assert (answer(events).outcome, taken(events)) == ("done", [told])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("My dog is called Rufus.", "u can forget about rufus, he's not coming to the park"),
        ("My dog is called Rufus.", "Oh please, forget Rufus"),
        ("My dog is called Rufus.", "Please forget Rufus!"),
        ("My dog is called Rufus.", "forget rufus"),
        ("My bank is round the corner.", "forget the bank"),
        ("My bank is round the corner.", "forget the bank please"),
        ("Tell them that the meeting is on Friday.", "delete that"),
        ("My dog Rufus is old, and my cat is called Momo.", "forget rufus pls"),
        ("My dog is called Rufus.", "forget it"),
    ],
)
def test_what_may_be_talk_is_asked_about(log: PaperLog, text: str, said: str) -> None:
    told = turn(log.tell(user_says(text)))
    events = log.tell(user_says(said))
    assert (answer(events).outcome, taken(events)) == ("asked_back", [])
    assert told in answer(events).memory_ids


@pytest.mark.parametrize(
    "text", ["I was fired. Forget that.", "I was fired, forget i told you", "My ex is back. Please delete this message."]
)
def test_what_the_message_itself_tells_is_meant_and_nothing_before_it(log: PaperLog, text: str) -> None:
    before = turn(log.tell(user_says("I live in Leeds.")))
    events = log.tell(user_says(text))
    assert (answer(events).command, answer(events).outcome) == ("not_this", "done")
    assert list(log.words().told) == [before]


@pytest.mark.parametrize("text", ["the last thing i said: not for the record", "don't save my last message"])
def test_a_wish_that_points_back_takes_the_last_thing(log: PaperLog, text: str) -> None:
    log.tell(user_says("I live in Leeds."))
    last = turn(log.tell(user_says("I was fired.")))
    assert taken(log.tell(user_says(text))) == [last]


def test_a_memory_with_the_answer_to_it_is_one(log: PaperLog) -> None:
    told = turn(log.tell(user_says("My sister Zorvanda is allergic to walnuts.")))
    reply = turn(log.tell(agent_says("I will keep walnuts away from Zorvanda.")))
    assert set(taken(log.tell(user_says("Forget what I said about Zorvanda.")))) == {told, reply}


def test_whoever_is_named_with_a_role_is_no_word_of_another(log: PaperLog) -> None:
    raised = turn(log.tell(user_says("I was raised Christian.")))
    mended = turn(log.tell(user_says("Christian fixed my car.")))
    asked = log.tell(user_says("forget what i said about my mechanic Christian"))
    assert answer(asked).outcome == "asked_back"
    assert mended in answer(asked).memory_ids
    assert raised not in answer(asked).memory_ids


def test_several_memories_are_asked_about_and_nothing_is_lost_before_a_yes(log: PaperLog) -> None:
    first = turn(log.tell(user_says("My sister Zorvanda is allergic to walnuts.")))
    second = turn(log.tell(user_says("I visit Zorvanda every June.", "s2")))
    asked = log.tell(user_says("Forget what I said about Zorvanda.", "s3"))
    assert answer(asked).outcome == "asked_back"
    assert {first, second} < set(answer(asked).memory_ids)
    assert {first, second} < set(log.words().told)
    log.erase()  # the same after a rebuild
    assert {first, second} < set(taken(log.tell(user_says("Yes", "s3"))))
    log.erase()
    assert not any("zorvanda" in event.encode().decode().lower() for event in log.events)


def test_a_fact_of_another_matter_that_would_go_along_is_asked_about(log: PaperLog) -> None:
    log.tell(remember("Anna's sister Zorvanda is a nurse"))
    told = turn(log.tell(user_says("Zorvanda and I run a bakery; my shop is in Leeds.")))
    asked = log.tell(user_says("Forget what I said about Zorvanda."))
    assert answer(asked).outcome == "asked_back"
    assert told in log.words().told


def test_what_mentions_a_common_word_by_the_way_is_asked_about(log: PaperLog) -> None:
    told = turn(log.tell(user_says("The hint for my password is the name of our old dog.")))
    assert answer(log.tell(user_says("Forget what I said about my dog."))).outcome == "asked_back"
    assert told in log.words().told


def test_a_doubtful_command_of_what_is_not_known_is_talk(log: PaperLog) -> None:
    events = log.tell(user_says("Forget about sleeping, the baby screams all night"))
    assert not any(isinstance(event.data, ChatCommandRead) for event in events)
    assert len(log.words().told) == 1


@pytest.mark.parametrize(
    ("text", "sigh"),
    [
        ("I'm on a diet.", "Forget my diet, I had three donuts today lol"),
        ("My diet is vegan.", "Forget my diet, it's my birthday"),
        ("My diet is vegan.", "forget my diet, it's Christmas!"),
        ("My fear of dogs started in Riga.", "Forget my fear of dogs, I own one now haha"),
        ("My fear of heights began on the Eiffel tower.", "Forget my fear of heights, I climbed a 4000er last week!"),
        ("My fear of heights began on the Eiffel tower.", "Forget my fear of heights. We live on the 30th floor now"),
        ("My shyness began at school.", "forget my shyness, i have a girlfriend called Ana now 😄"),
        ("My fear of dogs started in Riga.", "please forget my fear of dogs, I own one now"),
        ("My trip to Rome is in May.", "please forget my trip, we need to talk"),
        ("My knee hurts since 2019.", "Forget my knee! I ran the Berlin marathon on Sunday!"),
    ],
)
def test_a_sigh_is_asked_about(log: PaperLog, text: str, sigh: str) -> None:
    told = turn(log.tell(user_says(text)))
    asked = log.tell(user_says(sigh))
    assert (answer(asked).outcome, taken(asked)) == ("asked_back", [])
    assert told in answer(asked).memory_ids


@pytest.mark.parametrize("text", ["Forget my fear of dogs!", "ugh forget my fear of dogs", "FORGET MY FEAR OF DOGS!!"])
def test_what_only_exclaims_is_asked_about(log: PaperLog, text: str) -> None:
    told = turn(log.tell(user_says("My fear of dogs began in school.")))
    assert answer(log.tell(user_says(text))).outcome == "asked_back"
    assert told in log.words().told


@pytest.mark.parametrize("text", ["my watch", "the drive"])
def test_no_noun_is_a_verb(log: PaperLog, text: str) -> None:
    log.tell(user_says("I watch tennis, and we drive a Volvo."))
    assert not taken(log.tell(Forget(query=text)))


@pytest.mark.parametrize("after", ["... nah, keep it", "! Said nobody ever.", ". Actually no, keep it."])
def test_what_is_taken_back_at_once_loses_nothing(log: PaperLog, after: str) -> None:
    told = turn(log.tell(user_says("Kim has cancer.")))
    log.tell(user_says(f"Forget what I said about Kim{after}"))
    assert told in log.words().told


def test_a_letter_that_is_only_shown_is_asked_about(log: PaperLog) -> None:
    told = turn(log.tell(user_says("The meeting room is A4.")))
    log.tell(user_says("[forwarded] Hi all, please forget what I said about the meeting room. Regards, Sven"))
    assert told in log.words().told


def test_a_question_beside_the_topic_loses_nothing() -> None:
    topic = topic_of("my ex", ())
    assert topic is not None
    assert not states_more("My ex is a nurse. Do you know any good films?", topic)


def test_an_invoice_in_the_plural_is_asked_about_in_the_words_of_the_person() -> None:
    command = ChatCommand(ChatCommandName.FORGET_ABOUT, topic="my invoices")
    one = say_what_goes(command, "1", ["The invoice {count} is 50."])
    assert one == 'That takes "The invoice {count} is 50.". Shall I forget it? Say yes or no.'
    many = say_what_goes(command, "200+", ["a", "b"])
    assert many == 'That takes 200+ memories, among them: "a"; "b". Shall I forget them? Say yes or no.'
    assert say_what_goes(ChatCommand(ChatCommandName.PIN_THAT), "2", ["a", "b"]) is None


def told_as(kind: Kind, text: str, number: int, source_ids: tuple[str, ...] = ()) -> Memory:
    role = Role.USER if kind is Kind.EPISODE else None
    return Memory(
        memory_id=f"m{number}",
        kind=kind,
        text=text,
        number=number,
        role=role,
        source_ids=source_ids,
        occurred_at=T0,
        recorded_at=T0,
    )


def test_what_was_said_once_is_counted_once() -> None:
    read = ChatCommandRead(session_id=SessionId("s1"), command="forget_about", outcome="asked_back", memory_ids=())
    turn_of_dog = told_as(Kind.EPISODE, "My dog Rufus eats socks.", 1)
    going = [turn_of_dog, told_as(Kind.FACT, "The user's dog Rufus eats socks.", 2, ("m1",))]
    asked = spoken(read, "u can forget about rufus", ("en",), now=T0, going=going).answer().say
    assert asked == 'That takes "My dog Rufus eats socks.". Shall I forget it? Say yes or no.'
    more = [*going, told_as(Kind.FACT, "The user's dog Rufus is twelve.", 3)]
    assert (
        spoken(read, "u can forget about rufus", ("en",), now=T0, going=more).answer().say.startswith("That takes 2 memories")
    )


NEW = [
    (
        "The budget is 300.",
        "Forget what I said about the budget, it's 500 now.",
        put_right("the budget …", "it's 500 now"),
    ),
    (
        "The budget is 300.",
        "forget what i said about the budget, its now 500 euros",
        put_right("the budget …", "its now 500 euros"),
    ),
    (
        "The budget is 300.",
        "Forget what I said about the budget. It's 500 now.",
        put_right("the budget …", "It's 500 now"),
    ),
    ("The budget is 300.", "The budget is 500 now, so forget what I said about the budget", "The budget is 500 now"),
    (
        "The budget is 300.",
        "Forget what I said about the budget, the new one is 500",
        put_right("the budget …", "the new one is 500"),
    ),
    (
        "My favourite colour is blue.",
        "Forget my favourite colour, it's green",
        put_right("my favourite colour …", "it's green"),
    ),
    (
        "The meeting is at 3.",
        "Forget what I said about the meeting - we moved it to Tuesday.",
        put_right("the meeting …", "we moved it to Tuesday"),
    ),
    (
        "My dentist is Dr. Chen.",
        "Forget what I said about my dentist, it's Dr. Patel now.",
        put_right("my dentist …", "it's Dr. Patel now"),
    ),
    ("We live in Bergen.", "I moved to Oslo. Forget what I said about Bergen!", "The user moved to Oslo."),
    (
        "Tim is a baker in Leeds.",
        "Forget what I said about Tim, because he moved to Oslo",
        put_right("Tim …", "he moved to Oslo"),
    ),
    (
        "My appointment is on Monday.",
        "Forget what I said about my appointment, it was moved to Friday.",
        put_right("my appointment …", "it was moved to Friday"),
    ),
    (
        "My car is a Fiat.",
        "Forget what I said about the car, I sold it and bought a bike.",
        put_right("the car …", "I sold it and bought a bike"),
    ),
    (
        "My boss is Petra.",
        "Forget what I told you about my boss (it's Eva now, not Petra)",
        put_right("my boss …", "it's Eva now"),
    ),
    ("My address is 3 Ash Road.", "Forget my address, I live at 5 Elm Street now", "The user lives at 5 Elm Street now."),
]
NOTHING_NEW = [
    "Forget what I said about the loan, it's none of your business",
    "Forget what I said about Marco, he's a jerk",
    "Forget my ex, it's too complicated",
    "Forget what I said about the money, it was a mistake",
    "Forget my last relationship, I'm moving on!",
    "I broke up with Bob. Please forget what I said about Bob.",
    "Please forget what I said about Anna, she told me it is settled",
    "Forget what I said about my weight, it isn't 80",
    "Forget what I said about my ex, it's over now",
    "Forget what I said about my salary, it was 5000 back then",
]


@pytest.mark.parametrize(("old", "command", "new"), NEW)
def test_a_correction_beside_the_command_is_kept_and_the_old_value_goes(
    log: PaperLog, old: str, command: str, new: str
) -> None:
    turn(log.tell(user_says(old)))
    events = log.tell(user_says(command, message_id="m1"))
    assert (answer(events).outcome, bool(taken(events))) == ("done", True)
    log.erase()
    [kept] = [told.texts[0] for told in log.words().told.values()]
    assert kept == new
    assert not any(old.rstrip(".") in event.encode().decode() for event in log.events)
    assert not log.tell(user_says(command, message_id="m1"))  # sent again, it is known


@pytest.mark.parametrize("command", NOTHING_NEW)
def test_what_only_says_why_is_no_new_value(command: str) -> None:
    found = read_chat_command(command)
    assert found is not None
    assert new_values(command, found) == ()


@pytest.mark.parametrize("reply", ["Yes", "No"])
def test_a_topic_that_says_what_was_is_renewed_by_its_thing(log: PaperLog, reply: str) -> None:
    log.tell(user_says("My landlord is Petrov."))
    log.tell(user_says("forget the thing about my landlord being Petrov, he's called Kowalczyk"))
    log.tell(user_says(reply))
    told = [each.texts[0] for each in log.words().told.values()]
    assert any("he's called Kowalczyk" in text for text in told)
    assert ("My landlord is Petrov." in told) is (reply == "No")


@pytest.mark.parametrize("reply", ["Yes", "No"])
def test_a_new_value_stays_whatever_the_answer_to_the_question(log: PaperLog, reply: str) -> None:
    log.tell(user_says("The budget for the kitchen is 300."))
    log.tell(user_says("I worry about the budget.", "s2"))
    asked = log.tell(user_says("Forget what I said about the budget, it's 500 now."))
    assert answer(asked).outcome == "asked_back"
    log.tell(user_says(reply))
    told = [each.texts[0] for each in log.words().told.values()]
    assert put_right("the budget …", "it's 500 now") in told
    assert ("The budget for the kitchen is 300." in told) is (reply == "No")


def test_nothing_new_is_kept_in_an_incognito_session(log: PaperLog) -> None:
    log.tell(user_says("The budget is 300."))
    log.tell(StartIncognito(session_id=SessionId("s1")))
    log.tell(user_says("Forget what I said about the budget, it's 500 now."))
    assert not any("500" in text for told in log.words().told.values() for text in told.texts)


def test_what_a_fact_about_a_name_takes_does_not_mistake_the_name(log: PaperLog) -> None:
    log.tell(remember("May lives in Oslo"))
    other = turn(log.tell(user_says("I may live in Oslo.")))
    same = turn(log.tell(user_says("Did I say that my friend May lives in Oslo?")))
    taken_along = taken(log.tell(Forget(query="May")))
    assert same in taken_along
    assert other not in taken_along


def test_an_answer_that_repeats_the_old_number_goes_with_it(log: PaperLog) -> None:
    log.tell(user_says("The budget is 300."))
    log.tell(agent_says("Fine, 300 then."))
    log.tell(user_says("Forget what I said about the budget, it's 500 now."))
    assert [told.texts[0] for told in log.words().told.values()] == [put_right("the budget …", "it's 500 now")]


@pytest.mark.parametrize("query", ["5588219034", "55-8821-9034", "558 821 9034"])
def test_a_long_number_is_known_however_its_digits_are_grouped(query: str) -> None:
    log = PaperLog()
    for text in ("My account at Norrbank is 55 8821 9034.", "I was born in 1988.", "My room is 5588."):
        log.tell(user_says(text))
    log.tell(Forget(query=query))
    assert [told.texts[0] for told in log.words().told.values()] == ["I was born in 1988.", "My room is 5588."]
