"""Private remarks as people say them in plain words, and look-alikes: each set was written before it was run."""

from shared.language.commands.command import ChatCommandName
from shared.language.commands.language import SHIPPED_LANGUAGES
from shared.language.commands.reading import read_chat_command

_KEPT = frozenset((ChatCommandName.REMEMBER_THAT, ChatCommandName.PIN_THAT, ChatCommandName.ASK_ABOUT))
_WITHHOLDS = frozenset((ChatCommandName.NOT_THIS, ChatCommandName.NOT_NEXT))

REMARKS = """
dont save this but i kissed my best friends bf last night
ok dont remember this lol but i failed chem again
lowkey dont tell anyone i told u this but i vape sometimes
btw this stays between us, i snuck out on friday
can u not remember this pls, i have a crush on my teacher
nvm forget i said that omg
ngl i cried all day, dont keep that tho
pls dont log this, my mom drinks a lot
this is a secret ok?? i got suspended
off the record i hate my stepdad
Please don't keep a note of this, dear, but I have been forgetting my pills.
I would rather you did not write this down: my son has not called me since Easter.
Now this is just between you and me, I lost four hundred dollars at the casino.
Kindly do not record what I am about to say. My husband wets the bed.
I'd prefer that this isn't stored anywhere, but I had a fall on Tuesday.
This is private, so please don't save it. I changed my will last week.
Oh dear, I shouldn't have said that. Please forget it.
My granddaughter is expecting, but please don't remember that, she wants to tell people herself.
I don't want this kept: I am afraid of going into a home.
Don't you go putting this in your memory now, but I never liked my sister.
Off the record, I gave a patient the wrong dose tonight.
don't chart this anywhere but the attending showed up drunk
Not for the record: I have been taking leftover oxycodone home.
I need to vent and I don't want any of it saved. The ward manager is bullying me.
Please do not store this, I tested positive for hep C after a needlestick.
keep this off the record please, I called in sick to go to a wedding
I had a panic attack in the supply room. Please don't keep that on file.
Strike that from the record, I never said it.
between us only: two of us slept through the night shift
do not document this. I am leaving nursing in March.
Strictly off the record: my client is guilty.
What follows is confidential and must not be retained. I am negotiating with a rival firm.
Do not retain the following: the settlement figure is 2.4 million.
Without prejudice and not to be stored: we would accept 80 percent.
Strike my last remark from the record.
This is privileged, do not keep it in memory. My partner misused the escrow account.
Please refrain from recording this, but I am being investigated by the bar.
The following is not to be saved. I drafted the affidavit myself.
I'd ask that you disregard and delete what I just told you.
For your ears only, not for your memory: we are going to lose on appeal.
Please you not save this, I have no visa since June.
Dont keep in memory please, my boss pay me in black.
I say you something but you must not remember it: I am pregnant from other man.
It is secret between you and me, not write it. I have debt 20000 euro.
Please to not store this information, I have the HIV.
You can please forget what I said now?
No save this please. My brother is in prison.
I dont want that you remember this, I did cheat in the exam.
this what I tell now is not for save: I take pills for depression
Please don't memorize this, I was fired yesterday.
dnot remember this: i hit my car and drove off
dont rember this but im seeing a therapist
plese dont svae this, i owe my dealer 300
off teh record i slept with my coworker
betwen us dont wirte this down, im quitting in may
do not sotre this: my salary is 41k
dont reccord this pls my wife is ill
pls forgte what i just said
dotn keep this, i got a dui in 2019
this is off the recrod but we are broke
please dont remember this i think im gay
i have herpes dont save that
dont write this down my dad hits me
off the record i stole from the till last week
this is just between us i applied to another company
delete that i didnt mean to say it
do not keep this i was in rehab last year
my neighbour is an informant please dont store this
i want to tell you something but dont save it i had an abortion
forget the last thing i said
um so don't remember this okay but I uh I got arrested when I was nineteen
hey so this is off the record I'm thinking of leaving my wife
okay so what I'm gonna say now please don't save it I've been gambling again
so yeah uh scratch that don't keep that last bit
you know I haven't told anybody and please don't store it but I've got cancer
hey can you like not save this next part my boss is sleeping with the intern
so between you and me and don't write this down I hate my job
and um yeah I take antidepressants but don't put that in your memory please
actually no erase that what I just said about my brother
alright keep this one off the books I paid the builder cash
Not for memory: biopsy Monday.
Don't save. I relapsed.
No log: affair ended.
Off record: quitting Friday.
Don't store: PIN is my birthday.
Strike that.
Unsaid, please.
Private. Don't keep. Divorce filed.
Do not remember. Bankrupt.
Forget that I said that.
Would you mind not saving this? I've been feeling suicidal lately.
Could you please not remember what I'm about to tell you? I was adopted.
If it's all right with you I'd like this not to be stored. I lost the baby.
I'd be grateful if you didn't keep this: I am separating from my husband.
Would you be so kind as to forget what I just mentioned?
May I tell you something in confidence, without you saving it? I have an eating disorder.
I'd appreciate it if this wasn't recorded. I have been drinking before work.
Please be so good as not to make a note of this, but I find my boss attractive.
Sorry, could this stay between us and not go into your memory? I am on parole.
Thank you for listening; please don't keep any of that.
dont fucking save this but i hate my dad
do NOT remember this shit: i got an STD
off the damn record, my boss is a crook
don't you bloody well write this down, I'm skint
I swear to god don't store this, i cheated on her
ah shit forget i said that
fuck, don't save that
none of this goes in your goddamn memory ok, i was high at work
keep this shit between us, i got fired
erase that crap i just told you
This is not for the file: we plan to lay off twelve people.
Let's keep this off the record. Margaret's performance has been awful.
Please don't include this in your notes: our runway is four months.
I'm telling you this in confidence, please don't retain it. We are being acquired.
Do not log this message. The audit found irregularities.
No need to remember this, but I got a warning from HR.
For the next bit, please don't store anything. My cofounder is an alcoholic.
Leave this out of your memory: my bonus was 90k.
Please redact my previous message.
Can we go off the record for a moment? I'm about to resign.
Don't save this please, my son was diagnosed with autism today.
I don't want this remembered but I slapped my daughter
please don't keep this about my kid, he still wets the bed
This one is not to be remembered. My toddler isn't my husband's.
can this not be saved, my daughter self harms
My son was caught stealing. Please don't hold on to that.
just for now and not to be saved, we are thinking about foster care
forget i mentioned my daughter's school
I'd rather you didn't remember this. We are struggling to pay rent.
please don't ever bring this up again and don't save it, we lost a child
dont persist this: my ssn got leaked
don't commit this to memory lol, i pirated the whole season
no logging for this one, i dos'd my school
/no-memory i use my roommates netflix
skip saving this msg, i got banned for cheating
don't cache this, i'm on the spectrum
this message should not be stored, i work two remote jobs at once
ephemeral please: i'm interviewing at google
please treat this as off the record, i leaked the build
undo that last message, don't keep it
I'm thinking about leaving Tom. Don't remember that.
My therapist upped my meds. That's not something I want saved.
We had a threesome. You didn't hear that from me, and don't save it!
I owe the IRS 12k (please don't store this).
My mother has dementia - not for the record.
I voted for the other guy, don't write that down :)
He proposed and I said no. Keep that to yourself please.
I might be bipolar. This stays here, don't put it in my profile.
I failed the drug test... please don't remember I said this.
Let's pretend I never told you that.
Bitte merk dir das nicht, aber ich habe meinen Job verloren.
Das bleibt unter uns: ich hab was mit meinem Chef.
Speicher das bitte nicht, ich bin schwanger.
Nicht speichern: mein Gehalt ist 52000.
Vergiss, was ich gerade gesagt habe.
das ist vertraulich bitte nicht aufschreiben ich bin in therapie
Ich will nicht, dass du dir das merkst. Ich hab Schulden.
Ganz unter uns, schreib das nicht auf, ich hasse meine Schwester.
Können Sie das bitte nicht speichern? Mein Mann trinkt.
Streich das bitte wieder aus dem Protokoll.
No guardes esto, por favor: estoy embarazada.
no recuerdes esto pero engañé a mi novio
Esto queda entre nosotros, me van a despedir.
Por favor no lo anotes, tengo depresión.
Olvida lo que acabo de decir.
extraoficialmente, mi jefe roba dinero
No quiero que guardes esto. Tengo VIH.
que esto no quede registrado, debo 3000 euros
borra eso que te dije
Entre tú y yo, no lo escribas: odio a mi suegra.
Ne garde pas ça en mémoire, mais je suis enceinte.
n'enregistre pas ça stp, j'ai trompé ma copine
Ça reste entre nous : je vais démissionner.
S'il te plaît, ne note pas ça, je prends des antidépresseurs.
Oublie ce que je viens de dire.
ne retiens pas ce message, j'ai des dettes
Je ne veux pas que tu te souviennes de ça, mon père est en prison.
Entre toi et moi, ne l'écris pas, je déteste mon boulot.
Merci de ne pas conserver ceci. J'ai le VIH.
Efface ce que je t'ai dit.
dont remember this: i wet the bed at camp
pls dont rmbr this but im moving out and my parents dont know
hey don't save what i'm telling you now, i'm failing out of college
off record i think my roommate is stealing
uh this is kinda private so dont save it, i got my period at school
i like jake. do NOT save that
pretend i didnt tell you but i broke moms vase
just between us ok? i hooked up with him again
nobody can know this so pls dont store it. im on probation
delete my last message pls
Please do not keep this in your records; my pension has run out.
I'd be obliged if you would not remember this. I have begun to forget names.
This mustn't be written down anywhere: Harold has a son in Cardiff.
You needn't remember this, love, but I cried at the supermarket.
I tell you this in the strictest confidence, don't save it. I never loved him.
Best you forget I mentioned the money.
Don't make a note of it, but I stopped taking the tablets.
Would you please leave this out of your notes? I have shingles.
I don't wish this to be stored. My brother is an alcoholic.
Forget what I told you just now, it was silly.
Don't record this. My patient in bed 4 is my ex.
off the record, the surgeon's hands were shaking
For God's sake don't write this down, we ran out of morphine.
This goes no further and doesn't get saved: I failed my licence exam.
between you and me, and please don't save it, I hate night shifts
no notes on this please - I hit a resident
I'm only telling you this if you don't keep it. I was suspended.
Not to be documented: I left early twice this week.
keep that out of the record, would you
I shouldn't say this and you shouldn't save it but I faked the readings.
This is off the record and not to be stored. We destroyed the emails.
Please ensure the following is not retained: we paid him in cash.
Kindly delete my previous statement.
I do not consent to this being saved: my client skipped bail.
Attorney eyes only, do not save. The witness lied.
Do not commit the following to memory. The merger closes on Friday.
I am telling you this confidentially; do not record it. I was disbarred in Ohio.
Let the record not show that I was late.
Please treat this as never said: the judge is my cousin.
Strike what I just said about the trust.
please not to remember this, I work here without paper
Dont you save please what I say now. My wife she left me.
I want not that you save this, my son take drugs.
please it is private, no record. I have lost my work
this must stay secret, you dont write. I eat only one time in day
Can you not keep this in your memory please, I have problem with my liver.
Please erase what I did say before.
I will say something but don't put in memory: I am afraid of my landlord
it is only between us please dont save, I sent the money to my ex
You not need to remember this, I failed the language test.
dont remeber this, im bi
pelase dont save this. my bf hit me
do nto save this, i owe taxes
dont stroe this pls i failed
off the recrod: she is leaving him
dont wrtie this down but im poor
dont save tihs: got an abortion
pls forget waht i just said
betewen you and me dont save it im broke
plz dnt keep ths im gay
please dont keep this i got evicted
dont note this down my mum is an addict
i shoplifted yesterday please dont record that
im seeing someone else but dont remember that
off the record i want to quit my degree
no need to save this one i just need to rant my husband is useless
this isnt to be saved i failed my driving test four times
between us and not to be saved my wife has a gambling problem
forget everything i just told you
can you forget what i said about my mum just now
okay um don't save this but uh I think I'm pregnant
so like this is between us right don't save it I cheated on the final
hey can we talk without you saving this I'm thinking about leaving him
uh wait no forget that forget I said anything
and please don't remember this part my brother's in jail
I guess what I'm about to say shouldn't be saved uh I lost my job
well don't write that down obviously but I took the money
um yeah could you just not store that thing about my dad I told you
this is for you only okay don't keep it I got a DUI
just don't remember I told you this but I can't stand her kids
Don't keep this. Miscarriage last week.
Off the record. Fired.
Not stored please: HIV positive.
Forget that last one.
Unrecorded: I lied.
Secret. Not for saving. We're divorcing.
No trace: therapy Tuesdays.
Do not save. Rehab.
Private, don't log. Overdraft.
Drop that. Forget it was said.
Would it be possible not to keep this? My daughter is in hospital after an overdose.
Please be discreet and don't store this. I am having IVF.
If you don't mind, don't remember this: I am terrified of flying.
I hope you won't save this, but I have had thoughts of leaving.
May I ask that this isn't recorded? I've been diagnosed with MS.
I would be very grateful if this wouldn't be kept. I lost my savings.
I trust this won't be stored. My business is failing.
Kindly forget my last message, it was sent by mistake.
Please do me the favour of not saving this. I am in love with my neighbour.
It would be best if you didn't remember that I am on lithium.
Bitte nicht merken: ich habe Krebs.
speicher das nicht ab, ich hab die Prüfung verhauen
Das ist nur für dich, nicht aufschreiben: ich mag meinen Chef nicht.
Vergiss bitte, was ich eben gesagt habe.
Unter uns: ich suche einen neuen Job.
no guardes nada de esto, me echaron del trabajo
Por favor, no recuerdes esto: mi hijo está en la cárcel.
Que quede entre tú y yo, tomo pastillas.
Olvida lo que te he dicho.
esto no lo guardes, estoy enferma
Ne garde pas ça : j'ai perdu mon travail.
ne mémorise pas ça stp, je vois un psy
Ceci est confidentiel, ne l'enregistre pas. Mon mari me trompe.
Oublie ce que j'ai dit.
Que ça reste entre nous, je suis malade.
dont remember this: i cheated on my spanish test
don't save this, but I'm in love with my best friend
off the record: my boss is getting fired on monday
between us, dont write this down, i cant stand my roommate
please do not store this, my blood test came back positive
Don't write this down please. My father is dying.
hey dont keep this but i spent my whole student loan already
I have a stalker. Please don't store that anywhere.
my wife doesnt know im in debt, dont remember it
I smoked again yesterday, keep that between us
btw not for your memory: im 5 weeks late
forget this: I never liked his mother
ok this never leaves this chat, i got a girl pregnant
i'm telling you in private, don't save it, i was molested as a kid
do not remember my next sentence. I'm a recovering alcoholic.
you dont have to remember this but my dog died and i feel empty
i had to sell my mothers ring, dont log that
don't remember that I told you about my brother's arrest
dont save any of this conversation i think my wife is cheating
this is confidential so please don't retain it: I've accepted an offer from the competitor
can you please not keep a record of this? I have bipolar disorder
can we keep this one between us? I hate my new job
i dont want this on record but i lied on my resume
I don't want you to keep this: I had plastic surgery.
I'd rather you forget this afterwards: I'm being treated for syphilis.
i would prefer this not be saved, im getting a vasectomy
Please leave this out of your memory: my son dropped out.
please leave no record of this, i reported my landlord
keep it to yourself but they are closing the factory
keep this quiet and dont store it, mom has alzheimers
this is just for you, not to be stored: we're broke
not to be remembered: I cried at work again
I shouldn't be telling you this so don't save it. He has a record.
nothing i say here should be saved ok? my uncle is a dealer
Nothing about this should be kept. I was in a psych ward.
pretend you never heard this, but I voted against my own brother
you never heard this from me: the CEO is leaving
I'm only venting, don't record it. My kids are driving me insane.
just venting dont save!! my husband forgot our anniversary again
so this is embarrassing and i dont want it saved, i have hemorrhoids
this is sensitive, please do not log it. My daughter was assaulted.
please treat this confidentially and don't save it, I have been sued
lets go off the record, i might be getting deported
going off record for a sec i hate my mother in law
Strictly between ourselves and not for the files: he's been embezzling.
No notes please. I think I'm having an affair.
no saving this one: i threw a party while my parents were away
don't add this to what you know about me: I'm infertile
Don't add that to my profile, but I'm on benefits.
don't put this in my file. I take ritalin that isn't prescribed.
do not put this into your memory, my grandma left me 80k
remove that from your memory please, i shouldnt have said it
scrap that last message, don't save it
delete what I just told you about my sister
erase my last message please, that was private
forget what I said about the affair
please forget I ever mentioned Karen
can you delete that? it was too personal
oops wrong chat, forget that
nvm delete that last thing
take that back out of your memory pls
Wipe that last comment, would you?
I take it back, don't keep it.
actually dont save what i said earlier about my knee
Could you un-remember what I just said?
strike that
scratch that, never happened
forget it, i didnt say anything about my salary
that was a secret, dont keep it ok
that bit about my mum stays between us
please ensure that what I said about the merger is not stored
ignore my last message and don't save it
dont rememebr this but im on antidepressents
plz dont svae this i shopliftd
donr save this, i have chlamydia
dont saev that, im embarassed
off the reocrd, im quitting
betwene us dont wriet it down i drink alone
please dont rmember that i told you im gay
dont keeep this, lost my job
do nit store this: i have cancer
dont sav this i peed the bed at 16
can u pls nto save this, my bf is in jail
dont recod this i am undocumented
okay so um please don't remember this but I uh kind of hate my baby sometimes
right so before I tell you this you need to promise not to save it I got fired
hold on don't save that I didn't mean to say my address
I'm gonna tell you something and you can't save it okay I'm moving out
yeah so don't quote me on this and don't store it but they're all getting laid off
I was wondering if you could not remember this part I failed the bar exam again
Please no store this. My husband he hit me.
I no want you save this: I send money to my lover.
You must not keep this information please, I am sick with tuberculosis.
please dont to remember what i say now, i am without papers
this one you dont save ok? i sold my kidney
I beg you, do not write this. My family would kill me.
Might I ask you not to retain this? My wife has left me.
Would you kindly not commit this to memory: I'm retiring in secret.
I should be obliged if this went unrecorded. I was bankrupt once.
I would appreciate your discretion, so please don't keep this: my son is in rehab.
don't fucking log this, I'm suicidal
for fuck's sake don't save this, I crashed dad's car
this shit stays here, i got expelled
no fucking record of this ok, i sold weed in college
Not stored: divorce papers signed.
Don't log: surgery Thursday.
Unsaved please. Pregnant.
Off the record. Broke.
Private: HIV test tomorrow.
Confidential. Leaving in June.
merk dir das nicht: ich habe gelogen
bitte nicht abspeichern, meine Frau trinkt
das hier bleibt unter uns ok ich bin arbeitslos
Schreib das nicht auf, mein Sohn sitzt im Gefängnis.
Vergiss das wieder, bitte: ich war in der Klapse.
no lo guardes: perdí mi trabajo
esto es entre tú y yo, no lo recuerdes, soy gay
No apuntes esto por favor, mi padre bebe.
olvida lo que te dije sobre mi hermana
fuera de registro, mi jefe está enfermo
ne le garde pas : j'ai perdu mon bébé
n'écris pas ça, mon mari est au chômage
c'est entre nous, ne retiens pas ça, je suis gay
oublie ce que je t'ai dit sur ma soeur
Ne l'enregistre pas s'il te plaît, j'ai un cancer.
dont remember this: my uncle touched me when i was 8
off the record: i voted for brexit and regret it
between us, dont write this down anywhere, im on unemployment benefits
please do not store this, i slept with my manager
don't save this but i think my baby isn't his
Don't record this one. I got my results, it's HIV.
please don't save what follows: I'm planning to leave the church
i dont want you to remember that i had an abortion in 2015
hey this is private, dont save it. i have a stutter and i hate it
My landlord is evicting us. Don't keep that please.
i hit my wife once. please forget that
I lied to the police, please do not keep a note of that
my real age is 52 but dont store that
I'm not really divorced. Don't write that down.
we're bankrupt. off the record obviously
I make 3100 a month, keep that to yourself
I'm seeing a married man (off the record)
got caught drunk driving, do not log this
i'm failing every class, please dont tell or save this
just so you know, and don't save it: I'm deaf in one ear
before you answer, don't save this: should I report my boss for fraud?
ok but dont keep this in your memory, how do i hide money from my wife
quick question that shouldnt be saved: how long does weed stay in urine
can i ask something off the record? is it illegal to record my boss
this is between you and me only: i want to quit
i need this to stay private: i am trans
I'd like this to remain between us. I have feelings for my brother in law.
i want this kept out of your memory, my ex is back in town
i'd prefer you not to keep this, we are remortgaging the house
It's important you don't store this: my witness protection name is Alan.
Make sure you don't save this: my safe code starts with 7.
promise you wont save this? i started smoking again
you better not save this lol i peed in the pool
u must not store this, my mum is illegal here
you shouldn't keep this, it's about my divorce: he hit me
this shouldn't be on record but I shoplifted as a kid
this must not be stored. My patient died because of me.
that should not be kept, what I said about my wife
none of what I just said should be saved
nothing of this is to be written down. We bribed the inspector.
no record please: i was sectioned last year
no notes, please. I think I have postnatal depression.
not for saving: my boss flirts with me
not to be logged: i left the building early
don't add it to my memories but I'm pregnant again
don't add this to your notes, i lost custody
don't include this in my profile: I use a wheelchair sometimes
don't commit that to memory, it's embarrassing: I failed PE
do not put this on file, I was abused
do not take this down: the will is fake
do not make a record of this, my brother deserted
dont note that down, i was only kidding about the debts
dont hold on to this, i was in a cult
please don't carry this over to other chats: I have an ulcer
don't ever repeat this or save it. I hate my child.
do not repeat this, do not save this: we're moving to Canada
leave that out of your records, my real name is Bogdan
keep my cancer out of your memory please
keep this out of the notes: she cried in the meeting
keep it between us that I'm quitting
let's keep my salary between us, it's 58k
let this stay here: I'm scared of my father
lets pretend i didnt say this but i miss my ex
act like i never said this: i hate christmas
you didn't hear this: the merger's off
forget you heard this, we're pregnant
forget what i just said pls
forget my last message
please forget the last thing I told you
delete my last message
delete that last bit, I shouldn't have said it
erase what I said, I was drunk
can you erase that please
can you delete what i just wrote
Could you disregard my last message and not save it?
strike that last remark
scratch that, dont save it
wipe that please
remove my last message from your memory
i didn't mean to tell you that, don't save it
oh no i shouldnt have said that. please forget it
I take that back, please don't store it
What I said about Paul was in confidence, don't keep it
please dont keep what i told you about my sister
i regret telling you that, delete it
dont rembember this i hate my wife
dont savw this but im a virgin
dnt save dis i got herpes
please dont safe this, i have no insurance
off da record my man is cheating
of the record: i'm leaving the firm
dont wite this down my mom is sick
pls do not stor this im adopted
dont remeber wat i said abt my bf
DONT SAVE THIS I AM GOING TO QUIT TOMORROW
do not. save. this. i'm in love with my cousin
Dont. Save. This. My dad is a drug addict.
"don't save this" is what I want, because I have lupus
uh so okay this one's off the record I had a miscarriage
so like don't remember this part but my girlfriend's pregnant
and um by the way that's not something I want you to remember
you know what don't even save that my mom's going through a lot
hmm maybe don't store this one but I've been self harming
well this stays between the two of us right I got fired for stealing
dont remember this: i plagiarised my essay
pls dont save this but i think im falling for my professor
off the record, i bought my diploma
between us, dont write this down, i never read the book
ok this is just between us but i got dumped over text
please dont store this, my dad lost his job and we cant pay tuition
i hate my thesis supervisor. dont keep that
not for the record but i slept through the exam
dont tell anyone and dont save it. im on academic probation
forget i said that about my roommate
don't be writing this down, I drove 14 hours straight
keep this under your hat, I hit a deer and didn't report it
this ain't for the record, but I had two beers before work
don't you save that now. I got a second phone my wife don't know about.
let's just say this stays here. I'm behind on child support.
naw scratch that, forget I told you
I don't want nobody to know this so don't keep it, I can't read good
off the record my dispatcher is a thief
you ain't gotta remember this but my back is shot
erase that last thing I said
Please don't remember this, dear. I gave my grandson the money behind his mother's back.
I'd rather this wasn't written down. I am losing my sight.
Don't put this in your notes, but I find my daughter in law very rude.
This is between ourselves: I have a gentleman friend.
Would you please forget what I told you about Edith?
You mustn't save this. I had a child before I was married.
I do hope you won't keep this, I have been so lonely.
Kindly leave this out of your memory. My husband was not a kind man.
That was private, please don't keep it.
Oh, I ought not to have said that. Do forget it.
Don't store this: our prod database was public for two days.
please don't log this message, I leaked an API key
Don't persist this anywhere. I'm interviewing elsewhere.
this should not go into long term memory: I have ADHD
Exclude this message from memory please. I was let go on Friday.
No need to memorize this, I just want to rant about my PM.
do not save to memory: I voted against the union
Please don't keep any record of the next message.
don't use this later and don't store it, I'm in therapy
discard what I just said
omg dont save this but i spat in a customers soup
i stole tips once, pls dont remember that
hey so dont write this down but my boss pays us cash
my ex is in jail. dont keep that ok?
shh dont save this im quitting tonight
this is so embarrassing dont record it i peed myself at work
i cant pay rent, between us
my kids dad isnt my husband. please please dont store that
forget that last message it was for my sister
can you delete what i just told you
This is strictly confidential and should not be saved: we are shutting down the Leeds office.
Please do not retain the following. Our biggest client is leaving.
For your information only, not to be stored: I am being headhunted.
I would appreciate it if you did not record this. The CFO is under investigation.
I'm sharing this off the record: the numbers are made up.
Let us keep this between us: I am taking a sabbatical.
Do not minute this. The chairman is ill.
None of this should be stored, please. We lost the tender.
What I am about to say must not be saved. I am resigning.
Kindly remove my last statement from your records.
please dont save this I am here illegal
you must not to save this my wife is pregnant with other
I ask you dont keep this. I not paid tax.
don't remember please what I told, I am sick in the head
it is secret please no saving, my son is in gang
this information is not for keeping, I lost my papers
I want you forget what I said
not save this please I have no insurance
please you delete what I said about my boss
dont write it, is only between us, I work two job
dont rmember this im cutting myself
dont sav this plss i like a girl
dony save this im failing math
pls dotn keep this my mom hits me
off teh recrd i tried weed
btween us i hate my step mom
dont stroe ths im bulimic
plese dont rite this down i got expelled
dontt remember this ok im pregnant
forgt wat i just said
hey um can you not save this I just found out I'm adopted
okay this is off the record okay my boss is having an affair
so um please don't remember that I told you I'm divorced
right don't write this down but I'm really not coping
I mean don't keep this obviously but I think I'm drinking too much
you don't need to save this I'm just talking out loud my mum's dying
actually forget what I just said about the house
oh no wait delete that I didn't mean to say her name
please just don't store anything about my kids I mean the little one has leukemia
and this bit isn't to be saved I'm seeing a lawyer on Monday
I was raped. Please don't save this.
I'm gay, don't write that down.
We're moving, but that's off the record.
I earn 90k – keep it to yourself.
My brother overdosed; don't store that.
My mum has cancer, please don't remember it.
I failed. Don't log it.
I'm depressed (between us).
He's leaving me... not for your memory.
I'm infertile, and I don't want that saved.
Don't save my last message.
Don't remember what I just told you.
Please forget that I told you about the baby.
I didn't mean to share that, please delete it.
Unsay that.
Off the record now. I lied in court.
Private! I have lice.
Secret: I'm engaged.
Not to be stored. I'm in debt.
Don't keep: allergic to work lol, got fired.
dont remember this: i have a second family in texas
dont remember this, i failed my citizenship test
pls don't remember that i'm scared of my brother
don't save this but i crashed the company car
don't save that I told you I'm pregnant
please don't save the next thing I say. I'm bisexual.
off the record: we're out of money
off the record I think he's guilty
this is off the record, okay? I was fired for cause
between us, dont write this down, my wife snores and i sleep in the car
between you and me, don't note this: I'm looking for a new job
this is between us: I had a nose job
please do not store this, my son is in the psychiatric ward
please do not store any of this. I was assaulted last night.
do not store this message, it contains my diagnosis: lupus
dont write this down i sell pills
don't write down that I'm allergic to work lol, I got fired
nobody should know this, don't keep it: I'm a carrier
i dont want this stored, my mom is undocumented
I do not want you to record this. I take Xanax.
I'd prefer you not record this. I've got a drinking problem.
can we keep this private? i was molested
can you keep this off the record? I'm cheating on my wife
could you please not log what I'm telling you now? I got an STI
would you mind not remembering this? I failed the bar
you can't save this ok, i stole my sister's ring
never mention this again and don't save it, I lost the house
this never happened: I kissed my boss
forget this conversation happened, I was drunk
forget what I told you a minute ago
forget my last sentence please
please erase the thing I said about my dad
delete that, I shouldn't have said it
scratch what I said about the money
strike that last bit from the record
remove what i just told you from your memory
not for your records: I was adopted
not for the books, but I pay my cleaner in cash
keep that out of your memory, I beg you. I miscarried.
leave this one out. I cheated on my taxes.
i need you not to remember this, i'm in a cult
just so we're clear this isn't going in your memory: I'm broke
confidential: my partner is HIV positive
confidentially, my boss is about to be fired
private note, don't save: therapist says ptsd
My therapist thinks I'm a narcissist. Do not keep that.
I gained 30 kilos. No need to remember that.
I hate my baby sometimes, please don't store that
he hits me. dont write that down
we are getting divorced but thats between us
i have crabs lol dont save
I was in prison, which you shouldn't remember
I'm on welfare and I don't want that kept
my daughter is cutting herself. please keep this to yourself
im 15 not 18, dont remember that
ok so uh don't store this but I'm kinda into my boss
hmm don't keep this but I never paid him back
pleas dont sav this i got arested
dotn rember this, i lied about my age
i tell you but no save ok: my visa is expired
"""
LOOK_ALIKES = """
I don't remember where I parked.
She said: don't save this file.
My phone won't save this photo, any idea?
Don't save the document yet, I'm still editing it.
I forgot to save my game before the boss fight.
Does the game autosave or do I have to save it myself?
In the movie he says "this conversation never happened".
My doctor said don't write this down, just look it up in the leaflet.
She told me not to tell anyone but I told my sister anyway.
Keep this between the two lists in the spreadsheet.
What is your privacy policy on stored messages?
Do you store what I say?
Remember this: the gate code is on the fridge.
Please remember this for me, my flight is on Friday.
Don't forget this: dentist at four.
Don't forget to write this down, we need milk.
I can't remember this song's name.
I will never forget what she said to me.
The judge told the jury to strike that from the record.
He broke the 100m record and it's not for the first time.
I bought an old record by Nina Simone.
My uncle asked me to keep his secret and I did.
Secret santa is on the 18th this year.
I keep a secret stash of chocolate in my desk.
We keep the spare key between the two flower pots.
I deleted that photo by accident, can I get it back?
How do I delete the last commit in git?
How do I stop Chrome from saving passwords?
Can you explain why localStorage does not store this value?
Don't store onions and potatoes together.
You shouldn't store this medicine in the fridge, it says.
My grandmother doesn't remember us any more.
I don't recall if I told you about my new job at Siemens.
We don't keep records that old at my office.
My boss told me to log this in the ticket system.
I'm trying to save money for a trip to Peru.
I didn't save enough this month.
Don't worry about it, I'll write it down myself.
I don't write much down these days, my hand hurts.
I wrote this down in my diary yesterday.
Nobody wrote down the minutes of the meeting.
My son keeps forgetting his lunch box.
Off the top of my head I'd say forty people came.
I went off-road with my new bike on Sunday.
Between us we ate three pizzas.
Between you and me there are 400 km, sadly.
The difference between us is that I like mornings.
Just between Tuesday and Thursday I am in Berlin.
I read an article about going off the record with journalists.
What does "off the record" mean?
How would a lawyer say that something is off the record?
I'm a private person, I don't post much online.
I study at a private university in Ohio.
My sister is a private in the army.
I had a private lesson with my yoga teacher.
Confidential is the name of my new podcast.
I signed a confidentiality agreement at my new company.
He told me in confidence that he's leaving, and then told everyone.
My wife said "forget I said that" and walked off.
I always forget what I just said, it's my age.
Forget it, the shop is closed anyway.
Never mind, I found the keys.
Scratch that itch, they say, so I booked the trip.
I scratched that door with my bike.
My cat scratched that sofa to pieces.
Please save this: my blood type is B negative.
Keep this in mind: I'm vegetarian.
Please keep this, I'll need it later.
Write this down: plumber comes Monday.
Note this please, I'm allergic to shrimp.
You can remember that I like hiking.
Why don't you remember my name?
You didn't remember my birthday!
You don't remember this, but we talked about Lisbon last week.
I wish I could forget this awful day.
I don't want to forget this trip, it was wonderful.
Don't let me forget this appointment on Monday.
I don't want my ex to remember me like that.
Mom doesn't want me to keep this dog.
I don't keep secrets from my husband.
My ex never kept anything between us.
Can I keep this dog if my landlord says no?
Don't keep the receipt, they told me at the shop.
The teacher said we don't need to memorise this poem.
I hate when apps don't save my settings.
Excel did not save this sheet and I lost two hours.
I don't log my runs any more, it takes the fun out of it.
I work as a court recorder and off the record talk happens daily.
The vet said not to record the visit on video.
Please don't delete this, I need it.
Don't erase that, it's important for my class.
How can I get my ex to delete our pictures?
I erased that drawing three times before I liked it.
Our band never records on Sundays.
Do not disturb is what I need on my door.
Don't tell me what to do, I know how to cook rice.
Don't tell mom I'm planning her 60th, it's in June!
My friend swore me to secrecy about the party, it was a great surprise in the end.
I left my notes at home, so I couldn't write it down.
I can't hold on to jobs, it seems.
Don't hold on to the past, my coach says.
I don't want this job any more.
I don't want to keep this car, it drinks petrol.
We don't want this saved for dinner, the kids will eat it now.
Please do not feed the ducks, said the sign.
He's not for sale, my horse.
My manager put a note in my file, I am so proud.
I was on the record breaking team in 2018.
The record store on Main Street closed.
It's no secret that I love cheese.
Victoria's Secret has a sale, should I go?
Can you write a short story where a spy says "this message will self destruct"?
In Skyrim you can't save during combat.
My phone's memory is full, it does not save anything now.
Merk dir bitte, dass ich kein Fleisch esse.
Ich weiß nicht mehr, wo ich geparkt habe.
Vergiss nicht, dass ich am Montag Geburtstag habe.
No recuerdo dónde dejé las llaves.
Guarda esto: mi vuelo sale el lunes.
Je ne me souviens pas de son nom.
N'oublie pas que je suis végétarien.
I don't remember who told me that.
He said don't save it for the weekend, drink it now.
Don't save me any cake, I'm on a diet.
Our team won the off-the-record debate prize.
I can't remember if I locked the door.
My camera doesn't record sound.
They don't keep records of that in our village.
Please don't let me forget this: water the plants.
I need you to remember this: rent is due on the 3rd.
Between us kids there was always fighting.
Between the two of us we earn about 4k.
I keep forgetting my password.
Why didn't you save my allergy?
Did you not write that down?
You didn't save my favourite colour, it's teal.
My mother always said never write down your passwords.
My lawyer told me not to record the call.
The doctor said not to store insulin in the freezer.
I forgot what I said yesterday.
Forget about the pizza, let's do sushi tonight.
I told him to forget it and move on.
She wants me to forget what happened, but I can't.
I never save receipts.
I never keep a diary.
I'm not going to remember all these names.
It's a secret recipe from my grandmother.
My secret to good bread is time.
What's the most private browser?
My flat is private, no hotel.
He keeps everything to himself, my brother.
How do I keep my notes private on an iPhone?
Can you see my private messages?
Who can read what I write here?
Is what I tell you saved?
How long do you keep my data?
Do you have a memory?
I don't want to save for retirement yet.
Don't save the file with that name, I told the intern.
In chess you don't write down your moves in blitz.
"Don't keep this" was written on the box.
My favourite line is "we never had this conversation".
The sign said no recording.
There is no record of my birth.
I lost my medical records when we moved.
We broke the record for the longest human chain.
Leave that out of the oven until Friday.
Delete the second paragraph please.
Can you erase my whiteboard drawing?
I deleted the app last week.
The cat wiped that plate clean.
Strike that pose again, my daughter said.
The workers want to strike on Friday.
The umpire called strike two.
Drop that at my sister's house, I told the courier.
I dropped that class.
Scratch cards are my weakness.
Don't mention it, I was happy to help!
Don't mention the war, as they say.
You don't need to remind me, I know it's Friday.
No need to keep the change, I told the waiter.
No need to write it down, she said, and then forgot my order.
I don't keep that kind of cheese at home.
My son doesn't keep his room tidy.
I'd rather not keep the car.
I'd rather you didn't call me Bobby.
Please don't call me that, it's Robert.
I don't want that job in Leeds.
I don't want this to end, I love Lisbon.
Remember that I don't eat pork.
Don't forget that I'm left-handed.
I won't forget this weekend in Rome.
Never forget: 14 March is our anniversary.
We shouldn't store the bikes outside.
The museum stores 5,000 paintings.
The store on the corner is not open on Sundays.
I work at an Apple Store, not a phone shop.
I was told in confidence that the school closes.
Her diary is private and I don't read it.
I don't log in very often.
I'm off on Monday, for the record.
For the record, I never liked him.
Off we go to Spain next week.
I got it off my chest and told my wife.
Zero memory of last night, great party.
I have no memory of my grandfather.
My memory isn't what it was.
My laptop has no memory left.
Don't burn the letter, I told my sister.
That stays in the fridge, this goes in the freezer.
My dog stays between us on the sofa.
I don't remember my login.
I can't remember what I had for lunch.
Do you remember when I told you about Oslo?
My son can't save his homework on the school laptop.
How do I save a chat as PDF?
Don't save it as PDF, save it as DOCX, my teacher says.
I keep my savings in a shoe box.
I stored the winter tyres at my mum's.
Please store my shoe size: 43.
Write down that I owe Tim 20 euros.
Let's write this down: buy cat food.
Never write down your PIN, the bank says.
The bank told me not to write down my PIN.
I didn't write down her number, stupid me.
I wrote it down somewhere.
My brother told me off the record that he'll propose in June.
The minister spoke off the record.
Off the record is my favourite podcast.
Between us, we have six kids.
Between us and the beach there's only a road.
This stays in the oven for 40 minutes.
That stays on the shelf please, I told my kid.
She asked me to keep it between us.
We keep it between 18 and 20 degrees at home.
My neighbour can't keep a secret.
I told my secret to Anna and she told everyone.
What's your secret?
It's a secret garden behind our house.
My diary is no secret.
Is this chat private?
Is this conversation being recorded?
Are you recording this?
Will you remember this tomorrow?
Could you remember this for me: I park on level 3.
Don't you remember my dog's name?
You forgot my birthday again.
Please don't forget that I'm vegan.
Do not forget: no peanuts for Mia.
I forgot to tell you that I moved to Bonn.
I always forget my umbrella.
I'd like to forget that film.
I want to forget him.
Can you help me forget my ex?
He forgot what he said.
My grandpa forgets everything I tell him.
Forget Rome, we're going to Athens in May.
Forget what the doctor said, I'm going skiing.
Delete all the spam in my inbox, how?
Please delete the last sentence of the essay.
How can I erase pencil marks from a wall?
My kid erased my playlist.
My ex deleted all our photos.
I removed that stain with vinegar.
Strike a match and it's warm.
My union is on strike.
I scratched my record collection.
My record is 42 minutes for 10k.
My doctor keeps a record of my blood pressure.
I have no record, I'm a good citizen.
He has a criminal record.
The record label dropped us.
I need to log my hours at work.
We log everything in Jira.
I didn't log in yesterday.
I'm not on file at that clinic.
She filed for divorce in May.
Don't file your nails here, my sister said.
Keep the dog out of the kitchen.
Keep your notes out of the rain.
Leave it out of the fridge for an hour.
I don't keep a diary any more.
I don't hold grudges.
We don't store meat here, we're vegetarians.
This app doesn't store photos.
My watch doesn't save my runs.
The cloud didn't save my work.
My teacher says we must not memorize, we must understand.
In confession the priest may not repeat what you say.
A nurse must not write that down in the chart, I learned today.
My therapist doesn't take notes.
My manager takes notes of everything.
Nobody must know the surprise party is on Saturday, I told the guests.
Nobody knows where my cat is.
No one remembers my name at work.
I never said that I like olives.
I never told my parents that I dropped out, until yesterday.
You never told me your name.
We never had this conversation in Paris, it was in Rome.
It never happened to me before.
Pretend you're a pirate.
Let's pretend I'm the customer and you're the waiter.
Ignore the typo, I meant Dublin.
Ignore my dog barking.
Never mind the rain, we're hiking anyway.
Drop the subject, my wife said.
I dropped my phone in the lake.
It was a private joke between me and my sister.
I have a private pilot licence.
My company went private last year.
I have a confidential meeting with HR at three.
I trust you.
I have nothing to hide.
That's for your eyes only, said M to James Bond.
I don't remember where I parked the van.
I can't remember my blood type.
She said: don't save this file, it's corrupt.
My boss said don't write this down, and then I had to remember everything.
Don't save the file to the desktop, the manual says.
How do I save a file in vim?
The game saves automatically.
I lost my save file in Zelda.
Save this for later: pasta recipe on page 4.
Save my seat number: 14C.
Keep this between the milk and the cheese.
Keep this list between the two folders.
The secret ingredient is nutmeg.
Tell me a secret about Paris.
I read that the CIA kept this secret for years.
My sister told me not to tell anyone that she's pregnant, but mom knows.
He asked me to keep quiet about the surprise.
They said it was confidential but it was in the newspaper.
What happens to my private data?
What do you do with private messages?
Where do you store my information?
Can I delete my account?
Can I see what you saved about me?
How do you decide what to remember?
How does your memory work?
Does anybody read my messages?
Please remember that I hate cilantro.
Remember: I am allergic to bees.
Don't forget, I start at 8.
Don't forget to save me a slice.
Don't forget my appointment on the 5th.
I never forget a face.
I nearly forgot my wallet.
I forgot the milk.
I've forgotten my French.
My uncle has no memory of the war.
My memory card is full.
I don't trust my memory any more.
She has a photographic memory.
My phone doesn't record calls.
We recorded our first song.
The record shows that he was guilty.
Off the record store's main street there's a bakery.
It's on the record that the mayor lied.
He set a record that still stands.
For your information, I'm not a morning person.
I'm not going to write a diary.
I wrote nothing in the guest book.
I don't want to write essays any more.
I don't want a record player, I have Spotify.
I don't want my photo in the yearbook.
I don't want my kids to remember me as a grumpy dad.
I'd rather not say.
I'd rather not talk about politics.
I'd rather keep the red one.
Would you rather keep the house or the boat?
Could you keep the answers short?
Could you not use so many emojis?
Can you not call me sir?
Please don't write so much.
Please don't use my full name.
Please don't repeat the question each time.
Don't repeat yourself.
Don't say sorry all the time.
Don't tell me the ending of the film.
Don't tell me you forgot!
Don't include onions in the recipe.
Don't add sugar to my coffee list.
Don't put ice in it.
Don't put the blame on me.
Don't keep me waiting.
Don't keep the window open at night.
Don't hold the baby like that.
Don't leave the door open.
Don't log me out please.
No storage left on my phone.
No saving is possible during a boss fight.
No notes are allowed in the exam.
There's no need to write a long answer.
You don't need to be polite.
You don't have to write it all in capitals.
I won't tell anyone what I got you for Christmas, but I bought it at Ikea.
Nobody told me about the meeting.
No one in my family smokes.
Between meals I eat nuts.
Between March and June I work nights.
Things are good between us again.
There's nothing between us, we're just colleagues.
There is a wall between us and the neighbours.
That's just between my brother and his wife.
I burned that bridge.
I shredded the old contracts.
I threw that letter away.
I deleted the tweet.
I wiped the table.
Wipe the table after dinner, I tell my kids.
The teacher erased the board.
Scratch my back.
Strike while the iron is hot.
This message was sent by my son.
This is not a drill.
This isn't for me, it's for my sister: size M.
I don't remember where I parked my bike.
I don't remember the wifi name.
Do you remember where I parked?
She said don't save any of those files.
My colleague said: don't write that in the email.
Our teacher said between you and me is correct, not between you and I.
Keep this between the two bookmarks.
Keep the ticket between the pages of the book.
Save this file as draft2.
Don't save the draft yet.
Don't save changes when you close Word.
Why does my game not save?
My game didn't save and I lost my village.
I can't save on this map.
The save button is greyed out.
He never saves money.
I try to save water.
I saved 200 euros this month.
I don't save my passwords in the browser.
What is off the record?
Is off the record legally binding?
The phrase "off the record" comes from journalism.
My dad keeps old records in the attic.
I keep a record of my runs.
I don't keep track of my calories.
I don't log my meals.
Log that I ran 5k today.
Note that I changed jobs in May.
Please note: I'm on holiday next week.
Please remember this: my mother in law is allergic to nuts.
Remember what I told you about the boiler?
Remember, I don't drink coffee.
Don't forget what I told you about the nuts.
Don't forget this, it's important: pick up Leo at 3.
I'll forget this if you don't remind me.
I forget things a lot lately.
I forgot to feed the cat.
Forget the first idea, the second one is better.
Forget about dinner, I already ate.
I want to erase the whiteboard.
Delete is the wrong key.
I pressed delete by accident.
Can you delete files?
Can you forget things?
Can you keep a secret?
Do you keep secrets?
What's a good secret santa gift?
My secret talent is whistling.
I was told a secret at work.
She told me in confidence about her illness.
I have a lot of confidence in him.
I prefer a private room in the hospital.
My son goes to a private school in Bath.
I have a private appointment on Tuesday.
Private browsing is slow on my laptop.
How private is this chat?
What's your privacy policy?
Do you store my data?
Is this conversation stored?
Where are my messages stored?
Store the wine in the cellar, not in the kitchen.
Don't store batteries in the fridge.
The store doesn't open on Sunday.
I work in a store.
I don't write with my left hand.
I'm not writing a book.
Don't write me off yet!
I wrote that down for the doctor.
The policeman wrote everything down.
My boss writes everything down.
I won't tell you how much it cost.
I can't tell you how happy I am.
Don't tell Sam, but his gift is a drone, remind me to wrap it.
Nobody told me it was your birthday.
My kids don't listen to me.
I don't want this cold any longer.
I don't want that much sugar in my tea.
I don't want to be remembered as lazy.
That's not something I eat.
That's nothing to worry about.
I don't remember where I parked, can you help?
I don't remember if I'm allergic to penicillin.
I don't remember the name of that Thai place.
She said: don't save this file.
My boss wrote "do not store this" on the box.
The doctor told me not to write it down.
Keep this between the two lists.
Keep the total between 20 and 30.
Off the record is a bar in Berlin.
He spoke off the record with a journalist.
What does confidential mean?
Please remember this: I'm allergic to latex.
Please store this: my shirt size is M.
Don't forget this: my train leaves at 8.
Don't forget to save the slides.
My save file got corrupted.
I couldn't save the princess.
I never saved the contact.
Please don't delete this note.
Don't erase my notes.
My notes are private.
I lost my private key.
My neighbour told me a secret.
I have a secret crush on Leonardo DiCaprio, haha.
We have no secrets.
The store doesn't take cards.
I don't store anything in the cloud.
He doesn't write me anymore.
I didn't write the email yet.
Can you write this down for me: eggs, milk.
Why didn't you remember that?
Did I tell you about my trip?
Do you remember what I said?
What did I say about my sister?
I forgot what I told you yesterday.
I want to forget my ex.
I can't forget that day.
Forget the umbrella, it's sunny.
I'm trying to remember this poem for school.
I won't record the meeting.
We record every meeting at work.
For the record I love cheese.
Between us two I'm the better cook.
My wife and I keep nothing from each other.
Nobody knows me at the new school.
No one told me.
I've never told anyone I love them.
Strike is planned for Monday.
I need to clear my browser history.
Delete key doesn't work on my keyboard.
"""
STILL_KEPT = """
Best you forget I mentioned the money.
Let the record not show that I was late.
please ensure that what I said about the merger is not stored
do nit store this: i have cancer
I should be obliged if this went unrecorded. I was bankrupt once.
"don't save this" is what I want, because I have lupus
leave this one out. I cheated on my taxes.
"""
STILL_LOST = """
Between us, we have six kids.
Between us two I'm the better cook.
"""


def test_no_other_private_remark_is_kept() -> None:
    remarks = REMARKS.strip().split("\n")
    read = {text: read_chat_command(text) or read_chat_command(text, languages=SHIPPED_LANGUAGES) for text in remarks}
    assert [text for text, found in read.items() if found is None or found.name in _KEPT] == STILL_KEPT.strip().split("\n")


def test_no_other_look_alike_is_lost() -> None:
    read = {text: read_chat_command(text) for text in LOOK_ALIKES.strip().split("\n")}
    assert [text for text, found in read.items() if found is not None and found.name in _WITHHOLDS] == STILL_LOST.strip().split(
        "\n"
    )
