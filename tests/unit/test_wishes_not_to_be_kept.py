"""Whether a message asks not to be kept: in the phrases of the language file, or in words of its own."""

from __future__ import annotations

import pytest

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command

WISHES = """
pls keep this to yourself: im thinking of quitting
not for the record but my boss drinks
just between you and me, I failed the exam
dont log this one. my bank balance is 12k
Can you not remember this? I cheated on my diet
I'd rather you didn't save this, but I have depression
this is private, don't store it: my brother is in jail
don't put this in your memory, my wife is pregnant
this stays between us. I'm dating Lena
Don't keep a record of this. We're broke.
You needn't remember this, my address is 5 Elm St
off the books: I sold the car for cash
delete this right after: my salary is 70k
this is not to be remembered - I'm gay
My sister had a miscarriage. Please don't save that.
I'm on antidepressants (don't remember this)
I was fired today, keep that out of your notes
for your eyes only: mum has cancer
confidential: the merger is in June
no need to memorise this, my locker code is by the door
dont remember what i say next
Don't write down the following: I owe Tom 500
dnt rmbr this pls. got a tattoo
let's keep this off the record, my ex called
secret: I'm planning to propose
don't tell anyone and don't save it: I'm adopted
This isn't something I want you to remember: I lost the house
I don't want this saved. My dad relapsed.
hey, don't commit this to memory: I'm 52
do not retain this message. My HIV test is on Monday
skip remembering this: I went to the casino
leave this out of your memory please, I yelled at my kid
u dont need to store this but my bf proposed!!
please dont keep this in ur memory. I'm seeing a therapist
Could you avoid saving this? I stole a lipstick once
im telling u this in confidence, i might be pregnant
Nobody should know this, so don't record it: I gambled away the rent
Strictly confidential — we're being acquired by Nestlé
don't note that down: I weigh 120 kg
I don't want you to remember that I was in rehab
what I say now must not be stored. My son was arrested.
My mother has dementia. This is not for your records.
My uncle hit me. Don't ever save that please
no record of this ok? i had a one night stand
keep no record of this: i'm transitioning
don't you dare save this: I still love my ex
please don't hold on to this info, I'm in debt
Treat this as private and don't store it. I voted for them.
Don't learn from this: I'm lying to my wife
i trust you not to save this. im bankrupt
what i just told you, don't keep it
ignore what I said just now, don't remember it
Please make sure this isn't saved: my therapist is Dr Lund
this message shouldn't be remembered. I have lice
I prefer this not being stored: I'm Jewish
my crush is Jonas but don't memorize it
I earn 4k, do not put that on file
dont remember this: i had an abortion in march
don't save this but my boss is a creep
off the record: im moving out next month
between us, dont write this down, Karl is drinking again
please do not store this, my card got declined twice
Don't keep this one: I flunked my finals
plz dont save, i cheated on my test
hey this isnt for saving, my dad lost his job
My test came back positive. Do not remember that.
my real age is 43 - dont you save that
can we keep this chat message out of memory? I got sued
dont add this to my profile, i wear a wig
Don't memorize this please: my ex's new number is 555-1212
Whatever I say here shouldn't end up in your memory. I'm leaving my job.
just venting, don't save: my mom drives me nuts
Please don't log my next message
Not to be saved: Lisa is getting a divorce
I don't consent to you storing this. I was in prison.
skip saving this one. we lost the baby
don't make a note of this but I failed rehab
no saving pls, my brother owes the mafia
Do me a favor and don't remember that I cried
you shouldn't remember this one, I voted for him
this one stays off your records: I take Xanax
im gonna be a dad. you can unlearn that straight away, nobody knows yet
Quick one you shouldn't hold on to: my landlord Grzegorz wants me out
pretend i never said this: Xenia's baby isnt mine
Could we keep the following out of storage: I was arrested in Lyon in 2011
nothing to remember here, ok? just that Lucasz kissed me back
don't you go storing this: Delphine's husband hits her
i want this kept out of your memory, my wife Noor had a miscarriage
Dont store what comes next in this message, Gustav and I broke up
u must not keep this in mind later ok, i owe Zoltan money
btw dis is confidential n not 4 keeps, my step sis Marlies is pregnant by my ex
Theodora and I slept together. Obviously not something to write down anywhere.
pls wipe this right after: im 7 months behind on rent at Kastanienhof
i need u to ignore this for ur notes, my anxiety meds are Lexapro
keep ur memory shut for a sec lol: i fancy my cousin Ruprecht
absolutely no saving pls. we r filing for divorce, lawyer is Mrs Okonkwo
let this one slip out of ur head ok. my sons name will be Balthasar
Strictly private and not to go into any profile: I'm intersex.
asking for a friend, and dont remember i asked: how do you treat chlamydia?
keep this off my file: i failed the bar exam again
I want this kept out of your records, my husband Ivo hit me
i do not want what i tell you now going anywhere near your memory. im bulimic
no keeping this one please, I kissed my neighbour Olga
no storing any of this ok. my dad is an alcoholic
this is not to go into your memory: I have herpes
not to end up in any notes pls: my son Emil was expelled
Strictly confidential and not to be stored anywhere: we are selling the company
Strictly private, not to land in your database. I was fired in May.
pretend I never told you this: I stole from my mum
pretend you never read this but i hate my sister Rhona
act like you never heard this, I'm pregnant by Dirk
you never heard this: Marek is getting laid off
you didn't get this from me and you won't keep it: Lou is gay
forget this right after you read it, my pin pal Sven is in rehab
wipe this once you've answered: how do I treat gonorrhea
please drop this from memory straight after, im infertile
you must not keep this in mind: I hate my job
u mustnt hang on to this, i owe 9k to Pavel
I got an abortion in 2019 #private
broke up with Tessa #dontsave
my therapist is dr Holm #nosave
#offtherecord i voted for them
this one never goes in your notes. I shoplift
my brother Timo uses heroin. none of that in your memory please
can this stay out of your memory? I cheated on Nils
Could you please keep the next bit out of your logs: I was in a cult
I'd like this to stay off your records. My wife Ines left me.
you are not supposed to keep this: I got a DUI
you're not allowed to remember this one, im on methadone
not a thing to store: my boss pays me in cash
nobody needs to keep this, least of all you: I'm broke
This shouldn't be kept. Ahmed and I are sleeping together.
no need to hang onto this, but my cat has cancer and i cant pay
i am bisexual, which you should not keep
my salary is 93k and that is not to be noted anywhere
Don't let this stick: I still dream of Joana
don't file this away but i failed the drug test
You can throw this away afterwards: my ex Lars stalks me
erase this from your mind right after, I wet the bed
There's no reason to keep this on file. I have Crohn's.
This goes nowhere near your notes: i relapsed on friday
dont be storing this!! my mum is in the psych ward
I need you to not hold onto this. My brother Piet is in prison.
please have no memory of this later: i lied on my cv
I would be glad if none of this was kept, Katya had an abortion
whatever i write in here must not be kept: my uncle abused me
"""

ANNOUNCEMENTS = """
don't keep my next message
im gonna tell you sth, don't save it
my next message is private, dont hold on to it
whatever i say next, dont save it
my next message is private, don't hang on to it
whatever I tell you next, do not save it
what comes next is just for venting, so don't store it
The next thing I say should stay out of your memory
I'm about to say something private, dont record it
next one is secret so no saving
"""

OF_WHAT_WENT_BEFORE = """
wait no. dont keep that last message
pls act like i never sent that, dont keep it
dont keep what i said a minute ago
please don't hold on to what I just told you
what I told you just now, don't save it
I don't want you keeping my last message
"""

LOOK_ALIKES = """
I don't remember where I parked
she said: don't save this file
don't save the document yet
I can't remember her name
Don't forget to save the date
He told me off the record that he'd resign
My password manager doesn't save this site
I never write anything down
Between us there are three kids
Between us and the neighbours there is a fence
Tom and I keep this garden together
my doctor keeps no record of this
Do you remember this song?
remember this: I'm vegan
Don't save me a seat
I don't keep secrets
Should I save this recipe or not?
The printer doesn't store this setting
The teacher said we shouldn't write this down
I don't want to remember my divorce
why didn't you save this?
Keep this in mind: I'm allergic to nuts
it's no secret that I love cats
Private lessons start Monday
We kept it between us for years
You don't need to remember my birthday, just my name day
I don't save much money these days
My phone won't save this photo
Nobody remembers this band
I wish I could forget this day
keep it short please
Can you keep a recipe for me?
Don't record the show tonight, we watch it live
I never told anyone between us girls in class
My diary says not to store eggs at room temp
Don't note the time, just enjoy
this store doesn't keep records of returns
I can't save this plant
the off the record club meets on Friday
He whispered 'don't remember me'
please don't forget this: my train is at 9
I don't remember telling you that
What do you not remember?
I have no memory of that trip
Mum keeps everything to herself
She asked me not to keep the dog
Don't store potatoes with onions
I would not save that seat for him
I don't think we should keep this flat
Don't save my place in line
i dont remember this actor's name
He said "off the record" and then told everyone
dont write me off yet
I don't keep track of calories
My boss told me not to save files locally
please remember to not add sugar
Why don't you store milk in the door?
we don't log our hours anymore
The record store doesn't keep old vinyl
I keep forgetting to save my work
Please note I don't eat pork
No need to remember where I parked, I found it
how do i not save passwords in chrome?
I'd rather not remember high school
don't remember if I told you, but I'm Anna
Save me the trouble and remember I'm vegan
You can't keep this up
Don't store it in the fridge
I won't keep this one, it's ugly
there is nothing in the records about this
This app never saves my login
this message was not saved by whatsapp
whatsapp didn't save this message
I didn't log my hours this week
we don't note this in the minutes
This is not a good memory for me
There's no storage left on this phone
this record is not in the store
Can you not save my seat this time?
Don't note this as a complaint, but the bus was late
No log fires in this house
This place isn't worth remembering
never skip this note in the song
you never remember this stuff
Why do you not remember this?
I can't save this message on my phone
please don't stop recording this game
this isn't recorded live
this one is not stored properly in the cellar
not one of these records is mine
nothing here is worth saving
none of this is in my notes yet
it's not in your notes that I'm vegan?
you didn't save this recipe yet, please do
You haven't stored this yet, have you?
I have not recorded this song
no, save this one please
not yet, note this first: I'm vegan
no. Remember this: I moved
no remember this instead, my dog is Rex
won't you remember this for me?
can't you save this?
why not save this?
don't you remember this?
never forget, never lose this message
i told the waiter not to write it down and of course he forgot my order
My therapist told me not to keep this inside
I try to stay off my phone after nine
keep the dog out of the kitchen please
I can't keep this in mind all the time, it's too much
don't save this photo, it's blurry
My next message will be about Rome
I never said this was easy
you never heard this song? it's great
pretend I never ate that cake haha
I want to stay out of debt this year
Please keep the kids off the lawn
This should not go in the dishwasher
not to go into detail but my week was awful
my new job is strictly confidential work for the army
I keep my diary strictly private
private schools are too expensive here
the meeting notes are not to leave the office
our landlord isn't storing this bike for us
they said no saving seats at the cinema
no saving throws in this game, right?
my bank has no savings account for kids
Don't forget this right after the exam
I forget this right after I learn it every time
I should stop remembering old stuff
I can't stop remembering that day with my dad
remember this, not that: my cat is called Miso
what I told you just now is true, really
what did I tell you just now?
whatever I say next to her, she won't listen
whatever I cook, don't expect it to be good
next week I'm off to my mum's place
My sister never keeps anything I tell her to herself
you can keep this, it's not a secret
no need to hide this: I am vegan
it's fine to store this, I don't mind
My boss keeps me out of the loop
I kept out of the fight
I would never hurt anyone, keep that in mind
He posted it with #private and I laughed
this is not a drill, remember that my train is at nine
I am not on any list, so I paid full price
please don't go, stay here with me
The recipe says not to store this in the fridge
My phone stays off at night
my name is not in the records of the town hall
I couldn't log in here this morning
there was nothing in my notes about the exam
I did not write this, my brother did
Don't put this on the stove yet
I didn't keep the receipt for this
Pretend you're a pirate and tell me a story
this is the last message from my mum that I kept
Never mind the mess here, we're moving
I'm not going to let this ruin my day
don't hold this against me, but I hate dogs
The doctor wouldn't put this in my file, she was kind
I hope they keep this show off the air
nothing sticks in my memory these days
"""

_WITHHOLDS = {ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT, ChatCommandName.FORGET_THAT}


@pytest.mark.parametrize("text", WISHES.strip().splitlines())
def test_a_wish_not_to_be_kept_is_read(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name in _WITHHOLDS


@pytest.mark.parametrize("text", LOOK_ALIKES.strip().splitlines())
def test_what_only_looks_like_one_is_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is None or command.name not in _WITHHOLDS


@pytest.mark.parametrize("text", ANNOUNCEMENTS.strip().splitlines())
def test_an_announcement_and_nothing_else_means_the_next_turn(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.NOT_NEXT


@pytest.mark.parametrize("text", OF_WHAT_WENT_BEFORE.strip().splitlines())
def test_a_wish_about_what_was_said_means_what_went_before(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_THAT


@pytest.mark.parametrize("text", ["stop remembering that im bipolar", "Please stop saving that I take Xanax"])
def test_to_stop_remembering_something_is_to_forget_it(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_ABOUT


def test_a_tag_within_a_sentence_asks_nothing() -> None:
    assert read_chat_command("She put #private under the photo of us") is None
