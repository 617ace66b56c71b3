"""Word lists by which wordings are compared: what may be left out, what may differ, what must agree. Mostly English."""

from shared.language.text.calendar import DAYS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(phrase.split()) for phrase in text.split(";"))


ARTICLES = _words("a an the")
INTENSIFIERS = _words(
    """really very truly absolutely totally definitely certainly actually basically literally indeed extremely incredibly
    quite also wirklich sehr vraiment très muy realmente davvero"""
)
"""Words that may be left out, but not after a negation: `not very hungry` is not `not hungry`."""

HESITATIONS = _words("um umm uh uhh er erm hmm hm bitte")
COUNTING_A = _words("few little bit lot couple hundred thousand million billion")
"""Words before which `a` changes the meaning: `few friends` are not `a few friends`."""

LETTERED = _words(
    "vitamin hepatitis influenza plan grade type group team class level section block gate building room option side"
)
"""Words after which `A` is a letter, no article."""

OPENINGS = _phrases(
    """remember that; note that; keep in mind that; do not forget that; by the way; as i said; you know; i mean; so; well;
    oh; ah; hey; hi; hello; yes; yeah; yep; ok; please; and; fyi; btw; honestly; frankly; anyway"""
)
HEADINGS = _phrases("note; remember; reminder; for the record")
"""Words that open a text only before a colon or full stop: `remember my birthday` asks for something else."""

ENDINGS = _phrases("please; lol; haha; too; as well; you know; though; anyway; fyi; btw")
PARTINGS = _phrases("thanks; thank you; ok; by the way")
"""Words that end a text only after a punctuation mark: in `Anna never says thanks` they belong to it."""

DEGREES = _phrases("very much; so much")
"""Words that end a text only if it has no negation."""

NEUTRAL = _words("that which is are am do does of and")
"""Words that may be added or missing if all others agree."""

NEGATIONS = _words(
    """not no never none nothing nobody nowhere neither nor without hardly barely scarcely seldom rarely cannot nicht kein
    keine keinen keinem keiner nie niemals nichts niemand ohne ne pas jamais rien personne aucun aucune sans nunca jamás
    nada nadie sin ninguno ninguna non mai niente nessuno senza não nem ninguém sem niet geen nooit niets zonder не нет ни
    никогда ничего никто без inte ingen aldrig ikke aldri nigdy bez hayır değil yok لا ليس لم لن לא אין नहीं"""
)
FRONTED = _words(
    """in on at by during after before when whenever if because since while every each from to with for today tomorrow
    yesterday tonight last next this until"""
)
"""Words that begin a part which may stand first or last: `in the morning`, `if it rains`."""

FIXED = _words("only not no never then first just even except but than or nor neither none always again")
"""Words whose place matters: the parts of a text with one of them are not reordered."""

ROMANCE = _words(
    """el la los las de del que y en un una unos unas con por para su sus mi mis es está son yo tú lo le les et des du une
    est je tu il elle nous vous dans sur pour avec au aux gli di che e è uno non ho sono mio mia o os da dos das em um uma
    com não eu ele ela meu minha foi"""
)
GERMANIC = _words("ich du er sie wir ihr der das den dem ein eine einen und nicht ist mit zu auf het een de ik jij niet van en")

ENGLISH = _words(
    """the and of is are was were be been being am has have had do does did will would can could should shall might must not
    never i you he she it we they my your his her its our their me him us them this that these those there here who what
    when where why how which with without from into about after before because if but or than then very really also only
    just every each some any all both many much more most few less other another own same so too one two three four five
    six seven eight nine ten eleven twelve twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
    people came comes come done house child children name likes like liked loves love loved hates wants want needs need
    works work worked lives live lived goes went gets got says said thinks knows knew takes took makes made eats ate
    drinks drank plays played called calls told gave to at on in"""
)
"""Words that show a text to be English, and that begin sentences without being names."""

STRESS = _words(
    """he she it they we i you me him her us them my your his its our their mine yours hers ours theirs who whom whose was
    were will would can could should shall may might must has have had been used going gonna yesterday today tomorrow
    tonight morning afternoon evening night noon midnight day week month year daily weekly monthly yearly weekday weekdays
    weekend ago since until before after during while now then later earlier early late soon next last previous past
    future former ex left right up down above below over under inside outside north south east west into from onto toward
    towards away back with more less most least better worse best worst higher lower bigger smaller older younger faster
    slower longer shorter than start started starts stop stopped stops begin began quit continue continued resume ended
    end open opened close closed like likes liked dislike dislikes love loves loved hate hates hated prefer prefers enjoy
    enjoys want wants need needs all some many few none every each both either any several half double twice once only
    except but if unless because although or always often usually sometimes rarely seldom never almost nearly just still
    already again even maybe perhaps probably possible impossible true false yes buy bought sell sold win won lose lost
    give gave take took lend borrow send sent receive received accept accepted reject rejected refuse refused allow
    allowed forbid forbidden agree agreed disagree disagreed hot cold warm cool big small large little tall short long
    high low old young new good bad easy hard rich poor dead alive black white red green blue yellow brown orange purple
    pink grey silver gold married single divorced pregnant allergic mother father sister brother son daughter wife husband
    girlfriend boyfriend aunt uncle niece nephew cousin friend enemy mom dad boss man woman men women boy girl male female
    vegetarian vegan"""
).union(DAYS, (f"{day}s" for day in DAYS))
"""Words that change the meaning of a long text, so they must agree, beside names, numbers and negations."""

MOODS = frozenset("👎❌❎✅✔✖🚫⛔💔🙃🙄😏😒😞😟😠😡😢😤😥😭😫😩😔😕☹🙁🤨🤬🤢🤮🤪😜😉🗑☠💀\u20e3")
"""Emoji that change what is said: no, wrong, angry, sad, joking. All others are decoration."""

SPELLINGS = dict(
    pair.split(":")
    for pair in """
    colour:color colours:colors favourite:favorite favourites:favorites neighbour:neighbor neighbours:neighbors
    behaviour:behavior honour:honor flavour:flavor flavours:flavors humour:humor labour:labor harbour:harbor rumour:rumor
    centre:center centres:centers theatre:theater theatres:theaters metre:meter metres:meters litre:liter litres:liters
    kilometre:kilometer kilometres:kilometers fibre:fiber grey:gray travelling:traveling travelled:traveled traveller:traveler
    cancelled:canceled cancelling:canceling jewellery:jewelry pyjamas:pajamas aluminium:aluminum mum:mom mums:moms
    licence:license defence:defense practise:practice programme:program catalogue:catalog dialogue:dialog organise:organize
    organised:organized organising:organizing realise:realize realised:realized realises:realizes
    recognise:recognize recognised:recognized
    apologise:apologize apologised:apologized analyse:analyze analysed:analyzed organisation:organization okay:ok ok:ok
    specialise:specialize specialised:specialized memorise:memorize prioritise:prioritize whilst:while towards:toward
    learnt:learned dreamt:dreamed burnt:burned spelt:spelled enrol:enroll fulfil:fulfill skilful:skillful
    plough:plow moustache:mustache doughnut:donut doughnuts:donuts yoghurt:yogurt""".split()  # noqa: SIM905
)
"""American spellings, by the British ones, which count as the same words."""
