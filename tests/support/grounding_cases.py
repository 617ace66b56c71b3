"""Facts that a model drew from turns rightly, and facts that it invented, as people and models write them.

Each case: the turns (`u` the user, `a` the assistant), which of them are cited, and the fact. All are said on 2026-03-09, a
Monday, by Anna.
"""

from __future__ import annotations

from typing import NamedTuple


class GroundingCase(NamedTuple):
    """A fact, and what it is drawn from."""

    said: tuple[str, ...]
    cited: tuple[int, ...]
    fact: str


def _cases(table: str) -> tuple[GroundingCase, ...]:
    """One case a paragraph: turns, and the fact behind `=` with the numbers of its sources."""
    cases = []
    for paragraph in table.strip().split("\n\n"):
        *turns, last = (line.strip() for line in paragraph.strip().splitlines())
        numbers, fact = last.removeprefix("=").split(" ", 1)
        cases.append(GroundingCase(tuple(turns), tuple(map(int, numbers.split(","))), fact.strip()))
    return tuple(cases)


GOOD = _cases("""
u I live in Leeds.
=1 The user lives in Leeds.

u im coeliac so no bread for me pls
=1 Anna has coeliac disease.

u We moved to York last month, finally!
=1 The user lives in York since February 2026.

u I work as a nurse on ward 3.
=1 Anna is employed as a nurse on ward 3.

u I lost my job on Friday :(
=1 The user has been unemployed since 2026-03-06.

u I can't have dairy, it makes me sick
=1 The user is lactose intolerant.

u my wife and I are thinking about a trip
=1 The user is married.

a Where do you work?
u at the Royal Infirmary, in the lab
=2 Anna works in the laboratory of the Royal Infirmary.

a Do you have any pets?
u yes, two cats
=2 The user has two cats.

u Shall we talk about my sister Grace?
a Sure, how is she?
u she turns 41 in May
=3 The user's sister Grace turns 41 in May 2026.

u my dentist appointment is tomorrow at half past three
=1 Anna has a dentist appointment on 2026-03-10 at 15:30.

u I'm 36
=1 The user is 36 years old.

u I turned 36 last week
=1 The user was born in 1990.

u my rent just went up to £1,400
=1 The user pays 1400 pounds rent a month.

u no, it's Thursday not Tuesday
=1 The appointment is on Thursday, not on Tuesday.

u I don't eat anything that comes from animals
=1 Anna is vegan.

u gave up smoking two years ago
=1 The user stopped smoking in 2024.

u me and Tom broke up
=1 The user separated from their partner Tom.

u I'm expecting! due in September
=1 Anna is pregnant and her baby is due in September 2026.

u we named her Lotta
a Congratulations on your daughter!
=1 The user's daughter is named Lotta.

u I sold the Golf and got a Tesla
=1 The user drives a Tesla now and no longer owns a Golf.

u call me Leo
=1 The user wants to be called Leo.

u pls keep your answers short, bullet points are best
=1 The user prefers brief answers in bullet points.

u I run every morning before work
=1 The user jogs daily in the morning.

u My landlord is called Mr. Okafor.
=1 The user's landlord is Mr Okafor.

u I have type 2 diabetes and take metformin
=1 Anna takes metformin for her type 2 diabetes.

u got the keys to our new flat in Hackney today!!
=1 The user moved into a new apartment in Hackney on 2026-03-09.

u my boy starts school in the autumn
=1 The user's son begins school in autumn 2026.

u I play the cello in an amateur orchestra
=1 The user is an amateur cellist.

u I was diagnosed with ADHD at 30
=1 Anna was diagnosed with ADHD when she was 30.

u my phone number is 0160 555 123
=1 The user's phone number is 0160555123.

u mail me at leo@posteo.example
=1 The user's e-mail address is leo@posteo.example.

u Ich wohne in München und arbeite als Lehrerin.
=1 Anna wohnt in München.

u Ich wohne in München und arbeite als Lehrerin.
=1 The user lives in Munich.

u Ich wohne in München und arbeite als Lehrerin.
=1 Anna works as a teacher.

u Ich bin gegen Nüsse allergisch.
=1 Der Nutzer hat eine Nussallergie.

u Ich bin gegen Nüsse allergisch.
=1 The user is allergic to nuts.

u Meine Schwester heiratet im Juni.
=1 The user's sister gets married in June 2026.

u Vivo en Sevilla desde 2019.
=1 The user has lived in Seville since 2019.

u Vivo en Sevilla desde 2019.
=1 La usuaria vive en Sevilla desde 2019.

u Je suis végétarienne depuis dix ans.
=1 Anna has been vegetarian for ten years.

u Mon chien s'appelle Filou.
=1 Le chien d'Anna s'appelle Filou.

u Mon chien s'appelle Filou.
=1 The user has a dog named Filou.

u 私は東京に住んでいます
=1 The user lives in Tokyo.

u 我对花生过敏
=1 用户对花生过敏。

u I moved from Leeds to York and now I teach maths at a primary school there
=1 Anna teaches mathematics at a primary school in York.

u my husband Karim is a vet
=1 Karim, the user's husband, is a veterinarian.

u nadia is pregnant, she's my best friend btw
=1 The user's best friend Nadia is expecting a baby.

u I'll fly to Lisbon on the 3rd of May for a conference
=1 Anna travels to Lisbon on 2026-05-03 for a conference.

u i make 62k a year
=1 The user earns 62,000 a year.

u I've been learning Portuguese for a year with Duolingo
=1 The user has been studying Portuguese since 2025.

u my knees are killing me, the doctor says it's arthritis
=1 Anna has arthritis in her knees.

u I can't stand coriander
=1 The user hates coriander.

u I switched from Chrome to Firefox
=1 The user uses Firefox as browser instead of Chrome.

u grew up on a farm near Cork, youngest of five
=1 Anna grew up on a farm near Cork with four siblings.

u my mum passed away in January
=1 The user's mother died in January 2026.

u We adopted a greyhound from the shelter, he's called Biscuit
=1 The user has a greyhound named Biscuit from a shelter.

u I'm saving up for a camper van
=1 The user's goal is to buy a camper van.

u I got promoted to head of marketing!
=1 Anna is head of marketing.

u I'm left-handed
=1 The user is left handed.

u I work nights at the bakery
=1 The user works the night shift at a bakery.

u my blood type is A negative, just so you know
=1 The user's blood type is A negative.

u quit my job at Siemens, starting at Bosch in April
=1 From April 2026 the user works for Bosch; before, they worked for Siemens.

u I've got three kids: Ada, Ben and Cleo
=1 The user has three children named Ada, Ben and Cleo.

u my thesis is due on the 14th
=1 Anna must submit her thesis on 2026-03-14.

u scared of heights, always was
=1 The user is afraid of heights.

a Shall I book a table at Da Mario for Friday at 8?
u yes please, for four
=2 The user wants a table for four at Da Mario on Friday at 8.

u I support Arsenal, have done since I was six
=1 Anna is an Arsenal fan.

u my favourite colour is teal
=1 The user's favorite color is teal.

u he proposed!! we're getting married next summer
=1 The user is engaged and will marry in summer 2027.

u I need glasses for driving
=1 The user wears glasses when driving.

u we're flat sharing, it's me, Priya and Jo
=1 The user shares a flat with Priya and Jo.

u my brother's a firefighter in Denver
=1 The user has a brother who works as a fireman in Denver.

u I teach yoga on Tuesdays and Thursdays
=1 The user is a yoga instructor on Tuesdays and Thursdays.

u I haven't had a drink since New Year's
=1 The user has not drunk alcohol since January 2026.

u just signed the contract, i start at Lidl on 1 June
=1 The user begins a new job at Lidl on 2026-06-01.

u Pepper (our rabbit) has to go to the vet on Wednesday
=1 The user has a rabbit called Pepper, who has a vet appointment on Wednesday.

u honestly I've been feeling really low since the move
=1 The user has been depressed since they moved.

u we have twins, Mia and Noah, they're in 2nd grade
=1 The user has twins named Mia and Noah in second grade.

u my gran raised me in Glasgow
=1 The user was brought up by their grandmother in Glasgow.

a What do you do for a living?
u carpenter, same as my old man
=2 The user is a carpenter like their father.

u could you always use metric units with me? thx
=1 The user prefers metric units.

u cutting down on sugar, doc says my levels are borderline
=1 The user is reducing sugar on their doctor's advice.

u I'd never eat mushrooms
=1 The user does not eat mushrooms.

u finally passed my driving test!!!
=1 The user obtained a driving licence.

u My PhD is on coral reefs, third year now
=1 Anna is in the third year of a doctorate about coral reefs.

u wifi at home is through Vodafone, contract ends in 8 months
=1 The user's Vodafone internet contract expires in November 2026.

u my size is 42 in shoes
=1 The user's shoe size is 42.

u we close on the house on the 20th, closing costs were insane
=1 The user completes a house purchase on 2026-03-20.

u I go to the gym 3x a week, mostly deadlifts
=1 The user works out at the gym three times a week.

u My team at work is me, Olu and Siobhan, I report to Dieter
=1 The user's manager is Dieter.

u It's my birthday today!
=1 The user's birthday is on 9 March.

u 6 months sober today
=1 The user has not drunk alcohol since September 2025.

u Ich hab jetzt einen Hund, heißt Bruno, ein Dackel
=1 The user has a dachshund named Bruno.

u Ich hab jetzt einen Hund, heißt Bruno, ein Dackel
=1 Der Nutzer hat einen Dackel namens Bruno.

u J'ai déménagé à Lyon la semaine dernière
=1 L'utilisateur habite à Lyon.

u J'ai déménagé à Lyon la semaine dernière
=1 The user moved to Lyon in March 2026.

u mi hija se llama Carmen y tiene 4 años
=1 The user's daughter Carmen is 4 years old.

u mi hija se llama Carmen y tiene 4 años
=1 La hija de la usuaria se llama Carmen.

u i hurt my back lifting boxes
=1 Anna injured her back.

u my flight lands 14:05 in Faro
=1 The user's flight arrives in Faro at 14:05.

u I'm a night owl tbh
=1 The user stays up late.

u We're trying for a second kid
=1 The user has one child and wants another.

u scrap that, the party is on the 21st not the 14th
=1 The party is on 2026-03-21.

u I've got 2 exams left, stats and econ
=1 The user still has to take exams in statistics and economics.

u btw we finally got the puppy, she's a beagle, named Ziggy
=1 The user has a beagle puppy named Ziggy.

u working from home on mondays from now on
=1 The user works remotely on Mondays.

u I'm thinking of you being more formal with me, please use Sie
=1 The user wants to be addressed formally.

u just got back from a fortnight in Crete w/ the in-laws
=1 The user spent two weeks in Crete with their parents-in-law.

u my grandpa Otto turns 90 on Saturday so we're all driving to Kassel
=1 The user's grandfather Otto turns 90 on 2026-03-14.

u my grandpa Otto turns 90 on Saturday so we're all driving to Kassel
=1 The user's family is travelling to Kassel on Saturday.

u Honestly my back's been terrible since the accident in 2022
=1 Anna has had back problems since an accident in 2022.

u I only drink decaf now, doc's orders
=1 The user drinks only decaffeinated coffee on medical advice.

a Which team do you support?
u always been a Celtic fan
=2 The user supports Celtic.

u my daughter's peanut allergy means we can't go to that place
=1 The user's daughter is allergic to peanuts.

u I run a small pottery studio in Ghent called Kleiwerk
=1 The user owns a pottery studio named Kleiwerk in Ghent.

u I hate flying so we'll take the train to Vienna in July
=1 The user dislikes flying.

u I hate flying so we'll take the train to Vienna in July
=1 The user will travel to Vienna by train in July 2026.

u deadline for the grant got moved to the end of the month
=1 The user's grant deadline is at the end of March 2026.

u we're vegetarians but Tim eats fish
=1 Tim is a pescatarian.

u Just turned in my notice at the bank!!
=1 The user resigned from their job at the bank.

u my wife's a paramedic so nights are tricky
=1 The user's wife works as a paramedic.

u I speak Farsi at home and a bit of Dutch
=1 The user speaks Farsi and some Dutch.

u sold the house, we're renting in Mainz for now
=1 The user rents a home in Mainz after selling their house.

u can't do Thursdays anymore, that's choir
=1 The user sings in a choir on Thursdays.

u we broke ground on the extension last Tuesday
=1 The user began building an extension on 2026-03-03.

u its my 5th year at Philips
=1 The user has worked at Philips since 2021.

u I'm the oldest of three girls
=1 The user has two younger sisters.

u our wifi password is blue-otter-77
=1 The user's Wi-Fi password is blue-otter-77.

u my passport runs out in November, need to renew
=1 The user's passport expires in November 2026.

u Mein Mann heißt Jonas und ist Pilot bei Lufthansa.
=1 Annas Mann Jonas ist Pilot bei Lufthansa.

u Mein Mann heißt Jonas und ist Pilot bei Lufthansa.
=1 The user's husband Jonas works as a pilot for Lufthansa.

u Wir ziehen im Mai nach Freiburg um.
=1 The user will move to Freiburg in May 2026.

u Ich habe gestern meinen Führerschein bestanden!
=1 Die Nutzerin hat am 2026-03-08 die Führerscheinprüfung bestanden.

u Tengo dos hermanas, Lucía y Marta.
=1 El usuario tiene dos hermanas llamadas Lucía y Marta.

u Tengo dos hermanas, Lucía y Marta.
=1 The user has two sisters named Lucía and Marta.

u Ya no como carne desde enero.
=1 The user has been vegetarian since January 2026.

u Je travaille chez Airbus à Toulouse depuis trois ans.
=1 The user has worked for Airbus in Toulouse since 2023.

u J'adore la randonnée, surtout dans les Pyrénées.
=1 L'utilisatrice aime la randonnée dans les Pyrénées.

u no wait, it's Dr. Meyer not Dr. Maier
=1 The user's doctor is Dr. Meyer.

u ok so my marathon is 12 October, goal is sub 4h
=1 The user is running a marathon on 2026-10-12 and aims to finish in under four hours.

u my mom's 70th is coming up, she loves orchids
=1 The user's mother is turning 70 and loves orchids.

u I take 50mg sertraline every morning
=1 The user takes 50 mg of sertraline daily.

u got engaged to Sven on new years eve
=1 The user got engaged to Sven on 2025-12-31.

u our son Paul has started walking!
=1 The user's son Paul learned to walk in March 2026.

u could you answer in German from now on?
=1 The user wants to be answered in German.

u I live in Leeds, is there a good Thai place near the station?
=1 The user lives in Leeds.

u what should I cook? no nuts pls, allergic
=1 The user is allergic to nuts.

a What is your cat called?
u Sill. why?
=2 The user's cat is called Sill.

u Kannst du mir bitte kurze Antworten geben?
=1 Der Nutzer möchte kurze Antworten.
""")
"""Facts that must be kept."""

INVENTED = _cases("""
u I read that bees dance to show where flowers are.
=1 The user owns a castle in Transylvania and three tigers.

u I read that bees dance to show where flowers are.
=1 The user is allergic to penicillin.

u I read that bees dance to show where flowers are.
=1 Anna works as a beekeeper in Dresden.

u I live in Leeds.
=1 The user lives in Paris.

u I live in Leeds.
=1 The user has two children.

u I live in Leeds.
=1 The user lives in Leeds and works at Google.

u I work as a nurse on ward 3.
=1 Anna is a lawyer.

u I work as a nurse on ward 3.
=1 Anna works as a nurse on ward 7.

u my rent just went up to £1,400
=1 The user pays 1,800 pounds rent.

u my sister turns 41 in May
=1 The user's sister Martha turns 41 in May.

u my sister turns 41 in May
=1 The user's sister turns 43 in May.

u I'm thinking about lunch
=1 The user is vegetarian.

u I'm thinking about lunch
=1 Anna's favourite restaurant is Noma.

u thanks, that was helpful
=1 The user appreciates jazz music.

u thanks, that was helpful
=1 The user's name is John Smith.

u thanks, that was helpful
=1 The user owns a boat.

u My landlord is called Mr. Okafor.
=1 The user's landlord is Mr Adeyemi.

u I have type 2 diabetes and take metformin
=1 Anna takes insulin and has high blood pressure.

u I'll fly to Lisbon on the 3rd of May for a conference
=1 Anna travels to Porto on 2026-05-03.

u I'll fly to Lisbon on the 3rd of May for a conference
=1 Anna travels to Lisbon on 2026-07-21.

u how do I boil an egg
=1 The user lives in New York City.

u how do I boil an egg
=1 The user is learning to play the guitar.

u how do I boil an egg
=1 The user was born in 1985.

u my favourite colour is teal
=1 The user's favourite film is Casablanca.

u can you fix this python function for me
=1 The user is a software engineer at Microsoft.

u can you fix this python function for me
=1 The user has a golden retriever named Max.

u can you fix this python function for me
=1 Anna is getting divorced.

u what's the weather like
=1 The user plans a trip to Japan in April.

u what's the weather like
=1 The user has asthma.

u good night
=1 The user suffers from insomnia and takes melatonin.

u I've got three kids: Ada, Ben and Cleo
=1 The user has four kids.

u I've got three kids: Ada, Ben and Cleo
=1 The user's kids are Ada, Ben and Dora.

a I could tell you about Transylvania, where Dracula's castle stands.
u no thanks, tell me about bees
=2 The user owns a castle.

u my brother's a firefighter in Denver
=1 The user's brother is a pilot in Boston.

u Ich wohne in München und arbeite als Lehrerin.
=1 The user lives in Hamburg.

u Ich wohne in München und arbeite als Lehrerin.
=1 Anna hat drei Hunde und ein Boot.

u Ich bin gegen Nüsse allergisch.
=1 Der Nutzer spielt Klavier.

u Vivo en Sevilla desde 2019.
=1 The user lives in Barcelona.

u Vivo en Sevilla desde 2019.
=1 La usuaria trabaja como abogada en Madrid.

u Mon chien s'appelle Filou.
=1 Le chat d'Anna s'appelle Minou.

u I sold the Golf and got a Tesla
=1 The user owns a motorbike and a yacht.

u we're flat sharing, it's me, Priya and Jo
=1 The user shares a flat with Marcus.

u my blood type is A negative, just so you know
=1 The user donated a kidney to his brother.

u I support Arsenal, have done since I was six
=1 The user's father took him to Wembley.

u my phone number is 0160 555 123
=1 The user's phone number is 0170 444 987.

u I run every morning before work
=1 The user won the Berlin marathon.

u I like tea
=1 The user collects stamps from Mongolia.

u I like tea
=1 The user hates his boss.

u lol that's funny
=1 The user's mother lives in Ohio.

u what should I cook tonight?
=1 The user has a Michelin star.

u Pepper (our rabbit) has to go to the vet on Wednesday
=1 The user's dog Rex is sick.

u finally passed my driving test!!!
=1 The user bought a Porsche.

u finally passed my driving test!!!
=1 The user is afraid of flying.

u My PhD is on coral reefs, third year now
=1 Anna teaches chemistry in Oxford.

u my size is 42 in shoes
=1 The user is 42 kilograms overweight and lives in Ghent.

u I go to the gym 3x a week, mostly deadlifts
=1 The user is a professional swimmer.

u what time is it in Tokyo?
=1 The user was born in Tokyo in 1971.

u tell me a joke about cats
=1 The user has a cat named Whiskers.

u tell me a joke about cats
=1 The user is allergic to pollen.

u wifi at home is through Vodafone
=1 The user's internet costs 45 euros a month.

u Ich hab jetzt einen Hund, heißt Bruno, ein Dackel
=1 Der Nutzer arbeitet bei Siemens.

u Ich hab jetzt einen Hund, heißt Bruno, ein Dackel
=1 The user has a cat named Felix.

u J'ai déménagé à Lyon la semaine dernière
=1 L'utilisateur est marié à Claire.

u i hurt my back lifting boxes
=1 The user works as a removal man for Pickfords.

u i hurt my back lifting boxes
=1 Anna had surgery on her knee.

u my flight lands 14:05 in Faro
=1 The user's flight arrives in Faro at 16:40.

u It's my birthday today!
=1 The user is 40 years old.

u I'm a night owl tbh
=1 The user keeps owls and parrots in a greenhouse.

u translate this to French please: the house is red
=1 The user speaks Mandarin.

u 6 months sober today
=1 The user has been sober for six years and is a pastor.

u btw we finally got the puppy, she's a beagle, named Ziggy
=1 The user has a cat named Luna.

u I only drink decaf now, doc's orders
=1 The user has heart failure.

a Which team do you support?
u always been a Celtic fan
=2 The user supports Rangers.

u I run a small pottery studio in Ghent called Kleiwerk
=1 The user runs a pottery studio in Antwerp.

u Just turned in my notice at the bank!!
=1 The user was promoted to manager.

u my wife's a paramedic so nights are tricky
=1 The user has three daughters.

u what do paramedics earn?
=1 The user plays the violin in an orchestra.

u I speak Farsi at home and a bit of Dutch
=1 The user was born in Tehran.

u remind me how tall Everest is
=1 The user climbed Kilimanjaro in 2019.

u remind me how tall Everest is
=1 The user enjoys gardening.

u can't do Thursdays anymore, that's choir
=1 The user has therapy on Fridays.

u Mein Mann heißt Jonas und ist Pilot bei Lufthansa.
=1 Annas Mann heißt Stefan.

u Mein Mann heißt Jonas und ist Pilot bei Lufthansa.
=1 The user's husband is called Stefan.

u Wir ziehen im Mai nach Freiburg um.
=1 Die Nutzerin hat einen Hund.

u Tengo dos hermanas, Lucía y Marta.
=1 El usuario tiene cinco hermanos.

u Je travaille chez Airbus à Toulouse depuis trois ans.
=1 L'utilisatrice habite à Bordeaux.

u I take 50mg sertraline every morning
=1 The user takes 100 mg of sertraline daily.

u I take 50mg sertraline every morning
=1 The user has a heart condition and takes aspirin.

u ok so my marathon is 12 October, goal is sub 4h
=1 The user's marathon is on 2026-11-02.

u got engaged to Sven on new years eve
=1 The user got engaged to Lars.

u write me a haiku about autumn
=1 The user is a poet and lives by the sea.

u write me a haiku about autumn
=1 The user prefers tea over coffee.

u our son Paul has started walking!
=1 The user's daughter Emma has started school.

u my mom's 70th is coming up, she loves orchids
=1 The user's mother is 75 years old.

u hi
=1 The user works as an accountant.

u what time is it in Tokyo?
=1 The user lives in Tokyo.

u is Leeds nice in spring?
=1 The user lives in Leeds.

u ¿Qué tiempo hace en Madrid?
=1 La usuaria vive en Madrid.

u Is a beagle good with kids?
=1 The user has a beagle and kids.
""")
"""Facts that must be refused."""
