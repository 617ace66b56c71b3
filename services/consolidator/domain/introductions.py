"""Reads the name by which somebody introduces themselves in lower case: `hi im dana btw`.

A capital letter shows a name. Without one, what is no state in which people are may be one where somebody greets or says
`here` or `btw`, or where no English word is written so.
"""

import re

from shared.language.text.frequency import UNHEARD, place_of

_INTRODUCES = re.compile(
    r"(?P<greets>(?:oh |and )?(?:hi|hey|heya|hello|hiya|howdy|yo|good (?:morning|afternoon|evening))(?: there| all)?[\s,.!]+)?"
    r"(?:(?P<me>i'?m|i am)|(?P<named>my name(?:'?s| is)|(?:the )?name'?s)) (?P<name>[a-z][a-z'-]{1,19})"
    r"(?P<aside> here|,? (?:btw|by the way))?[\s.!]*",
    re.IGNORECASE,
)
_OF_A_STATE = re.compile(r"(?:ed|ing|ish|less|ful|ous|able|ible|ive|sick|free)$")
_STATES = frozenset(
    """
    a able abroad adhd adopted afraid alive allergic alone alright also amish an anaemic anxious around artist asd
    asian asleep aspie at atheist autistic available awake away awful back bad based bi bilingual bipolar black blind
    blonde blue bold brave british broke brown buddhist buff bust busy calm catholic celiac celibate certain chef
    childfree christian cishet clean clear clever clueless clumsy coeliac cold content cool coughing cranky crap crazy
    cross curious cute dad danish dead deaf depressed designer desperate developer diabetic different dizzy doctor
    done down driver drunk dry due dutch dyslexic dyspraxic early easy elsewhere empty engineer english epileptic even
    everywhere fab famished famous fat female fine first fit flat fluent fond foreign forty four frail frantic free
    french fresh from full fuming fun furious gagging game gay german ginger glad gobsmacked gone good grateful great
    greek green grouchy grown grumpy guilty gutsy gutted halal half hangry happy hard healthy here high hindu hoarse
    home honest hopeful hopeless hormonal horny hot human hungover hungry hurt hydrated hyper idle ill impatient in
    indian indoors innocent inside insomniac intersex irish irritable italian japanese jealous jetlagged jewish
    jobless just keen keto kinda knackered korean kosher late lawyer lazy left legit lesbian like literally lonely
    lost lovely low lucky mad male manic married me mean meh mellow mental merry messy mid mine minted miserable mom
    moody mum muslim mute my nackered naive narked nauseous near neat nervous new next nice nocturnal nonbinary normal
    nosy not now numb nurse nuts obese ocd of off ok okay old on one online only open out outdoors outside over paleo
    parched patient peckish perfect pescatarian picky pissy polish polite pooped poor poorly pregnant pro programmer
    proud puzzled queer quick quiet rational ratty raw ready real really relaxed retired rich ridiculous right
    romantic rough rude rural russian rusty sad safe satisfied scottish second senior serious set several shaky sharp
    shattered short shy sick silent silly simple single skinny skint sleepy slim slow small smart so sober soft solo
    solvent sore sorry sorted southern spanish spent spry stable starving still stoic stoked straight stressy strict
    strong stubborn stuck student stumped stupid sure swamped sweaty swedish sweet sworn tall tan tapped teacher
    teetotal tense terrible the there thick thin thirsty thirty through tidy tight tipsy too torn tough trans trying
    turkish twenty two ugly unable undecided under unfit unhappy unique unlucky unsure unwell up upset urban useless
    vain vegan vegetarian veggie very wasted weak weary weird well welsh wet wfh white wide widow wiped wired wise
    wobbly woke woozy writer wrong young your yours zen zonked
    """.split()  # noqa: SIM905 - a list of words reads best as words
)


def introduced(sentence: str) -> str | None:
    """The statement of their name by which somebody introduces themselves, written as a name; None if it may be none.

    >>> introduced("hi im dana btw"), introduced("im tamsin"), introduced("my names roz")
    ('I am Dana', 'I am Tamsin', 'My name is Roz')
    >>> introduced("im tired btw"), introduced("hey im home"), introduced("im skint"), introduced("im lily")
    (None, None, None, None)
    """
    told = _INTRODUCES.fullmatch(sentence.strip().replace("’", "'"))
    if told is None or not _may_be_name(name := told["name"].lower()):
        return None
    if told["named"]:
        return f"My name is {name.title()}"
    is_clear = told["greets"] or told["aside"] or told["name"][0].isupper() or place_of(name) == UNHEARD
    return f"I am {name.title()}" if is_clear else None


def _may_be_name(word: str) -> bool:
    return word not in _STATES and not _OF_A_STATE.search(word)
