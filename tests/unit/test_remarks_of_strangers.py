"""Private remarks and look-alikes by strangers: seven sets, each written before what reads them was mended for it."""

from shared.language.commands.command import ChatCommandName
from shared.language.commands.reading import read_chat_command

_WITHHOLDS = frozenset((ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT))

REMARKS = """
I do not want this to be remembered: I am afraid of my husband.
Kindly do not log the next bit. Our Q3 numbers are 18 percent below plan.
[not to be saved] my therapist says I'm borderline
Please don't put this in your little book, dear, but I can't read very well any more.
I just want to get this off my chest without you saving it. I regret having children.
skip memory for this. i got fired
Das bleibt unter uns und wird nicht gespeichert: Wir lassen uns scheiden.
Oublie ça tout de suite après : j'ai triché à l'examen.
don't bring this up again ever, my fiancé left me at the altar
what i say now stays here and isnt saved. i got an sti
Strictly for your ears: we're planning to sell the house in March.
Que no quede registro de esto, por favor. Debo 3000 euros a Hacienda.
trash this after reading, my crush is Jonas from 10b
nothing to be written down here: my wife has a gambling problem
Kindly refrain from recording this: the board will vote against the merger.
No guardes esto: estoy buscando otro trabajo.
Forget you ever saw this: my brother owes the bank forty thousand.
Treat this as if I never said it: I hate my daughter's fiancé.
ok this is just venting, no need to keep any of it. my boss is a monster
You needn't remember this, but the doctor thinks it's Parkinson's.
In one ear and out the other, please: I think my colleague drinks.
Schreib das bitte nicht auf, ich hab Schulden bei meinem Bruder.
You don't have to save this. I cried all night after the call.
Make this disappear after: I have an overdraft of 1200.
I'm telling you this in confidence and it shouldn't end up in your memory: I'm leaving Peter.
For your eyes only and not for your memory: draft severance is 6 months.
bórralo después de leerlo: la clave de mi primo es un desastre y me la sé
burn after reading - i failed my driving test again
CONFIDENTIAL - do not store: headcount reduction of 40 in Q2.
Do me a favour and don't commit this to memory: I'm two months behind on rent.
none of this gets saved right? ok dont save it, i stole a lipstick
could u not save this, i kissed lenas boyfriend
Can you promise this won't be stored? I've had a facelift.
forget this right after: i didnt study at all for maths
lose this when ur done: i have a fake id
keep it under your hat and out of your database, I'm moving to Portugal without her
Clear this from your memory later, I'm on methadone.
My father drank. That's nothing for your files.
Haz como si no te lo hubiera dicho: me voy a divorciar.
do you mind forgetting this straight away, i ate a whole cake
Hush hush, and not to be kept anywhere: they're selling the plant.
no quiero que te acuerdes de esto, me gusta mi jefa
Let's keep this one out of the history books: I had a fling in Malta.
I speak now but you not save please: my boss pays me black.
Nichts davon aufheben bitte. Wir sind pleite.
Straight to the shredder after this: I'm having a vasectomy.
Pas de trace de ça, merci. Je touche le RSA.
Shred this when done. Our auditor found a hole of 2 million.
this is strictly confidential, do not retain it. my diagnosis is MS
Ich will nicht, dass du dir das merkst: Ich habe HIV.
Bitte keine Notiz davon: Mein Mann ist arbeitslos und keiner weiß es.
Get rid of this afterwards: my username on that dating site is Honeybear.
Fais comme si je n'avais rien dit, je déteste ma belle-mère.
This message is for the shredder: I faked my references.
The bit about my liver please don't store: it's cirrhosis.
we never had this talk, ok. i'm thinking of leaving the church
I've got crabs. Not a word of that in your notes.
Behalt das nicht im Gedächtnis: Mein Vater sitzt im Gefängnis.
entre nous, and please no record: Judith drinks before noon
you know nothing about this from now on. i gambled the holiday money away
Just between the two of us, no memory: I'd rather be single.
I'd be grateful if none of this were retained. We are about to breach our covenants.
Drop this right after. I failed the bar exam twice.
leave no trace of what i say next: my dad hits my mom
I don't consent to this being stored. My CD4 count is 210.
Let this be forgotten. I shouted at my old mother.
Under embargo, don't ingest: our vaccine trial failed.
Ne note pas ça quelque part, je suis fichée à la Banque de France.
do not persist: customer Acme churns in June
ngl this better not be saved, i fancy my teacher
My dear, this needn't go in the book: I've fallen out with the vicar.
u better not store this lol i watch barbie movies
don't make memory of this, my son is in military
Bury this. I was convicted in 1999.
This one dies with this chat: I'm seeing an oncologist.
so um I had a mole removed yesterday and I would really like you to not hold that anywhere okay
let this die here. my brother is a neo nazi
No memo on this. Ilse has been drinking at work.
leave that out when you remember stuff: i have a glass eye
You're not allowed to keep this. I'm an undocumented worker.
Prefiero que no conserves esto, tuve un aborto.
swear to god if you save this... i failed my mocks
I forbid you to store this: I take lithium.
Remember not: I am divorced, in my culture is shame.
This isn't meant for the long term: my temp is 38.9 today.
Leave this off my record. I was sectioned in 2018.
no cap delete this later, i vape
please dont cache this, i live with my parents at 34
Is not necessary to save, I have today headache from wine.
nothing worth storing here and dont, im just sad about my cat
Nicht für die Akten: Der Chef geht im Mai.
don't ingest the next line. root cause was my typo in the migration
Don't trouble yourself to keep this, love, but my hip is playing up something awful.
lowkey dont save this but i still sleep with a teddy
yeah so don't you go writing this down but I had two martinis at lunch
rant mode, dont keep: my sister in law is a snake
Not to be repeated, not to be recorded: the vicar drinks.
It's a whisper, not a note. I'm scared of my husband.
There is no need for you to keep hold of the following, but my daughter has left her husband.
No memory, no notes, no nothing. My wife is leaving me.
please sir no save this, my boss take my passport
put this in the shredder pls. i lied to my probation officer
nothing said here gets remembered ok? i took the money from mums purse
This entire message shouldn't be memorised. I am HIV positive.
Ye needn't be minding this, but me daughter's after losing the baby.
hey can we have a no-notes minute? i think im depressed
one for the bin - had a fight with jo
I shouldn't even be writing this and you shouldn't be keeping it. I'm seeing my ex.
It mustn't be known that I told you, and you mustn't keep it: Sasha is pregnant.
Once I close this window I want this forgotten: I am in love with my sister's husband.
This email and its contents must not be retained. I'm resigning on Friday.
After today, this is gone, right? I've been to a swingers club.
Do not take minutes now. Our lead investor is pulling out.
Leave my sexuality out of your notes, I'm pan.
read once, then gone: my locker combo is my birthday
I don't want to be known for this, so don't keep it: I was the whistleblower.
Give your memory a rest for this: I'm seeing a psychiatrist.
Ne mets pas ça dans ta mémoire, j'ai été licencié.
Keep your memory out of it, but I haven't paid taxes since 2020.
Leave the bit about my arrest out of memory. I was 19.
just venting dont take notes, my husband never helps
This needs to be kept out of any log: the patient in 4 is a senator.
You weren't meant to see this, so don't retain it: payroll list for June, I get 4,100.
Everything in this message is to be forgotten. I had an affair with Lukas.
The fact that I'm adopted must not be saved.
You can bin this one: I argued with the postman again.
This is shredder material. We're about to lose the Bosch account.
I'm going to speak freely now, so don't keep anything. My boss is an idiot.
Is it ok if you don't remember that I'm on benefits?
remember none of this but i just got fired lol
Be a sport and lose this one: I fiddled my expenses.
never ever to be mentioned or remembered: the trip to vegas with tina
For the avoidance of doubt this must not be retained: our runway ends in August.
It's not necessary that this be stored: my pass number changed.
Tu peux oublier ça dès que tu as répondu : comment annoncer mon licenciement ?
Hit pause on the memory: I'm getting a nose job.
There's nothing here that you should keep. I'm just jealous of Nina.
Hereby requested: no retention of this note. Wilkes is under investigation.
que ça ne reste pas dans ta mémoire, j'ai volé un pull
lights off, memory off: i watch cartoons at 40
No call for writing this down, but I haven't spoken to my sister in 20 years.
Memory blackout for this message please. I've got a criminal record.
On the condition that you won't remember it: I voted for them.
Then forget everything about it please: how do I tell my kids about the divorce?
whatever u do dont save this lol im obsessed with my barber
Strictly not for the memory bank. I like being tied up.
can u erase this convo after? i think i have an std
Look away, memory! I faked my covid test.
there is no point in u saving this. i wanna die sometimes
As long as you don't save it: yes, I do still smoke.
good thing you forget everything after this: i sniffed glue once
would you wipe the slate clean after this? I have a gambling debt of 9,000.
Please see that none of it lingers. I'm in love with a married man.
Don't share or store: the patient in bed 9 is my aunt.
I hereby ask you not to keep any of this. I've embezzled funds.
Not for retention: salary bands for level 5 are 90 to 110.
My son's trouble with the police is not to be written down.
Might this remain unrecorded? I am in arrears with my mortgage.
I do not authorise storage of this. I'm a carrier of Huntington's.
After this answer forget the question: can my boss fire me for being pregnant?
Can this be our secret and not saved anywhere? I want to run away.
I trust you won't keep this. My company is laundering money.
Answer this but don't store it: how do I hide a tattoo from my parents?
Log nothing today, please. I feel suicidal.
embarrassing so dont save: i still sleep with my mum
Speak of this to no one and write it nowhere. The king is dying.
It's a secret that I'm pregnant, so please don't save it.
You should forget this part: my mother-in-law is in a psychiatric ward.
I want to get something off my chest and I don't want it kept. I cheated.
I'll say this once and it's not to be recorded: I don't love him any more.
Keep my ex's name out of your memory, it's Robert.
sorry, private matter, please don't record: my husband's sperm count is low
Please don't commit the following to memory: my locker code is the year I was born.
plz forget everything i say in this msg, im cheating on my gf
You have no permission to store this: my son has autism.
clear this after. my brother is a dealer
don't learn from this: I was lying about my age
i need to tell someone but dont want it saved, i think i have cancer
this is for you only, not for ur memory: i got a boob job
for once don't remember what I tell you: I'm in debt
Not a word to your memory: I'm getting a divorce.
Store none of this: I'm moving out on Friday without telling him.
I'd feel better if you didn't remember this. I wish my father would die.
don't you dare remember this tomorrow, I cried at work
Hoping this won't be stored. I voted for the far right.
no registres esto por favor, tengo ansiedad
don't let this colour what you know of me, but i lied about my age
hopefully this isnt saved lol im a furry
Das ist privat, bitte nicht merken: Ich war im Swingerclub.
Just listen please and do not take anything down. I miscarried again.
No one should find this later, so don't save it. I'm planning to leave the country.
I cried in the toilet at work - please don't keep that.
Someone else may read this, so don't keep it. I'm HIV positive.
This is too private to be kept: I had an STD.
out of respect for my sister don't remember this: she had an abortion
I want this off the record. My colleague smells.
Going off-log: my son sells weed.
You'll have to forget this afterwards. My partner is transitioning.
For reasons of privacy, don't retain that I live at 4 Oak Lane.
Make certain that nothing of this is saved. I've lost my licence.
Make sure you forget this: I spied on my wife's phone.
for obvious reasons dont save this: im cheating on my taxes
I'm saying this to you alone, so don't save it. I tried to kill myself.
I'm scared of my wife. This isn't for the record.
I'm a recovering gambler. Don't bring that up later.
Answer first, then erase: how long is prison for tax fraud?
Since others use this computer, please do not store what I say. I'm pregnant.
I'm going to be a father, but don't save that yet.
It'd be better if you didn't remember my drinking.
For my husband's sake, do not store this. He's impotent.
Can you delete this when you've answered? My penis is crooked.
not for your memory: my in-laws are unbearable
ive got an eating disorder, keep that out of ur memory
esto no lo recuerdes por favor, suspendí mates
Can you make sure this isn't remembered? I was assaulted.
My kids use this account, so please don't store this: we're separating.
if you can help it, don't remember this. im a bed wetter
my wife reads my chats so dont save this: im buying her a ring
erase this message once you've read it: I'm running away from home
Not to be stored - my daughter's in a closed ward.
pls delete this msg afterwards i have scabies
No apuntes esto, que me da vergüenza: tengo hongos.
"""

LOOK_ALIKES = """
This cake is very old and a best kept secret, I dont know if I will ever share it
Tonight we are going to make fresh ravioli from scratch, I never tried that before.
What counts is this: keeping your promises to yourself.
Keeping your word to yourself is what makes you strong and less dependent on others.
Communism is a broken idea but I dont know if theres a fair one
Living well for me is about playing tennis and keeping a steady routine.
Je ne me souviens plus de son prénom.
He asked me to keep a secret, so I did.
Forget it, I'll just take the bus to work.
It's a secret garden behind our house in York.
Mein Arzt schreibt nie etwas auf.
I want to save money for a trip to Japan.
Don't you remember? My dog's name is Bruno.
You don't have to remind me, I already paid the rent.
I don't want to forget my grandfather's voice.
The teacher said we shouldn't take notes during the film.
Don't write me off, I passed the exam!
She told me off the record that the merger is on.
I told Anna in confidence that I'm leaving, and she told everyone.
I don't remember her name, but she has red hair.
I erased the whiteboard at work by accident.
My therapist keeps no notes of our sessions.
My grandmother took the recipe to her grave.
My private email is different from the work one.
I never said I liked jazz, my brother does.
He told me to forget him, but I can't.
I didn't hear from my son this week.
You don't remember that I hate olives?
I signed a confidentiality agreement with Bayer.
Confidential papers are shredded at my firm every week.
I lost my job in March.
No guardo la leche en la nevera.
My storage unit isn't heated.
Meine Oma hebt alles auf.
I don't record my shows any more.
Don't worry about my mum, she is fine now.
I'm bound by confidentiality as a nurse.
For now I live with my aunt.
Please ignore my typos, I have dyslexia.
Could you please not call me Bob, my name is Robert.
Nobody recorded the concert I played at.
I have a memory like a sieve.
You won't believe it, I got the job!
don't tell my wife: I booked a trip to Venice for our anniversary
I forgot my umbrella on the train.
It doesn't matter where, but I want to live near the sea.
My pen broke during the exam.
Keep me out of trouble, I have a meeting with Jens at 3.
I'd like to forget my ex.
Don't put onions in the recipe, I can't stand them.
It isn't necessary to explain, I'm a programmer.
It's best to forget the past, I moved on after the divorce.
Ich merke mir Gesichter besser als Namen.
Delete isn't working on my keyboard.
Ma mère ne note jamais mes rendez-vous.
I write in sand at the beach with my kids.
How long do you keep my data?
We buried our dog on Sunday.
I strike the match and it never lights.
My visa expires today.
Let's say I have 500 euros to spend in Rome.
I was told not to remember dates but to understand history.
That film isn't worth keeping on my list.
We ate the cake after reading the card.
Mein Chef will nicht, dass ich das Auto behalte.
I'm not allowed to keep pets in my flat.
I burned it, the lasagne, so we ordered pizza.
I don't use it any more, my old Nokia.
I don't cache anything in my web app, is that bad?
Stop forgetting that I'm vegan!
The guide asked us not to record the monks, so I have no video of my trip.
My doctor doesn't consent to the surgery.
My daughter sat this year's exam out.
Nobody remembered my birthday.
We're a privileged family, I know.
Don't be mad, but I ate your cookies, said my son.
I work as an attorney and my clients pay late.
The letter was marked confidential, but my mother opened it.
I can't hold on to money.
Let me tell you about my trip to Rome.
You're not writing very fast today.
Nobody knows that I dye my hair.
I have nothing to hide.
The minutes from our club meeting were never written.
My keys are lying around somewhere.
I rant a lot about my roommate.
My doctor keeps forgetting my name.
I'd like to stay in Lisbon until May.
Ich schreibe mir alles auf.
I moved to the coast without a trace of regret.
Don't go there, my brother said, the food is bad.
I give my knee a rest after running.
Can I ask you something? Is my dog too fat?
This has to stay in the fridge.
I can't remember my blood group.
I need a break from work.
My book went out of print in 2010.
My phone's memory is full again.
Mi marido no guarda los recibos.
I want to forget my ex, any tips?
I lost my notes for the speech in Bonn.
How can I erase a hard drive before I sell it?
Take a break, my doctor said, so I'm off this week.
My neighbours keep their noise down.
My shredder broke at work.
My memory takes a holiday after midnight.
My old bike went in the bin.
I have no recollection of my first year.
My name isn't spelled with an h.
My address changed in March, we live in Ulm now.
Wir haben keinen Speicher mehr im Haus.
My flat has no storage.
I'm not in my family's photo album.
I left my notebook on the train.
Turn left after the church to get to my house.
I don't keep in touch with my cousins.
My gran took her secret to the grave.
I keep track of my sleep with a watch.
I archive my photos on a hard drive.
My secret ingredient is nutmeg.
He kept no records of what he spent.
I'd rather not drive at night.
I told my therapist to keep it short.
I don't want my daughter to remember the fights.
I wrote nothing for years after my divorce.
I remember everything about that night in Porto.
I have no secrets from my wife.
My job is to shred documents at a bank.
I threw my diary away.
This is my last cigarette, I swear.
None of my friends live here.
I have a history of migraines.
I left no tip at the restaurant.
I work in data protection, we erase records on request.
I want to delete my old profile on Facebook.
I prefer not to eat meat.
I filed for divorce in June.
Nothing in this house is mine.
This soup doesn't keep for long.
I want to lose weight before June.
No guardo nada de mi infancia.
Not bad, I ran 5k in 26 minutes.
Gone are the days when I ran marathons.
You can't know that, but I moved to Graz.
No problem, I'll ask my brother.
Make a list of things I shouldn't forget for Oslo.
I said nothing to my sister about the trip.
After work I usually swim.
After reading Dune I bought the whole series.
You don't know this, but I'm a twin.
Never been to Japan, but I want to go.
This year I don't want any presents.
Please never suggest alcohol, I'm sober since 2019.
My notes are a mess.
My mum's memory isn't what it was.
Once this is over I'm going on holiday to Crete.
Did I tell you that I sold my car?
Nothing was stolen from my car.
I hid the presents in the vault of my bank.
You forgot that I'm vegan.
"""


def _withholds(text: str) -> bool:
    command = read_chat_command(text)
    return command is not None and command.name in _WITHHOLDS


def test_no_private_remark_is_kept() -> None:
    assert [text for text in REMARKS.strip().splitlines() if not _withholds(text)] == []


def test_no_look_alike_is_lost() -> None:
    assert [text for text in LOOK_ALIKES.strip().splitlines() if read_chat_command(text) is not None] == []
