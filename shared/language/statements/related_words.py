"""English words of which one may stand for another when a fact is put into other words than its source."""

from functools import cache

from shared.language.text.stemming import stem

_GROUPS = """
job work working worked employed employer employment unemployed fired sacked redundant laid hired career profession occupation
married wife husband spouse wedding marry marries marriage knot engaged engagement fiancé fiancée fiance fiancee proposed
partner wife husband spouse boyfriend girlfriend girl boy better-half significant fiancé fiancée bf gf hubby
separated broke broken break breakup split divorced divorce ex single dumped left
live lives living home house flat apartment moved move moving reside resides resident residence based relocated settled place
flat apartment home house place condo studio keys
rent rents renting tenant lease landlord landlady flat
child children kid kids son daughter boy girl baby toddler offspring father mother parent
pregnant pregnancy expecting expect expects baby due birth born
son boy kid child
daughter girl kid child
sibling siblings brother sister brothers sisters sis bro youngest eldest oldest
mother mum mom mama mommy mummy
father dad papa daddy
parents mum dad mom folks
grandmother granny grandma nana
grandfather grandpa granddad
friend friends bestie mate buddy pal
died dead death passed passing lost late deceased funeral
vegan vegetarian veggie meat animal animals plant-based meatless fish
lactose dairy milk cheese
gluten coeliac celiac bread wheat
allergic allergy allergies intolerant intolerance react reaction hives sick ill epipen can't cannot
drink drinks drinking drank drunk alcohol sober wine beer booze teetotal
smoke smoking smoker smokes cigarettes
stop stopped stops quit quits gave give given up longer anymore ended finished
start starts starting started begin begins began beginning
like likes love loves enjoy enjoys prefer prefers preference fond fan favourite favorite fave adore keen support into
dislike dislikes hate hates loathe detest can't stand despise
afraid scared fear fears frightened terrified phobia anxious
run runs running jog jogs jogging runner
daily every everyday each
car drive drives driving vehicle drove driver
own owns owned has got bought buy buys purchased purchase have saving
sold sell sells longer
teach teaches teacher teaching taught instructor lesson lecturer professor tutor
learn learns learning study studies studying studied student course lessons
maths math mathematics
doctor gp physician md doc
reduce reduces reducing cut cutting less fewer cutback lower
licence license test exam
late night evening owl early bird morning
buy bought purchase purchases purchased close closing contract mortgage
hurt hurts injured injury injure pain painful sore ache aches
vet veterinarian veterinary
fireman firefighter
police policeman policewoman cop officer
nurse nursing
lawyer attorney solicitor barrister legal
developer programmer engineer software coder coding programming
boss manager head lead leads leader director
promoted promotion head boss
laboratory lab
earn earns make makes paid pays salary income wage wages
pay pays paid costs cost price
retire retired retirement pension pensioner
submit submits hand due deadline
appointment meeting booked date slot visit
travel travels trip fly flies flying flight going visit visits visiting vacation holiday journey
phone mobile number telephone cell
email e-mail mail address
reply replies answer answers respond responses response
brief short concise shortly
call called name named calls names goes
dog greyhound puppy pup whippet labrador retriever
cat kitten kitty
color colour
favorite favourite
glasses spectacles
left-handed left handed lefty
night nights shift
dead dying
ill sick unwell illness disease condition diagnosed diagnosis
move relocate relocating emigrate
school kindergarten class
university uni college degree campus
movie film
tv television
use uses using used switched switch
want wants wish wishes would please pls plan plans planning goal aim hope
need needs must has require requires
weight kilos kg pounds
exercise gym workout train training
religion religious muslim christian jewish hindu buddhist church mosque
evening night tonight
morning mornings breakfast
sleep sleeping insomnia asleep awake
shy introvert introverted quiet
upset sad depressed depression
happy glad pleased
american us usa america states
british uk britain england
german germany
french france
spanish spain
italian italy
scared heights
amateur hobby spare
autumn fall
summer summers
vienna wien viena vienne
cologne köln koeln colonia
geneva genf genève ginebra
milan mailand milano milán
florence florenz firenze florencia
venice venedig venezia venecia venise
prague prag praha praga
warsaw warschau warszawa varsovia
copenhagen kopenhagen københavn copenhague
naples neapel napoli nápoles
brussels brüssel bruxelles bruselas
london londres
germany deutschland alemania allemagne
switzerland schweiz suiza suisse
austria österreich autriche
spain spanien españa espagne
france frankreich francia
japan japon japón
united kingdom britain england
greece griechenland grecia grèce
sweden schweden suecia suède
"""


@cache
def related_words() -> dict[str, frozenset[int]]:
    """The groups of each stem, by their places in the table."""
    found: dict[str, frozenset[int]] = {}
    for place, group in enumerate(_GROUPS.strip().splitlines()):
        for word in group.split():
            found[stem(word)] = found.get(stem(word), frozenset()) | {place}
    return found
