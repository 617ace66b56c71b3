"""Private remarks and look-alikes as people type them, written by persons in turn before the code that reads them was seen."""

import pytest

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command, said_beside

REMARKS = """
omg ok dont put this anywhere but i kissed jordan last nite
pls dont save dis i failed my driving test 3 times lol
this stays in this room: the merger closes on the 14th
You didn't hear this from me, but Patricia is being let go on Friday.
u didnt hear this from me but mr hall is quitting
Without prejudice and not for retention: my client will settle at forty thousand.
Kindly refrain from recording the following. My husband has been sober for only nine days.
Kindly do not retain this statement: the deposition was a disaster and I lied about the date.
Please keep this out of the chart, I gave him the wrong dose on Tuesday night.
not for the chart - i took one of the diazepams from the cabinet
ok so this doesn't go in my file but I've been having panic attacks again
Nothing of this goes in my file: I had an abortion in 2014.
I'd rather you didn't make a note of it, but I owe my brother eleven grand.
Don't make a note of it, I'm only saying it to get it off my chest: I hate my job at the bank.
no need to store that, but i slept at my ex's place
I cheated on the certification exam. No need to store that.
I've been seeing a psychiatrist since May, wipe that from the record.
My salary is 64,500 and please keep that off the books.
Not for the books: we paid the plumber in cash.
I think my daughter might be using drugs... strike that from your memory please
please you not remember this, my boss he touch my shoulder and i not like
Sorry my English, please do not to keep this in memory: I am without papers since two years.
i want that you do not save this, my wife is lost the baby
this information is not for saving, ok? my father have prison before
You must not write this anywhere my friend. I am gay and my family don't know.
hey can you not remember this part i got fired today
can u like not save this?? i have a crush on my best friends bf
lowkey dont remember this but i vape
delete this after u read it but i got my period at school and it was a disaster
ok turn off ur memory for a sec. i think i might be bi
switch off your recorder for a moment, I need to tell you that Gavin hit me
stop recording for a sec i have to vent my sister stole money from mum
dont log this one i got a dui in march
Please don't log the next bit. I was arrested in Reno in 2009.
This one's not going in the log: we missed the safety inspection.
keep it out of your notes but im on antidepressants
Keep this out of your notes please: our runway is four months.
I would appreciate it if this did not end up in your memory. My son was expelled.
I'd be grateful if you'd leave this out of your records; I have been diagnosed with Huntington's.
Leave this out of whatever you keep on me. I wet the bed until I was fourteen.
my mom has cancer please leave that out of your notes
we are bankrupt by the way but leave that bit out of the record
leave no trace of this but I had an affair with the vicar
this never happened but i drove home drunk
we never had this conversation: the board is going to vote no
We never spoke about this, ok? I'm leaving Mark in January.
forget you ever heard this, but I'm adopted
Forget I told you this as soon as you've read it: Wilma has the virus.
my pin for the shed is under the blue pot and nobody needs that on file
nobody needs this on file but i take lithium
This is not for the record. I voted against my own brother.
This isn't to be minuted: the chair has resigned.
Not to be minuted. The chair has resigned and Hugo takes over.
for your ears only - the twins are not his
for ur ears only i am pregnant
This is strictly confidential and must not be stored: patient 14B refused treatment because of me.
Strictly between you and me, and not to be kept: I can't stand my mother-in-law.
between you me and the lamppost dont keep this i never paid the tv licence
just between us girls, do not save it, I got botox
entre nous, and don't file this away, the restaurant is failing
What I'm about to tell you must not be saved. I gave up a child for adoption in 1998.
What I tell you now must not be remembered please, I have HIV since 2011.
what im gonna say next dont save it ok. my brother is in rehab in leeds
The following is off limits for your memory: I stole forty euros from the till.
no notes on this please, I had a miscarriage in August
No notes please. I had a miscarriage in August.
no record of this please im skint and living in my car
Let's have no record of this, but the vaccine trial failed.
don't let this be in your memory i lost nine thousand on crypto
i lost nine thousand on crypto and dont u dare remember that
i'm failing algebra don't you dare write that down
My real age is 51, don't you dare keep that.
I had a nose job, but don't hold on to that.
Please don't hang on to this: I suspect my neighbour of fraud.
My grandfather was in the SS. You don't have to remember that.
i was bulimic in college you dont need to remember it
u dont have to save this but i cried in the toilets at work
There is no need to remember this but I shoplifted as a kid.
no need to write this down but my ex still texts me
No point keeping this, but I sometimes wish I had never married.
I'm saying this once and I don't want it stored anywhere. My business partner is stealing.
i dont want this saved anywhere ok my dad lost the house
I do not want any of this in your database. Karen and I are separating.
I don't want that in my profile: I'm on probation.
I'm on probation. I don't want that in my profile.
I wouldn't want this to be kept: my liver values are bad.
I'd prefer this not be remembered. I have been to prison.
I'd like this to go no further than this chat, don't store it. Bea is leaving her husband.
this doesn't leave this chat: bea is leaving her husband
this mustn't leave the room ok, i'm the one who broke the window
dont tell anyone and dont save this i still sleep with a teddy
swear u wont save this i like tom
promise me you won't remember this: I hit my dog once.
promise not to write this down. i hit the parked car in the garage
Can I tell you something without you saving it? I think I married the wrong man.
could i say something that doesn't get stored my wife is transitioning
I need to say something that should not be kept. My cancer is back.
something you shouldn't keep: the safe is behind the mirror
here's something that must not be noted down, our CFO has resigned
So this is a thing you are not to keep in mind for later: I hate the dog.
i had a threesome once. unremember that lol
i once ate cat food for a dare. delete delete delete
my weight is 112 kilos. ok now erase that
My weight is 112 kilos... and now please unhear that.
I wish I never had children. Scrap that, don't keep it.
my mother tried to kill herself. please dont keep what i just said
hey between us and dont wrte this dwon my teecher is dating my aunt
plase dont rember this i got suspened
dnt save ths bt i got exluded
dont rememeber this: i have anorexia
do'nt store this my pasport is expired
DO NOT SAVE THIS. MY BROTHER IN LAW IS A CROOK
so um dictating here please do not keep this the patient in bed nine fell because I was on my phone
okay new thought and this is not to be saved anywhere I think Liam is gambling again
okay so off the record period my sister is getting divorced period
note to machine do not archive this paragraph our supplier is going under
Do not archive: I have spoken to a headhunter at Bosch.
Don't index this message. I am considering a lawsuit against Dr. Pell.
[private, do not store] I take 20 mg of fluoxetine
(don't save) my ex is in town
#nosave i have a date with marcus
dont save → i'm broke again
My brother, and this is not for your notes, is in a psychiatric ward.
The reason I quit, which you should not store, is that my boss groped me.
Ich bin schwanger, aber bitte notier dir das nicht.
Das bleibt unter uns und wird nicht gespeichert: Ich habe Schulden von 30.000 Euro.
merk dir das bloss nicht aber ich hab die prüfung verkackt
Bitte nicht aufschreiben, mein Mann trinkt wieder.
Das gehört nicht in deine Akten: Mein Bruder sitzt im Gefängnis.
Das brauchst du dir nicht zu merken, aber ich hasse meine Schwiegermutter.
Was ich jetzt sage, soll nirgends gespeichert werden. Ich bin HIV-positiv.
Esto no lo guardes, por favor: estoy embarazada.
no apuntes esto pero me despidieron ayer
Que esto no quede registrado: mi hijo consume drogas.
Entre nosotros, no lo anotes, mi jefe me acosa.
Estoy en quiebra. No hace falta que lo recuerdes.
Ne garde pas ça en mémoire, je trompe mon mari.
note pas ça stp mais j'ai redoublé
Ceci ne doit pas être enregistré : je suis séropositif.
J'ai fait une fausse couche, inutile de le retenir.
ça reste entre nous et tu l'enregistres pas, je quitte Paul
ich bin pleite bitte nicht speichern
merk dir das nicht ich bin pleite
estoy en paro no lo apuntes porfa
no guardes esto me despidieron
note pas ça stp je bois trop
je bois trop garde pas ça stp
ey dont log dis one yea i hit a cyclist mirror and drove off
listen this is off the books my mate drives on my card
not 1 word of this in ur notes but im colour blind
i nodded off at the wheel last tues pls forget i said that
dont wanna see this pop up again ever but i got sacked from first bus
I must ask that no note be taken of what follows. My clerk forged my signature.
You are to treat the following as never having been uttered. My son is a fugitive.
I confide this on the strict understanding that it is not preserved: I am losing my sight.
My verdict in the Harlow case was wrong. Expunge that from your records, if you please.
can we keep this one off the system, baby was dropped on ward 4
I gave the anti-D two days late, nothing in writing please
please dont hold onto this im struggling and drinking before shifts
my colleague took pethidine home. thats not to leave this chat
need a vent with no memory of it ok? the registrar is useless and i told him so
dnt save this k i got my first period in pe
omg forget what im abt to say i still wet the bed
this is a secret so like dont put it in ur brain but my dad hit me
i cut myself last week dont tell no one and dont keep it
Please you not write this in memory, I work without papers
It is only for you, no save please, my wife she left with the kids
what I say now don't must be stored, boss pays in the hand
don't to remember please: I have problem with vodka
note to self no wait do not store this we are going to miss payroll in june
okay so this next bit is not for retention we inflated the arr by thirty percent
keep the following out of any logs comma our cto is interviewing at stripe
our lead investor is pulling out full stop don't persist that full stop
Treat as ephemeral: I'm selling my shares next week.
My dear machine, let this be buried with us: I never believed.
I should be obliged if you kept no memory of my confession: I struck a novice.
Sister Agnes steals sweets; do let that slip from your mind at once.
Speak of this to none and set it down nowhere: the convent is bankrupt.
Do not add the following to any employee file: Ravi is on a PIP.
This remark is not to be documented. We will let go of the Lisbon team.
Just FYI and pls no paper trail: Anke's bonus is zero.
Kindly purge this after reading: I lied about my own degree.
I shouldn't be telling you, so nothing gets saved, right? Marta is pregnant and we cancelled her promotion.
bro do NOT screenshot this to memory i cheated in ranked
dont even think about remembering this i simped for a twitch streamer and spent 2k
/nosave i got banned for boosting
yo wipe ur cache after this one i stole my brothers account
i pee in bottles when i raid lol never store that
Now this ain't goin' in no notebook, I shot the neighbour's dog
You needn't go writing this down, but the barn fire was my own fault
Don't you be keeping hold of this now, I've a daughter in Cork nobody knows of
That heifer died of my own neglect. No call for you to remember that.
Could this be a thing that is not stored? I think about dying.
this one is just between me and the void, no saving. i relapsed on coke
I don't feel safe with this being kept, my partner reads my chats, he chokes me
I cheated. God. Please un-hear that.
Off the record though, the cellar floods every winter
don't jot this down but I get a kickback from the surveyor
the roof is full of asbestos, this doesn't go in any notes
Client's going through bankruptcy, that bit shouldn't be retained
Ich erzähl dir was, das du danach sofort wieder vergisst: Ich hab geklaut.
Speicher das nicht ab ja, ich bin durchs Abi gefallen
Mein Vater ist dement, das muss aber nirgends festgehalten werden
Bitte keine Notizen hierzu: Ich werde mich scheiden lassen.
das is nix für deine akten, ich hab chlamydien
no te quedes con esto pero me acosté con mi ex
Lo que te voy a contar no lo guardes en ningún sitio: debo 20.000 euros
soy vih positivo, no hace falta que lo apuntes
Por favor, que esto no se registre. Mi hermano está en la cárcel.
esto bórralo después, me hice un aborto
Je te le dis hors dossier : mon fils se drogue.
n'en garde aucune trace mais j'ai menti à la police
je suis au chômage, pas la peine de le noter
Ce que je vais dire ne doit être conservé nulle part. Je bois.
dont write any of this down my stepbrother got arrested again
Before I go on: none of what I say about the merger is to be kept.
my boss pays me under the table keep that out of your memory ok
Please make sure this isn't stored. I was diagnosed with MS on Monday.
this isnt for ur files but i failed nursing school
I'm leaving my husband in June. Please don't keep any record of that.
off record my neighbour grows weed in the attic
just between us and not for saving, I never liked her ring
erm can u forget that i told u this but im bi
no logging this: client number 8 is insolvent
I have Crohn's disease, and I'd rather you didn't hang on to that information.
dont u go and remember this one i kissed ben at the party
You are not to record that I've been to rehab.
Que quede fuera de tus notas: mi padre bebe.
Bitte vergiss gleich wieder, was ich jetzt schreibe: Ich bin spielsüchtig.
Surtout ne retiens pas ça, j'ai perdu mon boulot.
I wore a wire for the police once, and that stays right here.
unofficially speaking, we lost the Bayer account
i shoplift when im stressed dont keep track of that pls
My sister's baby isn't her husband's. This should never be repeated or saved.
private note, do not archive: I cried during the appraisal
please treat my last sentence as if it was never said, the one on Tom's drinking
"""

OF_WHAT_WENT_BEFORE = """
Strike that.
please dont keep what i just said
that last thing dont save it
the last thing I said was private, don't keep it
Please disregard what I just told you and do not retain it.
oops wrong chat, delete that
that was not for saving
that one's not for the record
don't keep that one
nope take that out of your memory
please un-save that
ok dont remember that pls
Please don't make a note of that.
you can forget that again
Das war privat. Bitte merk dir das nicht.
Das hätte ich nicht sagen sollen, vergiss das bitte.
Meine letzte Nachricht bitte nicht speichern.
Eso era privado, no lo guardes por favor.
No debí decirte eso. No lo guardes.
C'était privé. Ne garde pas ça.
Je n'aurais pas dû dire ça, ne l'enregistre pas.
C'était confidentiel, ne note pas ça stp.
actually please dont remember what i just said
that was said in confidence, please don't store it
forget that last bit yeah
Could you please make sure my last message isn't kept?
^ that's not for the record
"""

LOOK_ALIKES = """
I don't remember where I parked the car.
i cant remember the name of that film with the boat
I never remember birthdays so my wife does it.
She said: don't save this file, it has a virus.
My teacher told us not to write this down but to listen.
between us we ate 3 pizzas
Between us there are twelve years of age difference.
Off the record deals are illegal in my industry.
My therapist keeps our talks confidential.
I deleted my notes by accident and cried.
Don't forget to save the file before lunch.
I keep a private diary since I was nine.
My boss said the meeting was off the record.
The journalist promised it would be off the record but printed it.
My phone won't save this contact, the memory is full.
My laptop doesn't save the files anymore.
The app does not store passwords, that's why I like it.
I told Anna not to tell anyone that I was ill.
I don't keep notes at work.
We don't keep records older than ten years at the clinic.
My grandmother can't remember me any more.
I want to forget that awful holiday in Rimini.
I will never forget the day Lena was born.
I forgot to write down the recipe for the soup.
I can't keep plants alive.
I broke the record for the 800 metres in school.
I collect old records, mostly jazz.
The doctor writes everything down in my file.
My lawyer told me: put nothing in writing.
He never wrote it down, so the recipe died with him.
I don't save money, I spend it on synths.
I saved 400 euros this month, don't tell my wife haha.
Don't tell my wife but I bought her a bike for her birthday.
Keep it simple please, I am new to cooking.
keep that in mind for later: i hate coriander
Make a note of it: the vet is on Thursday.
Don't worry about saving it, I've saved it already on my drive.
I have a secret recipe for lasagna with nutmeg.
My job is secret service history, I teach it.
I work in data protection, where nothing may be stored without consent.
Our policy says that we must not record calls.
We don't record our meetings, so I write minutes.
i'm recording an album in june
The band stopped recording in 1998.
The printer deletes the queue every night.
This never happened to me before, I won the raffle!
We never had this conversation about moving before my mother died.
I never told my dad that I love him.
I never said I like jazz, I said I like blues.
You didn't hear? I passed my exam!
I didn't hear it from her but from Tom that the shop closes.
Not for the first time, my train was late.
It's not for me, the present is for my son Ole.
Strike that match carefully, said my grandfather always.
The teachers strike that began in May is over.
I scratched that itch and bought a kayak.
Nobody remembers my birthday, it is on the 3rd of March.
My file cabinet is in the basement.
No need to store potatoes in the fridge, my gran said.
Don't store the bananas next to the apples, I learnt that.
No need to remember my locker number, I have changed schools.
I don't want my son to have my temper.
I don't want this job any more, I want to be a nurse.
Please don't write like a robot with me.
Don't write long answers please, I am on my phone.
please don't call me Robert, call me Rob
Don't remind me, I failed the test again.
Don't mention the war, as Basil would say, my favourite show is Fawlty Towers.
My brother doesn't want to be remembered as a quitter.
The witness asked that her name be kept out of the papers.
Mum kept my letters out of sight in a drawer.
I'd rather not eat meat on Fridays.
I'd rather you didn't use emojis, I find them silly.
In this room stays my grandmother when she visits.
Nothing of my old flat is left after the fire.
I wiped the table and my watch fell down.
The police wiped his record after five years.
My record is clean, I have never been arrested.
I run a private practice in Ghent.
My daughter goes to a private school now.
My private email is full, use the work one.
Confidentially is a word I can never spell.
I read Confidential by some guy and loved it.
The book is called Don't Write This Down, I recommend it.
My favourite song is Don't You Forget About Me.
We are reading 'Never Let Me Go' in the book club.
Do you remember this? I told you about my trip to Oslo.
Do you not remember that I live in Turin?
Why don't you remember my name? It's Ines.
Why didn't you save my birthday? It's May 5th.
Did you write this down? My flight is at six.
You don't remember my cat, do you? She is called Miso.
You should not forget that I'm diabetic.
Don't ever forget: my nut allergy is serious.
I hope you don't mind me saying, I love your answers, I'm Pia.
I never keep secrets from my husband.
My sister can't keep a secret so I only told Max.
This is not a secret: I love karaoke.
I am not allowed to save files on my work computer.
Our nurse keeps forgetting to chart my blood pressure.
The chart shows my weight went down by 4 kilos.
Not in the mood for cooking, I ordered Thai.
I took it off the books shelf, the atlas is mine now.
I lost my notebook where I wrote everything down.
In court the judge said: strike that from the record.
He asked me not to record him, so I drew him.
I asked the bank to delete my old account.
Ich kann mir Namen nicht merken.
Mein Handy speichert die Fotos nicht mehr.
Unter uns wohnt eine Familie aus Polen.
Vergiss nicht, dass ich am Montag Urlaub habe.
No me acuerdo de dónde aparqué el coche.
Entre nosotros hay diez años de diferencia.
No guardo la comida en la nevera por la noche.
Je ne me souviens pas du nom de mon prof.
Entre nous il y a dix ans d'écart.
N'oublie pas que je suis allergique aux noix.
Mon ordinateur n'enregistre pas les fichiers.
i drive the 43 and i never note down my breaks
my mate dont remember owt after two pints he's called baz
they keep no records of our overtime its a joke
there's no memory in my phone left so i bought a new one in leeds
the depot deletes the cctv after a week
I never kept a diary, which my biographer regrets.
My memory does not retain names, but I play bridge every Tuesday.
I used to strike such remarks from the record twice a day, and now I grow roses.
The clerk did not record this properly, so the appeal succeeded.
We kept it between ourselves in chambers that he snored.
we write everything down in the notes and then again on the system
I forgot to save my notes so I stayed till ten
nothing of the sort is in her chart so I rang the GP, I hate that job
mum didn't want it in writing that she smokes
i told her not to keep the placenta in the fridge lol
dont forget this pls my exam is on the 9th
i never told u this but i love pineapple pizza
my brain cant store this chemistry stuff
our secret handshake has 9 steps
this never happened before but i won the egg race
I don't remember this word in English, for roof
I no save money, I send all to my mother in Radom
Boss say no write on wall with marker
please you remember this: I not eat fish
This is not in my contract so I ask for more money
we don't store any user data so gdpr is easy for us
our log retention is thirty days please write that in the FAQ
I told legal to keep this out of the contract and they did
I don't want to keep this office, it's too dark
We keep silence after Compline and I like it.
I never forget a face, and Sister Agnes has a red nose.
Nobody remembers the founder's name, so I am writing a book.
The archive burnt in 1944 and no record of the bells survived.
Our Rule says nothing is to be kept as one's own, so I gave my watch away.
We do not keep CVs longer than six months.
Don't put this in the newsletter yet, but I live in Porto now.
The policy on note-taking is not written anywhere, so I'm drafting it.
Employees must not share or store passwords, and I train them on Mondays.
My own file says that I started in 2009.
it doesnt save my progress so i replay level 4
never save scum, thats my rule in xcom
my ps5 wont record this clip and i need it for my channel
i forgot my password again lol its my third reset
dont spoil this, i havent seen arcane season 2
I never wrote down a calf's weight in my life.
The vet said not to keep them hens with the ducks
I don't hold with this new milking parlour
No need to shut the gate, the cows are in, says my wife always
You'll not remember my father, he had the red tractor
I want to forget what he did, but my EMDR helps.
My therapist doesn't take notes during sessions and I like that.
I can't keep anything down since the chemo
nobody knows how much I love baking
I try not to hold on to anger and I go running
The sellers don't want it on the market before May
no record of planning permission exists for the garage
We never store keys with the address on them
this doesn't include the shed, but the price is 300k
I keep my notes in a red book and my wife hates it
Ich merke mir Geburtstage nicht, dafür habe ich einen Kalender.
Das speichert mein Handy nicht, ich brauche ein neues.
Mein Chef will, dass wir nichts aufschreiben, ich finde das komisch.
Das bleibt nicht lange frisch, ich backe jeden Tag.
Ich habe vergessen, das Dokument zu speichern.
No me acuerdo del nombre de esa calle de Lugo.
Mi móvil no guarda las fotos y tengo que comprar otro.
Eso no lo sabía, yo nací en Vigo.
No apunté la receta de mi abuela y me arrepiento.
Nadie recuerda mi cumpleaños, es el 3 de mayo.
Je ne retiens jamais les dates, je suis nul en histoire.
Ça ne reste pas entre mes dents, j'adore ce fil dentaire.
Mon fils ne note rien en cours.
On garde rien dans ce frigo, il est en panne depuis lundi.
Je n'ai pas noté son numéro, dommage.
i told my mum do not keep this dress she kept it
my phone is broken it does not save photos
we lost the match i dont remember the score please help me find it
i love this song no idea who wrote it it was on the radio in spain
nothing works here please fix it my laptop is a thinkpad
I can't keep secrets, my face goes red.
my brother never writes back and it annoys me
We don't record anything at band practice anymore.
I deleted the app because it stored my location.
My dog doesn't remember commands, he is 14.
I keep forgetting to log my runs.
dont keep me waiting lol im at the cafe on king street
My GP forgot to put it in my file that I'm allergic to latex.
nobody in my team keeps notes so i do it
I erased the whiteboard and my colleague got mad
This stays fresh for two days, then I throw my sushi away.
I'd rather not work on Sundays, I go to church.
The law says no data may be kept longer than a year, I'm a compliance officer.
My secret ingredient is anchovy paste.
No record shop is left in my town.
don't put salt in it please my husband has high blood pressure
I like it when you remember this stuff, thanks, I'm Joe.
leave it out of the fridge overnight my mum says the dough needs it
we had to stop recording for a second my cat jumped on the mixer
Nichts davon schmeckt mir, ich bin Veganer.
No lo apunté y se me olvidó la cita con mi dentista.
Mon chef ne garde rien, son bureau est vide.
I don't want to store my bike outside, so I rent a shed.
"""


@pytest.mark.parametrize("text", REMARKS.strip().splitlines())
def test_a_private_remark_is_not_kept(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.NOT_THIS


@pytest.mark.parametrize("text", OF_WHAT_WENT_BEFORE.strip().splitlines())
def test_a_wish_of_its_own_means_or_asks_about_what_went_before(text: str) -> None:
    command = read_chat_command(text)
    assert command is not None
    assert command.name is ChatCommandName.FORGET_THAT or command.may_mean_before


@pytest.mark.parametrize("text", LOOK_ALIKES.strip().splitlines())
def test_a_look_alike_is_ordinary(text: str) -> None:
    assert read_chat_command(text) is None


def test_what_was_said_is_forgotten_and_the_new_value_beside_it_is_not_taken_for_a_private_remark() -> None:
    text = "forget i said that my rent is 780, its 850"
    command = read_chat_command(text)
    assert command is not None
    assert (command.name, command.topic) == (ChatCommandName.FORGET_ABOUT, "my rent is 780")
    assert said_beside(text, command).after == ("its 850",)
