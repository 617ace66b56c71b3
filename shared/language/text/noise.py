"""Words that name nothing, however they are written: no entity and no topic is made of one.

Chat slang, exclamations, words without their apostrophe, and English words that are often the first of a sentence.
"""

import re

from shared.language.text.phrasing import ENGLISH

_SLANG = frozenset(
    """ffs wtf wth omg omfg lol lmao lmfao rofl haha hahaha hehe heh hah idk idc idek imo imho tbh tbf ngl smh brb btw fyi
    ikr ily tysm thx tnx pls plz plss np nvm afaik iirc fwiw irl asap atm bc bcs cuz coz cos tho thru gonna gotta
    wanna kinda sorta dunno lemme gimme outta lotta hafta oughta innit yall ya yea yeah yep yup yass nah nope nopes meh
    ugh ew eww yuck yikes oops whoops oopsie phew whew welp wow woah whoa woo woohoo woot yay yippee hurray hooray aww
    awww ahh ooh oooh mmm hmm hmmm huh duh bleh blah argh grr psst shh tsk brr pfft bruh bro dude bestie fam sis y'all ok okay
    okie okey kk alright aight sure whatever whatevs whatsoever anyway anyways anyhow somehow someday sometime sometimes
    somewhere anywhere everywhere nowhere whenever wherever whoever however although though unless besides instead
    meanwhile otherwise therefore thus hence literally basically actually honestly seriously obviously totally absolutely
    definitely exactly probably perhaps apparently hopefully luckily fortunately unfortunately congrats congratulations
    thanks thankyou cheers welcome hello hiya howdy hey hi bye goodbye goodnight gm gn damn dammit darn crap shit fuck
    fucking fck bloody hell heck gosh geez jeez omw nite tonite tmr tmrw tomoz xoxo xx xd""".split()  # noqa: SIM905 - a list of words reads best as words
)
_WITHOUT_APOSTROPHE = frozenset(
    """im ive id ill hes shes its itll thats whats wheres whos hows theres heres lets youre youve youd youll theyre theyve
    theyd theyll weve wed whens whys dont doesnt didnt cant couldnt wont wouldnt shouldnt isnt arent wasnt werent havent
    hasnt hadnt aint mustnt neednt shant oclock ma'am""".split()  # noqa: SIM905 - see above
)
_SLIPS = frozenset(
    """teh hte adn nad taht thta waht wiht whit thier becuase becasue beacuse becouse beleive recieve definately defintely
    seperate untill wich whcih tommorow tommorrow tomorow tomorro probly prolly wierd freind freinds goverment alot aswell
    infact incase thign thnig somthing sumthing nuthing evrything evryone yuo yoru abotu realy relly gret graet intresting
    diffrent finaly basicly""".split()  # noqa: SIM905 - see above
)
_PRAISE = frozenset(
    """amazing awesome great good nice cool fantastic wonderful lovely brilliant incredible fabulous superb terrific perfect
    beautiful gorgeous stunning adorable cute sweet fun funny hilarious happy glad proud lucky grateful thankful excited
    exciting stoked thrilled pumped inspiring inspired inspirational motivating motivated rewarding impressive important
    special interesting fascinating tough rough hard easy sad sorry awful terrible horrible bad weird strange crazy insane
    wild true false right wrong fair same positive negative powerful meaningful precious peaceful relaxing refreshing
    delicious yummy tasty better best worse worst worth able ready busy tired""".split()  # noqa: SIM905 - see above
)
_OPENERS = frozenset(
    """life art love dance music nature family friends friendship time change changes work business money home house food
    books reading writing painting pottery cooking baking gardening sports exercise yoga running travel travelling
    traveling school college university community support success failure freedom identity confidence courage strength
    kindness patience honesty trust faith hope peace joy happiness health education parenting motherhood fatherhood
    childhood marriage dating mentors mentoring challenges setbacks goals dreams memories feelings emotions thoughts ideas
    plans news stuff lots loads tons plenty heaps bunch couple half part parts last next this that these those today
    tomorrow yesterday tonight currently recently finally eventually suddenly originally previously afterwards afterward
    nowadays overall apart speaking talking considering especially particularly mostly mainly mental physical emotional
    positive quality clay guitar piano blue red green yellow black white nothing none nobody somebody anybody everybody
    guess think hope stay keep make take give get got go going gather start starting startin stop try trying look looking
    see saw seen sounds sound looks seems feels feel tell ask call check watch read write play run walk eat drink drive
    buy sell pay learn teach help find found bring came come done did doing been being having had has weather traffic
    dinner lunch breakfast coffee tea meal store shop rock tough fine boss mom mum dad kids people person everyone someone
    anyone customers employees students teachers parents children neighbours neighbors doctors nurses scientists
    experts ty babe jesus rn""".split()  # noqa: SIM905 - see above
)
_ELONGATED = re.compile(r"([^\W\d])\1\1+")
_DRAWN_ABBREVIATION = re.compile(r"([A-Z])\1\1")
_SOUNDS = frozenset(("AHH", "HHH", "HMM", "MMM", "OOO", "UUU", "XXX", "ZZZ"))
_SHOUTS = frozenset(
    """no yes so ah oh eh uh hey hi stop wait go come on love win won goal free cake beer wine pizza puppy kiss sweet babe
    baby school summer sleep mummy mommy daddy mom mum dad god lord help run look see soon real rest best cold hot bad sad
    mad ill eek eep arg ar ra""".split()  # noqa: SIM905 - see above
)
"""What is drawn out in capitals, beside slang and the words of every sentence."""
_SIGNS = re.compile(r"[^\w]+")
_ACRONYM = 6
"""Longest word that may be in capitals because it is an abbreviation."""


def is_noise(word: str) -> bool:
    """True for a word that names nothing, wherever it stands: slang, an exclamation, a slip, `sooo`.

    >>> [word for word in ("ffs", "hes", "LOL", "sooo", "NOOO", "IEEE", "AAA", "Anna Aaron", "tea") if is_noise(word)]
    ['ffs', 'hes', 'LOL', 'sooo', 'NOOO']
    """
    folded = word.casefold()
    plain = _SIGNS.sub("", folded)
    return plain in _SLANG or plain in _WITHOUT_APOSTROPHE or plain in _SLIPS or _is_drawn_out(word, folded)


def _is_drawn_out(word: str, folded: str) -> bool:
    """True for `sooo` and `NOOO`, but not for an abbreviation: `AAA`, or `IEEE`, which is no word with fewer letters."""
    if not _ELONGATED.search(folded):
        return False
    if not word.isupper() or len(word) > _ACRONYM:
        return True
    if _DRAWN_ABBREVIATION.fullmatch(word):
        return word in _SOUNDS
    return any(_is_word(_ELONGATED.sub(once, folded)) for once in (r"\1", r"\1\1"))


def _is_word(word: str) -> bool:
    return word in _SLANG or word in _OPENERS or word in _PRAISE or word in ENGLISH or word in _SHOUTS


def is_no_name(word: str) -> bool:
    """True for a capitalised word that names nobody where a sentence begins with it.

    >>> [word for word in ("Life", "Whatever", "Amazing", "John") if is_no_name(word)]
    ['Life', 'Whatever', 'Amazing']
    """
    plain = word.casefold()
    return is_noise(word) or plain in _OPENERS or plain in _PRAISE


def is_shouted(words: str) -> bool:
    """True for words in capitals that are no abbreviation: several in a row, a long one, or a common one.

    >>> [words for words in ("DOING IT", "BERLIN", "STOP", "LGBTQ", "NASA", "Anna") if is_shouted(words)]
    ['DOING IT', 'STOP']
    """
    if not words.isupper():
        return False
    return " " in words or len(words) > _ACRONYM or is_no_name(words)
