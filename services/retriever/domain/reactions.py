"""Recognises turns that only react: praise, thanks, assent, and questions back. They answer no question that is asked later."""

import functools
import re

from shared.text.languages import STOP_WORDS
from shared.text.sentences import sentences
from shared.text.words import Word, words_of

_LONGEST = 160
"""Characters. Longer turns say something."""

_LONGEST_THANKS = 60
_MOST_WORDS = 12
_MOST_OTHERS = 2
"""A reaction may name so many things to which it reacts: `Climbing is great for sleep!`"""

_REACTIONS = (
    # English
    """great good nice cool lovely wonderful amazing awesome fantastic brilliant excellent perfect beautiful gorgeous adorable
    cute sweet charming marvellous splendid superb terrific incredible impressive exciting fascinating interesting delicious
    funny glad happy sorry sad congrats congratulations thanks thank thx welcome luck enjoy wow oh ah aw aww ha haha lol yay yum
    yes yeah yep yup nope ok okay sure alright right absolutely definitely exactly indeed agreed true got noted understood
    done fun tough annoying frustrating nuisance pity shame awful terrible wise proud honoured honored hi hello hey
    bye goodbye cheers please gotcha fair safe poor ouch understandable scary tasty yummy phew oof bummer""",
    # German
    """super toll schön prima klasse wunderbar großartig fantastisch perfekt herrlich spannend interessant lecker lustig
    freut froh schade traurig glückwunsch gratuliere danke bitte gern gerne willkommen glück viel hallo hi tschüss ja
    klar sicher genau stimmt okay ok verstanden notiert wow oh ach haha ärgerlich blöd gut gute leid erledigt
    besserung""",
    # Spanish
    """genial bien bueno buena estupendo fantástico maravilloso perfecto increíble precioso interesante divertido felicidades
    enhorabuena gracias claro vale suerte hola adiós sí siento lástima pena encantado alegro qué jaja guau entendido
    hecho exacto""",
    # French
    """super génial bien bon bonne chouette magnifique merveilleux parfait excellent incroyable intéressant félicitations bravo
    merci accord chance bonjour salut oui désolé dommage ravi content haha compris noté exactement""",
)
_ASIDE = (
    """sounds sound hear hearing know see news idea choice practice practise sense makes make made love loved like job
    plan goal taste story way thing things stuff lot lots bit so really very too well much nice feel feels feeling must
    will would let lets tell telling glad help anytime always ever wait forward looking look keep going take care
    problem worries worry course meet time try again good one day morning afternoon evening night today tonight weekend
    best wish wishes hope hopefully guess bet im ill ive thats its youre dont cant u ur this that there here what how
    such quite pretty totally every each do it up need anything else mind remember all enough better soon just""",
    """hört hören wissen neuigkeit nachricht idee wahl plan ziel sache freue mich dich so sehr wirklich ganz echt
    alles problem sorge sorgen kein keine immer wieder tag zeit guter gutes das dann hoffe geht besser spass merke""",
    """suena oír saber noticia noticias idea elección plan meta muy tan mucho mucha buen problema preocupes siempre día
    eso""",
    """entendre savoir nouvelle nouvelles idée choix projet but très si vraiment beaucoup problème inquiétez toujours jour
    cela ça""",
)
_SEEMS = re.compile(
    r"(?:(?:that|this|it) )?(?:sounds|must (?:be|feel|have been)) (?!like )|(?:(?:das|es) )?klingt (?!wie )|das muss "
    r"|(?:eso )?suena (?!como )|(?:ça|cela) (?:doit être|semble) ",
    re.IGNORECASE,
)
"""How a sentence begins that says how something seems: `That must have been scary.`"""

_PART = re.compile(r"\w+")
_CHINESE = re.compile(
    r"(?:好[的呀啊]?|太[好棒]了|真[好棒]|我?(?:记住|记下|明白|知道|了解|懂)了?|收到|没问题|不客气|不用谢|别客气|恭喜[你您]?|加油"
    r"|谢谢[你您]?|[你您]好|嗨|早上好|晚上好|晚安|再见|辛苦了|当然|哈|祝[你您].{1,6}|听起来(?:[很真太]|不错).{0,4}"
    r"|很高兴(?:认识|听到).{0,4}|真为[你您]高兴|[呀啊哦呢吧啦])++"
    r"|(?:[你您]好|恭喜|谢谢)\w{2,3}"
)
"""A part of a sentence in Chinese that only reacts, or greets somebody by name."""

_SELVES = frozenset("i im i'm i've i'll me my we our us ich mir mich mein wir uns yo mi nosotros je j moi mon nous".split())  # noqa: SIM905
"""Who speaks of themselves says something: `I feel sad`."""


def only_reacts(text: str, *, most_others: int = _MOST_OTHERS) -> bool:
    """True if every sentence of a turn is a question or a reaction that names hardly anything.

    >>> only_reacts("Climbing is great for sleep!"), only_reacts("I recommend The Lantern, it is great.")
    (True, False)
    >>> only_reacts("Got it. Shall I remind you?"), only_reacts("It was Petter.")
    (True, False)
    """
    if len(text) > _LONGEST or not text or text.isspace():
        return False
    return all(_asks(each) or _reacts(each, most_others) for each in sentences(text))


def only_thanks(text: str) -> bool:
    """True if a turn is nothing but thanks, assent, a greeting or praise, without a word about who speaks.

    >>> only_thanks("haha love it thanks"), only_thanks("yes, peanuts"), only_thanks("I feel sad")
    (True, False, False)
    """
    if len(text) > _LONGEST_THANKS or _asks(text):
        return False
    words = {word.folded for word in words_of(text, _MOST_WORDS + 1)}
    return words.isdisjoint(_SELVES) and only_reacts(text, most_others=0)


def _asks(sentence: str) -> bool:
    return sentence.rstrip().endswith(("?", "？", "؟"))


def _reacts(sentence: str, most_others: int) -> bool:
    parts = _PART.findall(sentence)
    if parts and all(map(_CHINESE.fullmatch, parts)):
        return True
    words = words_of(sentence, _MOST_WORDS + 1)
    if len(words) > _MOST_WORDS or any(char.isdigit() for char in sentence):
        return False
    reactions, known = _words()
    others = [word for word in words if _parts(word).isdisjoint(known)]
    if not (others or most_others == 0) and words:
        return True
    seems = _SEEMS.match(sentence)
    if not (seems or any(_parts(word) & reactions for word in words)):
        return False
    others = [word for word in others if not seems or word.start >= seems.end()]
    names = [word for word in others if word.start and sentence[word.start].isupper()]
    return len(others) <= (min(most_others, 1) if names else most_others)


def _parts(word: Word) -> frozenset[str]:
    """The word, and its first part where it is a contraction."""
    return frozenset((word.folded, word.folded.partition("'")[0]))


@functools.cache
def _words() -> tuple[frozenset[str], frozenset[str]]:
    """The words of which one makes a reaction, and all words that a reaction is made of."""
    reactions = frozenset(word for words in _REACTIONS for word in words.split())
    aside = (word for words in _ASIDE for word in words.split())
    return reactions, reactions.union(aside, *STOP_WORDS.values())
