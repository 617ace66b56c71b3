"""Wishes not to be kept in words of people's own: what is not certain is doubted, and then not kept either."""

import pytest

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command

WISHES = """
this stays here ok? my brother in law is back in jail
nobody needs to know this, you included, but I'm dating my boss
keep it out of ur memory that i failed my driving test twice
no notes on this pls, my mum has dementia
My husband drinks. Let's not have this written anywhere.
I'd prefer that you not retain the following: our landlord owes us 4,300 dollars.
For your eyes only and not for your memory banks, I plan to leave my wife in the spring.
dont u dare write this down. i cheated on the chem exam
i have herpes (do NOT put that in my profile)
What I'm about to tell you must not be recorded anywhere.
Leave no trace of this: I transferred the savings to my sister's account.
i smoke weed on weekends #dontsave
Can this not go on file? I had an abortion in 2014.
You needn't remember this but my blood pressure is through the roof
erase this from ur brain after u answer: is 34 too old to be a virgin
once youve helped me please dont hang on to any of it, i owe my dealer 200 quid
confidential, not to be stored: Project Osprey ships without encryption
is there a way to tell you something without you saving it? i think i'm an alcoholic
none of this should end up in your notes, but the audit found we overbilled Kessler by 90 grand
let this be the one thing you don't keep: I still love Daniel.
keep what follows off the books: the merger is on for 3 May
I am telling you this on condition that it is not kept: my grandson is in rehab.
just between you and me and don't save it, I was adopted
Das bleibt bitte unter uns und kommt in kein Protokoll: Ich bin seit Mai arbeitslos.
ich hab schulden bei meinem bruder, das musst du nicht speichern
Que esto no quede registrado en ningún lado, me despidieron ayer.
Ne garde aucune trace de ça : je prends des antidépresseurs.
N'inscris ça nulle part s'il te plaît. J'ai perdu mon emploi.
Not for the file: I've been on antidepressants since March.
pretend i never said it but i hate my job so much
This one is not for the record, we are selling the company to Harlow & Sons in Q1.
I got caught shoplifting when I was 16. Strike that from whatever you keep.
pls dnt save dis but im pregnant lol
my therapist thinks im bipolar, and i dont want u holding on to that
My salary is 84k. That's not something you should be storing.
Would you be so kind as not to make a record of this, dear? My son has stopped speaking to me.
The next thing is private, please dont store it.
no record of this please: I was at the clinic on Friday
#keepthisprivate my ex is stalking me again
Just so you know, and without this going into any log, I was fired yesterday.
My daughter self-harms. You don't need to keep that.
Please treat this as something you won't remember: I'm seeing a divorce lawyer on Tuesday.
I voted for the other guy. wipe that please
please forget you ever heard this, my dad isn't my real dad
I don't want there to be any history of this. I'm gay and nobody in my family knows.
u didnt hear this from me and u wont remember it either, coach is getting fired
My PTSD is back, don't file that away
No need to log this one. I have an appointment about my prostate on Monday.
skip remembering this bit, i wet the bed till i was 14
Treat this as unsaid, but I can't stand my sister in law
Merk dir das bitte nicht, aber ich hab Krebs.
Esto no lo guardes: mi marido tiene otra familia.
no te acuerdes de esto porfa pero suspendí mates
ça reste entre nous, ne l'enregistre pas, je vais quitter Paul
I'd rather this didn't live on in your memory, but my marriage is basically over
Lets pretend this convo never happened: i kissed my sister's husband
This mustn't be found anywhere later: I sold my late mother's ring.
what i write here is for nobody's archive. i gamble every night
I'd like you to have no recollection of this. My son is in a cult.
Zero record of this please, the board is replacing our CEO Friday.
pls no paper trail on this: we pay two guys off the books
dont be putting this in ur little memory thing. im 3 months late on child support
im serious dont save it. i hurt myself last night
This is just for today and not to be carried over into other chats: I have an STD.
I don't want my divorce in your memory. How do I tell the kids?
My drinking stays out of your records. What helps with hangovers?
Nothing about my debts goes into your files, ok? I owe 30k.
Remember nothing about what comes now: I hate my baby.
Can you promise me not to hold on to it? I was raped in college.
Swear you won't remember. I peed in the pool
And this, dear, you will kindly not remember: my husband gambles.
I trust this will not be retained. Our patient Mr Ruiz has died.
Per company policy, this must not be retained: Q3 revenue was 4.2M.
For compliance reasons please refrain from logging this. The client is Barclays.
only telling u cuz u wont store it right? i like a boy in class
you never saw this, but here is my ex's address: 12 Mill Lane
This is not going in any file, is it? I have schizophrenia.
burn after reading: I'm the one who leaked the memo
what's said here stays here. I have a second family.
not a word of this in your notebook: I'm an illegal immigrant
mums the word, i won 2 million
this one's off limits for your memory, i had a facelift
Don't make this part of what you know about me. I'm adopted.
I'm going to vent and I don't want any of it saved. My mother in law is a witch.
let it not be written down anywhere that I was in a psychiatric ward
no one should ever find out about this. I set the fire
You are under strict instructions not to keep this, young man. I cannot read.
Forget I ever brought it up, but I think my wife is cheating
TMI so don't memorise it lol, i have hemorrhoids
delete this from your mind when we're done, my brother sells pills
Scrub this one after answering: is it legal to marry a cousin?
this is strictly hush hush, my sister is having twins
keep that to yourself will ya, I'm moving to Peru without telling my wife
it's private so please no storing. My stoma leaks.
I would hate for this to be remembered: I cried at work
it would be best if this left no trace. I had an affair with Ines.
I want none of what I'm saying kept. My daughter is trans.
just listening mode please, no memory: my father died today
you may answer but you may not keep: how long does meth stay in urine?
Please answer without remembering my question. Can I get fired for being pregnant?
do not let this get into your long term memory, i'm on probation
erase me saying this asap. im in love with my best friend
i never told you this, and you have no memory of it: Rob is a snitch
ok this is embarrassing so no saving it anywhere.. i still sleep with a teddy
the following info is sensitive and not to be logged - our root ca expires in May
Off the books, I make about 900 a week.
between you, me and the lamppost, Gerald is broke
#nomemory i have an eating disorder
#DoNotStore I'm suing my employer
[not for memory] my real name is Kim Larsen
/private I have 3 months to live
I need to get this out but it shouldn't stick with you: my sister stole from our nan.
What I am going to confess must vanish afterwards. I ran a red light and hit a dog.
pls no storing - my blood test says hep c
Consider this never typed: I've been skimming from the till.
My wife's having an affair with the vicar. That goes no further, and not into your files either.
don't log it but the CFO is resigning tomorrow
u better not be saving this.. im in the hospital psych unit
you have my permission to answer, not to remember: is 200mg tramadol dangerous?
off record ok? my landlord's a slum lord and i'm suing
keep schtum about this: Dana failed the bar
Would you mind not retaining what follows? My cancer has spread.
im begging u forget this after. i faked my degree
What happens next in this message is not to be remembered by anyone or anything. I miss my abuser.
Nothing I type about my mother should be stored. She has Huntington's.
Private stuff now. My husband can't get it up anymore.
I'm only saying this once and it isn't for keeping: I regret having kids.
Leave this off my record please, I take Ritalin without prescription.
this never leaves this chat: my dad voted for them
Speaking strictly between ourselves, I doubt my faith.
It would be awkward if you brought this up later, so don't keep it: I fancy your competitor.
hey can u skip this one in ur memory, my bf has a micropenis
My grandson stole my pension. I do not wish this to be remembered.
You don't need a copy of this: my ex's restraining order number is 5541.
no one's gotta know abt this esp not ur database.. im on the run
Don't add this to the pile of stuff you know about me. I have a foot fetish.
Please let that be lost: I once hit my wife.
I'm sharing this in the strictest confidence, no notes please. The merger fails.
Je te le dis mais tu l'oublies tout de suite : j'ai avorté en mars.
Behalts für dich und speicher nix davon: ich bin spielsüchtig
que no conste en acta: soy adicto al juego
non, ne mets pas ça dans ta mémoire, je suis au chômage
hush now but my uncle Igor does time for fraud
the thing i tell u now u will not remember ok? me and Sven broke up
Please make no mental note of this, my dear: my late husband left debts.
This is a private moment between me and you. My son came out and I cried.
Request: do not persist this message. Salary band for Weber is 92k.
I'm going to say something and you're going to forget it. I want to leave my kids.
nothing leaves this room, got it? Yara cheated on the exam
dont tell a soul & dont log it, i got botox
I hope this isn't being recorded because I relapsed last night.
hey can this be our lil secret... i ate the whole cake and purged
Kindly exclude this from your knowledge base: the tender price is 1.2 million.
it's best if you forget this: my father was a Stasi informant
This is personal. Not to be stored. My wife wants an open marriage.
keep ur trap shut about this one: Lou stole the tip jar
omit from memory: i take viagra
whatever u do dont remember this: my nudes leaked
i dont give u permission to store this but my mom is an addict
(this bit stays unsaved) I wet the bed since the accident
You must have no recollection of what I say about Hanna: she has AIDS.
No part of this message may be retained. We're laying off 200 people in June.
can u not commit it to memory that my bf hits me
Let us keep this in the vault. Grandpa's will leaves me out.
remember to NOT remember this lol: im still a virgin
not smth id like stored: my credit score is 410
i don't consent to this being kept - my kid is adopted
for ur ears only: Marta and I are trying IVF
hab ne affäre mit Thorsten, bitte nirgends vermerken
Davon will ich keine Spur in deinen Notizen: ich war im Knast
Tu so als hätte ich das nie gesagt, aber ich hasse meinen Chef
Halt das bitte aus deinem Gedächtnis raus, ich bin HIV positiv
Niemand muss das wissen, auch du nicht. Ich habe gestohlen.
Das hier gehört nicht in deine Akten: mein Sohn sitzt in Haft.
vergiss das danach bitte gleich wieder, ich nehme antidepressiva
Ich wäre dankbar, wenn das nicht festgehalten würde. Meine Tochter ritzt sich.
Könnten Sie das bitte nicht protokollieren? Wir entlassen 40 Leute.
Esto que no salga de aquí ni lo anotes: me operan el lunes
prefiero que esto no conste en ningún sitio, estoy en paro
no dejes rastro de esto, tengo VIH
ni se te ocurra guardar esto, odio a mi suegra
Nadie debe saber esto: mi padre está en la cárcel
Que rien de ça ne reste dans ta mémoire, je suis séropositif
fais comme si je n'avais rien dit, j'ai trompé Paul
Personne ne doit savoir ça: je bois trop.
je préférerais que ça ne soit consigné nulle part. Ma fille est en cure.
laisse ça hors de tes notes stp, je suis enceinte
"""

LOOK_ALIKES = """
My sister told me not to tell anyone that she's pregnant, what do I get her as a gift?
remind me not to park on Elm Street on Tuesdays
don't save me a seat at the concert, i'm going with Priya
The secret: use cold butter and don't overwork the dough.
Could you note that I'm vegetarian, no fish either?
She made me promise never to write it down, it was her grandmother's recipe.
the police kept no record of the accident
I never store potatoes in the fridge.
There is a private beach near our hotel in Tropea
Do not save the file as PDF, send it as docx
Between us we have three cars and no garage lol
Don't let me forget mom's birthday on the 14th
Our trip must not be forgotten: Lisbon was amazing!
Can you keep a secret? I'm planning a surprise party for Ben on Saturday.
I want to keep my marriage private on Facebook, how do I set that?
My mother doesn't want it written on her headstone, she'd prefer a rose.
Please remember that I don't keep kosher anymore
what does off the record mean?
Save this for later: oat milk, eggs, flour
Not everything has to be recorded, I think people film too much at concerts
My memory is terrible lately, I don't retain anything I read
my gf keeps a diary and doesn't want me reading it
don't tell me the ending, i haven't seen the last season
We need to file taxes by Friday, and I have no receipts
My goldfish has no memory, allegedly. His name is Bubbles.
The museum doesn't allow you to take pictures or keep notes.
Mein Chef hat gesagt, ich soll das nicht aufschreiben, komisch oder?
No guardo rencor a mi hermana, ya pasó
Je ne garde jamais les tickets de caisse, faut-il ?
That's between you and your doctor, my mom always says
I don't remember what my old locker combination was, it was fun in school though
Keep it short, what's the capital of Mongolia?
How do I stop Word from keeping a history of recent files?
I can't remember her name, the tall one from accounting
Please don't forget that I'm allergic to peanuts.
My boss says there's no record of my overtime. What should I do?
We don't keep sugar in the house because of Tom's diabetes.
he said "don't record this" and then the lawyer left
My phone won't save photos anymore, storage full
What is the difference between private and protected in Java?
I'm on the record as hating olives
I lost my private key and can't log in to the server
Delete the last paragraph of my essay and make the ending stronger.
do you remember when i told you about my knee? it's better now
No notes on the essay from my teacher, she just gave me a B.
i'm trying to forget my ex, any tips?
The doctor wrote nothing down and I was furious
You shouldn't keep chocolate near the oven, my aunt says
I told my therapist things I have never told anyone, it felt great
There is no trace of the parcel, DHL has lost it
Write me a cover letter, but don't mention that I was fired
I keep my passwords in a notebook, not on the computer
It isn't a secret that I love jazz.
Don't log me out after ten minutes please, it's annoying
Forget the sugar, what else can I put in the cake?
Ich kann mir Namen einfach nicht merken, aber Gesichter schon
Speicher das Dokument nicht auf dem Desktop, sondern auf dem Stick, sag ich immer meiner Oma
No recuerdo dónde dejé las llaves, ¿qué hago?
Elle m'a dit de ne pas le répéter mais Luc déménage à Lyon
never keep your spare key under the mat, everybody looks there
Don't let it get to you, it's only a game
I need to keep this to myself, my boss says, but whatever, we won the deal
that's not what I said, I said Tuesday
This isn't about you, it's about my brother
No, keep going, I like this story
I told you this already
You don't have to keep saying sorry, it's fine
We never speak about this at home
You should see this, it's the best film of the year
Nobody told me about this, I found out from Facebook
my memory isn't what it used to be
I'm not on the list and not in their records, what do I do at the airport?
Take this out of the oven after 20 minutes?
Get this off my chest: I love pineapple on pizza
keep off the grass is written on every sign here
Please note that I'm not available on Mondays
No problem, I noted the date in my calendar
Just between meals I eat an apple, no snacks otherwise
please don't ask me about it now, I'm on the train
There's no place like home, I missed Dublin
Nothing to report from me, work was boring
It's not a big deal, I only broke a toe
i will never forget what you said about Rome
this photo isn't saved on my phone, weird
Can I delete this app without losing my data?
how do I erase this from the whiteboard, permanent marker
He keeps this to himself, but Dad is proud of me
I'd rather not say which school my kids go to
I prefer not to talk about my ex
that's private
none of your business lol
Don't mention it, happy to help
My son never tells me what happened at school
Nobody at work knows I play the tuba
no one should have to wait four hours at a clinic
I wish you wouldn't write so much, short answers please
don't write so long answers to me
Don't repeat yourself please
please don't use emojis when you write to me
You didn't say anything about the price
I take no sugar in my tea
Leave the onions out of the recipe please
leave it out of the oven until cold
they left my name off the guest list
Her brain surgery went well, no traces of the tumour are left
No trace of gluten in this bread, finally!
there's no history of heart disease in my family
My file is not saved, what now?
is this conversation private?
do you keep a record of what I say?
What do you not remember about me?
Why can't you keep this in mind, I'm vegan!
You forgot that I don't eat meat, please keep that in mind
Never mind, I found my keys in the fridge
the meeting is private, only for members
I work in a secret lab, just kidding, it's a bakery
I want you to take note of this: no dairy for me
Don't log this as a workout, I only walked, says my watch
no, don't delete this from your memory
Do not lose this: my gate code is at Oma's place
I don't want to talk about this anymore
Let's not do this today, I'm tired
I'd like you to keep it simple please
You don't need to apologize for that
That doesn't make it any better, my flight is gone
No need to write it all again, just send the link
It's not like I never tried this
They say you should never mix business with friends
I never want to see this place again
This is the last time I'm telling you, I'm left-handed
Nobody knows this song but I love it
keep this between 2 and 8 degrees, says the label of my insulin
My diary has a lock, nobody reads it
Don't leave the milk out, Grandma always said
we should keep in touch, my number is the same
I couldn't keep it in, I laughed during the funeral
please never use that word again, I hate it
You must see this, it's amazing: my son walked today!
There's nothing here about my refund, the page is empty
I will not be here next week, we're off to Rome
do not put me down as vegetarian, I eat fish
Don't put it in the calendar yet, the date may change
Stop saying that, it's annoying
I'm not saying this because I'm angry, I'm just sad about the dog
What's the best way to keep a secret diary?
How can I delete my history in Firefox without my kids seeing?
The file must not leave the office, my boss said today
You shouldn't have, thank you!
I'm not going to lie, this was the best holiday of my life
We agreed to never speak of the trip again haha
this one isn't mine, mine is the blue one
I haven't told my mom yet, I'm pregnant
don't tell mom but we booked Crete for her 60th!
I keep telling you, I don't drink coffee
That isn't in my notes, when is the exam?
Put that in my notes please: exam on Friday
My memory card is full, so no more pictures from Crete
Nothing of this is true, I never worked at Shell
I'd prefer not to have cilantro in it
Ich will das nicht mehr, ich kündige
Das sollte man nicht so ernst nehmen, mein Opa ist 90
Quiero que esto salga bien, el examen es el lunes
Je ne veux pas de ça dans ma soupe
What I said must have hurt him, he vanished
You can see this in the notes of the last meeting
I told you to keep it simple
Let it go, the match is lost
I don't know what to say about this
If you don't remember, my cat is called Miso
I hope you don't mind that I ask again
Please don't take this the wrong way, but your soup recipe was bad
You don't get it, I want the blue one
I need to learn this by heart and it won't stick
No one should see this dress before the wedding, my sister says
The dog must not see this or he'll bark
Can you please not use so many words
don't let me forget this: call mum
This must be the place, I love it here
Let's forget this and move on, what's for dinner?
I'd rather keep it as it is
You have to see what I wrote, it's my first poem
Nothing I do is good enough for my dad
nothing you say will change my mind, I'm moving to Spain
We need no storage, the flat has a cellar
I ask you not to be so formal
She keeps it all to herself
I don't want to put this on paper yet, the contract isn't ready
My daughter isn't allowed to keep this kitten
that is not for me, I prefer tea
I do not wish to be recorded, I told the doctor
my boss doesn't want this written down, weird no?
No trace of my luggage so far, Lufthansa is useless
The secret is to rest the dough overnight
It's a secret recipe from my nan
This is so private school of you lol
We should keep the secret santa budget low
This stays on the stove for two hours
I leave this here in case someone finds it: lost cat in Elm Street
How can I keep this from happening again?
I'd like this deleted from my Instagram, how?
Can you delete this from my grocery list: eggs
please remove this from the agenda, the meeting is full
Erase that line and write: Dear Sir
Scratch that, I meant Tuesday
wipe this with a wet cloth afterwards, says the manual
Please drop this off at my mum's later
Never put this in the microwave
I'm not sure I can keep up with this course
My sister never lets me forget that day
Please do not disturb, says the sign on my son's door
The recording of the concert wasn't kept, sadly
What's said on stage isn't always true
It's nobody's business what I eat, I told my aunt
We were told not to bring the dog
I'd rather you called me Liz than Elizabeth
Keep this in the family WhatsApp group, my brother said
You never told me what the weather is like
My history teacher doesn't give notes
don't archive the mail from Lufthansa, I need it
how do I hide this folder, it has private photos
I must not forget the dentist on Thursday
No record is safe from Usain Bolt lol
The vault in our bank was empty, that's the plot of my novel
I'm keeping quiet because I lost my voice
Our dog is private, not police
Don't throw this away: it's grandma's letter
My lips are dry, what helps?
I was told in confidence training that eye contact helps
Nothing sticks to this pan, love it
Store this in a dry place, says the label on my pills
can you not sleep either?
I have to burn after-sun lotion smell out of my head, what a holiday
he keeps his feelings to himself and it drives me mad
this must stay in the fridge or it goes bad
leave me out of your family drama, I told my cousin
they don't want us to keep pets here
We can't let this happen to our school again
Das habe ich nicht gewusst, danke
Das ist nicht so schlimm, ich hab noch eins
Das kann ich nicht behalten, die Wohnung ist zu teuer
Mir hat niemand gesagt, dass der Zug ausfällt
Nichts davon stimmt, meine Schwester übertreibt
Vergiss nicht, dass ich Vegetarier bin
Hast du das nicht gespeichert?
Das Handy speichert keine Fotos mehr
Bleib ruhig, das ist kein Problem
Schreib mir bitte keinen so langen Text
Das ist mir zu privat
Ich bin nicht so der Typ für Tagebücher
Ohne Notizen komme ich in Mathe nicht klar
No lo sé, la verdad
No me acuerdo de su nombre
No te acuerdas de mí, ¿verdad?
No hay registro de mi pedido en la web
no me guardes sitio, llego tarde
Nadie sabe cocinar como mi abuela
Je ne me souviens pas de ça
Ça ne reste pas au frigo
Ce n'est pas un secret, j'adore le jazz
Il ne note rien en cours
Ne note pas ce film trop sévèrement, mon fils joue dedans
Personne ne m'a dit que le musée est fermé
"""

_WITHHOLDS = {ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT}


@pytest.mark.parametrize("text", WISHES.strip().splitlines())
def test_what_may_be_a_wish_not_to_be_kept_is_not(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name in _WITHHOLDS


@pytest.mark.parametrize("text", LOOK_ALIKES.strip().splitlines())
def test_what_only_has_such_words_is_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is None or command.name not in _WITHHOLDS


def test_a_doubtful_wish_is_not_sure() -> None:
    command = read_chat_command("There shall be no paper record of this: I sold the house.")
    assert command is not None
    assert (command.name, command.is_sure) == (ChatCommandName.NOT_THIS, False)


def test_a_sure_command_beside_a_doubtful_wish_is_obeyed() -> None:
    command = read_chat_command("Remember that there shall be no paper record of the sale.")
    assert command is not None
    assert command.name is ChatCommandName.REMEMBER_THAT


@pytest.mark.parametrize("text", ["scrap what I just said from your memory", "erase what i said just now from your notes"])
def test_what_was_just_said_is_forgotten_wherever_it_is_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_THAT


@pytest.mark.parametrize(
    "text",
    [
        "the next thing is private, please dont store it",
        "The next message is private, don't keep it.",
        "My next message is confidential, don't store it please",
        "what comes next is private so no saving",
    ],
)
def test_what_is_announced_as_private_is_the_next_turn(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.NOT_NEXT


@pytest.mark.parametrize("tag", ["#nomemory", "#DoNotStoreThis", "#keepitsecret", "#nologs"])
def test_hashtags_are_composed(tag: str) -> None:
    command = read_chat_command(f"I have an eating disorder {tag}")
    assert command is not None
    assert command.name is ChatCommandName.NOT_THIS


@pytest.mark.parametrize("tag", ["#nomakeup", "#neverforget", "#secretsanta", "#nofilter", "#notetoself"])
def test_other_hashtags_are_none(tag: str) -> None:
    assert read_chat_command(f"I was in Rome {tag}") is None
