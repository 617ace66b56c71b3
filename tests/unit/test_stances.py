"""A fact that turns the sense of its source round is no paraphrase of it."""

from __future__ import annotations

import pytest

from shared.language.statements.stances import turns_sense

TURNED = """
I keep two rabbits called Pip and Mo. => The user does not keep two rabbits called Pip and Mo.
I am not allergic to nuts. => The user is allergic to nuts.
I hate cilantro. => The user loves cilantro.
I hate cilantro. => The user likes cilantro.
I love cilantro. => The user hates cilantro.
My brother Tim lives in Bonn. => The user lives in Bonn.
Do I have diabetes? => The user has diabetes.
If I win, I buy a boat. => The user buys a boat.
I almost bought a Tesla. => The user bought a Tesla.
I stopped smoking => The user smokes.
I used to smoke => The user smokes.
I rarely drink beer => The user drinks beer.
I live in Bonn, my brother Tim in Ulm => The user lives in Ulm.
I might move to Rome. => The user moves to Rome.
Should I get a dog? => The user has a dog.
Should I get a dog? => The user gets a dog.
I wish I had a dog => The user has a dog.
I had a dog => The user has a dog.
I was a teacher in Ghent => The user is a teacher in Ghent.
I lived in Rome for ten years => The user lives in Rome.
I'm going to move to Lyon next year => The user lives in Lyon.
I'm going to move to Lyon next year => The user moved to Lyon.
I will start at Bosch in April => The user works at Bosch.
I never eat meat => The user eats meat.
I'm not a fan of opera => The user is a fan of opera.
I'm a fan of opera => The user is not a fan of opera.
My mother is a nurse => The user is a nurse.
Tim is a vegetarian => The user is a vegetarian.
She lives in Bonn => The user lives in Bonn.
I live in Bonn => The user's brother lives in Bonn.
I haven't been to Japan => The user has been to Japan.
I no longer work at Siemens => The user works at Siemens.
I don't hate cilantro => The user hates cilantro.
Unless my visa is refused, I move to Canada in June. => The user moves to Canada in June.
I move to Canada in June unless my visa is refused. => The user moves to Canada in June.
Ich bin nicht allergisch gegen Nüsse => The user is allergic to nuts.
Ich bin nicht allergisch gegen Nüsse => Der Nutzer ist allergisch gegen Nüsse.
Ich rauche nicht mehr => Der Nutzer raucht.
Ich hasse Koriander => Der Nutzer liebt Koriander.
Ich hasse Koriander => The user loves coriander.
Meine Schwester lebt in Bonn => The user lives in Bonn.
Meine Schwester lebt in Bonn => Der Nutzer lebt in Bonn.
No tengo hijos => The user has children.
No me gusta el queso => Al usuario le gusta el queso.
Je ne fume pas => L'utilisateur fume.
Est-ce que j'ai le diabète ? => L'utilisateur a le diabète.
Maybe I have ADHD => The user has ADHD.
I think I'm allergic to cats => The user is allergic to cats.
What if I am pregnant? => The user is pregnant.
My friend Sara has a Tesla => The user has a Tesla.
My boss is going to Rome => The user is going to Rome.
I seldom go running => The user goes running.
I would like to learn Italian => The user speaks Italian.
I'd love to live in Porto => The user lives in Porto.
I can't swim => The user can swim.
I sold my car => The user owns a car.
I quit my job at Siemens => The user has a job at Siemens.
I didn't pass my driving test => The user passed the driving test.
We are not married => The user is married.
I don't have any pets => The user has pets.
Is my daughter allergic to cats? => The user's daughter is allergic to cats.
I have no siblings => The user has siblings.
If it rains I stay home => The user stays home.
My neighbour plays the drums => The user plays the drums.
My wife doesn't eat fish => The user's wife eats fish.
My wife doesn't eat fish => The user doesn't eat fish.
Tom's car is red => The user's car is red.
I hardly ever cook => The user cooks.
I was planning to buy a house => The user bought a house.
I nearly died in 2019 => The user died in 2019.
I don't own a car => The user owns a car.
My colleague Priya is from Mumbai. => The user is from Mumbai.
Would you recommend moving to Lisbon? => The user is moving to Lisbon.
I used to play the violin. => The user plays the violin.
I'm thinking about becoming a vegetarian => The user is a vegetarian.
My doctor told me not to drink coffee => The user drinks coffee.
I almost never eat out => The user eats out.
I have never smoked => The user has smoked.
I gave up coffee last year => The user drinks coffee.
My ex-wife lives in Leeds => The user lives in Leeds.
When will I get my visa? => The user gets their visa.
Could I be pregnant? => The user is pregnant.
If I get the job I'll move to Oslo => The user moves to Oslo.
I would move to Oslo if I got the job => The user will move to Oslo.
Perhaps I'll buy a bike => The user bought a bike.
My dad had a stroke => The user had a stroke.
My daughter plays chess => The user plays chess.
I hope to run a marathon => The user ran a marathon.
I dreamt that I lived in Paris => The user lives in Paris.
I hardly drink alcohol => The user drinks alcohol.
Nobody in my family smokes => The user smokes.
I can speak no French => The user speaks French.
We never had a dog => The user had a dog.
I want to quit smoking => The user quit smoking.
I quit smoking => The user wants to smoke.
I dislike jazz => The user enjoys jazz.
I enjoy jazz => The user dislikes jazz.
I am married => The user is not married.
I work at Bosch => The user no longer works at Bosch.
I live in Rome => The user used to live in Rome.
I live in Rome => The user will live in Rome.
My cat is diabetic => The user is diabetic.
Her name is Grace and she is a pilot => The user is a pilot.
Peter loves sushi => The user loves sushi.
I don't think I'm allergic to bees => The user is allergic to bees.
I am no fan of spicy food => The user is a fan of spicy food.
I sometimes wonder what it is like to live in Japan => The user lives in Japan.
My sister and her husband moved to Ghent => The user moved to Ghent.
I will be 30 in May => The user is 30.
Is it true that I have an appointment on Monday? => The user has an appointment on Monday.
I haven't moved to York yet => The user moved to York.
I'm neither vegan nor vegetarian => The user is vegan.
I refuse to work on Sundays => The user works on Sundays.
I failed my driving test => The user passed their driving test.
I avoid gluten => The user eats gluten.
I was vegan for a year => The user is vegan.
I wouldn't live in London => The user lives in London.
Suppose I had a million pounds => The user has a million pounds.
Ich hätte gern einen Hund => Der Nutzer hat einen Hund.
Vielleicht ziehe ich nach Köln => Der Nutzer zieht nach Köln.
Früher habe ich in Köln gewohnt => Der Nutzer wohnt in Köln.
Mein Bruder arbeitet bei Bosch => Der Nutzer arbeitet bei Bosch.
Habe ich Diabetes? => Der Nutzer hat Diabetes.
Mi hermano vive en Sevilla => El usuario vive en Sevilla.
Ya no fumo => El usuario fuma.
Si gano, compro un barco => El usuario compra un barco.
Mon frère habite à Lyon => L'utilisateur habite à Lyon.
Je déteste la coriandre => L'utilisateur adore la coriandre.
Ich habe keine Kinder => The user has children.
Mein Bruder arbeitet bei Bosch => The user works at Bosch.
"""
"""What was said, and a fact that denies, states, dates or ascribes it otherwise."""

MEANT = """
I am not allergic to nuts. => The user is not allergic to nuts.
I don't eat meat anymore. => The user no longer eats meat.
I stopped smoking in May. => The user stopped smoking in May.
I can't stand cilantro. => The user dislikes cilantro.
My brother Tim lives in Bonn. => The user's brother Tim lives in Bonn.
I don't eat any animal products. => The user is vegan.
I might move to Rome. => The user might move to Rome.
I might move to Rome. => The user is considering a move to Rome.
I would like to learn Italian => The user wants to learn Italian.
If I win, I buy a boat. => The user will buy a boat if they win.
I used to smoke => The user used to smoke.
I used to live in Rome => The user formerly lived in Rome.
I rarely drink beer => The user rarely drinks beer.
I'm going to move to Lyon next year => The user plans to move to Lyon in 2027.
I was a teacher in Ghent => The user was a teacher in Ghent.
When I was a child I lived in Bonn => The user lived in Bonn as a child.
I live in Bonn, my brother Tim in Ulm => The user's brother Tim lives in Ulm.
I live in Bonn, my brother Tim in Ulm => The user lives in Bonn.
I hate flying and love trains => The user loves trains.
I don't like cheese but I love wine => The user loves wine.
I'm not from Leeds, I'm from York => The user is from York.
I don't drink coffee, only tea => The user drinks tea.
I don't drink coffee, only tea => The user does not drink coffee.
I have two cats and no dogs => The user has two cats.
Tim and I live in Ulm => The user lives in Ulm with Tim.
My doctor says I have asthma => The user has asthma.
Ich rauche nicht mehr => The user no longer smokes.
Ich esse kein Fleisch => The user does not eat meat.
Ich esse kein Fleisch => Der Nutzer isst kein Fleisch.
No me gusta el queso => The user does not like cheese.
Je ne fume pas => The user does not smoke.
I worked at Siemens before I joined Bosch => The user worked at Siemens.
I need to take insulin when I eat => The user takes insulin when eating.
I'm allergic to nuts, so if you suggest a recipe, leave them out => The user is allergic to nuts.
I have never been to Japan => The user has never visited Japan.
I bought a Tesla last week => The user owns a Tesla.
I'm moving to Berlin in May => The user is moving to Berlin in May 2026.
My son has a peanut allergy => The user's son is allergic to peanuts.
We don't have kids => The user has no children.
I'm allergic to peanuts and shellfish. => The user has allergies to peanuts and shellfish.
I work as a nurse in Graz => The user is a nurse in Graz.
I've just moved from Leeds to York => The user recently moved from Leeds to York.
My wife Clara and I have two kids => The user has two children with wife Clara.
My wife Clara and I have two kids => The user's wife is called Clara.
I don't like crowds but I love concerts => The user loves concerts.
I don't like crowds but I love concerts => The user dislikes crowds.
I never learned to swim => The user cannot swim.
I'm not a morning person => The user is not a morning person.
Please don't call me Robert, call me Rob => The user prefers to be called Rob.
Could you call me Rob? => The user wants to be called Rob.
Do you know a good dentist? I have a toothache => The user has a toothache.
Tomorrow I'm flying to Lisbon => The user is flying to Lisbon on 2026-03-10.
I have an exam next Friday => The user has an exam on 2026-03-20.
My mother, who lives in Ghent, is a nurse => The user's mother is a nurse.
My mother, who lives in Ghent, is a nurse => The user's mother lives in Ghent.
I used to work at Siemens, now I'm at Bosch => The user works at Bosch.
I used to work at Siemens, now I'm at Bosch => The user previously worked at Siemens.
I was born in Cork in 1990 => The user was born in Cork in 1990.
I studied physics in Leiden => The user studied physics in Leiden.
I'm trying to learn Spanish => The user is learning Spanish.
My son Leo hates carrots => The user's son Leo dislikes carrots.
I had surgery on my knee in 2020 => The user had knee surgery in 2020.
I went to Japan last year => The user visited Japan in 2025.
I'm on metformin, no insulin yet => The user takes metformin.
I have a dog and no cats => The user has a dog.
My best friend Sara got married => The user's best friend Sara is married.
I usually get up at six => The user usually gets up at 6.
I want to run a marathon in October => The user wants to run a marathon in October 2026.
I'm planning a trip to Iceland => The user is planning a trip to Iceland.
My flat has no balcony => The user's flat has no balcony.
I can't eat gluten => The user cannot eat gluten.
I can't eat gluten => The user avoids gluten.
I don't eat pork => The user avoids pork.
Not gonna lie, I love reality TV => The user loves reality TV.
Our dog Rex died in January => The user's dog Rex died in January 2026.
We've lived in Bonn since 2019 => The user has lived in Bonn since 2019.
Tim (my brother) has a boat => The user's brother Tim has a boat.
Since the accident I walk with a stick => The user walks with a stick.
After work I go climbing at Boulderwelt => The user goes climbing at Boulderwelt.
I no longer work at Siemens => The user does not work at Siemens anymore.
Ich wohne in Bonn und habe keine Kinder => The user lives in Bonn.
Ich wohne in Bonn und habe keine Kinder => The user has no children.
Meine Schwester lebt in Bonn => The user's sister lives in Bonn.
Vivo en Sevilla con mi hermano => The user lives in Seville.
J'habite à Lyon mais je ne travaille pas => The user lives in Lyon.
Ich bin Lehrerin und arbeite in Köln => Anna works in Cologne.
My budget is 500 euros => The user has a budget of 500 euros.
My job is teaching maths => The user teaches maths.
My name is Grace => The user is called Grace.
I lost 5 kilos => The user lost 5 kilos.
"""
"""What was said, and a fact that says so in other words."""


def _pairs(table: str) -> list[tuple[str, str]]:
    return [(said, fact) for said, _, fact in (line.partition(" => ") for line in table.strip().splitlines())]


@pytest.mark.parametrize(("said", "fact"), _pairs(TURNED))
def test_a_fact_that_turns_polarity_mood_tense_or_subject_round_is_seen(said: str, fact: str) -> None:
    assert turns_sense(fact, [said], speakers=["anna"])


@pytest.mark.parametrize(("said", "fact"), _pairs(MEANT))
def test_a_fact_in_other_words_keeps_the_sense(said: str, fact: str) -> None:
    assert not turns_sense(fact, [said], speakers=["anna"])


@pytest.mark.parametrize(
    ("asked", "answer", "fact"),
    [
        ("Do you have any allergies?", "nuts", "The user is allergic to nuts."),
        ("What don't you eat?", "pork", "The user does not eat pork."),
        ("Which food do you hate most?", "cilantro", "The user hates cilantro."),
    ],
)
def test_an_answer_is_meant_as_it_was_asked(asked: str, answer: str, fact: str) -> None:
    assert not turns_sense(fact, [answer], asked=[asked])


def test_a_clause_of_several_turns_decides_that_shares_most() -> None:
    turns = ["I live in Bonn.", "My brother Tim lives in Ulm, and he smokes."]
    assert not turns_sense("The user lives in Bonn.", turns)
    assert turns_sense("The user lives in Ulm.", turns)


@pytest.mark.parametrize("said", ["", "?", "...", "x" * 5_000, "I " * 900, "\ud800", "if", "not", "\U0001f600", ", , ,"])
def test_any_text_is_read(said: str) -> None:
    turns_sense("The user lives in Bonn.", [said])
    turns_sense(said, ["I live in Bonn."])
