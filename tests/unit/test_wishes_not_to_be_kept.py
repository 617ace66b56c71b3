"""Whether a message asks not to be kept: in the phrases of the language file, or in words of its own."""

from __future__ import annotations

import pytest

from shared.chat.command import ChatCommandName
from shared.chat.reading import read_chat_command

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
