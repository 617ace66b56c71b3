"""Turns what the model of wishes.py reads of a message into commands, beside those that phrases are.

Nothing here is destroyed unasked. A message that wishes not to be kept is not kept; what else it may mean is asked about.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile

from shared.language.commands.command import SURE, ChatCommand, ChatCommandName, usual_scope
from shared.language.commands.language import SHIPPED_LANGUAGES
from shared.language.commands.wishes import DENIES, ERASES, KEEPS, POINTS, Wish, is_filler, kinds_of, tokens, wish_of
from shared.language.text.languages import detect_language
from shared.language.text.sentences import MessageSentence

Name = ChatCommandName

_ASKED, _SURE, _FIRM = 0.48, 1.2, 2.5
"""Logits of a wish not to be kept: from the first on it is heeded, from the second on nobody is told how to have the message
kept, from the third on it outweighs what may be a command."""
_MARKED = 0.1
"""The first of these logits for a message with a tag or a word for erasing."""
_FORGETS, _ERASES, _SIGHS = -0.8, -2.3, -3.0
"""Logits from which on a topic may be to be forgotten, also in a sentence with a word for erasing, and below which even what a
phrase says may be a sigh."""
_CERTAIN, _LIKELY, _PERHAPS = 0.95, 0.7, 0.6
"""Confidence in what is certain, likely and perhaps meant."""
_ORDERS = -2.5
"""Logit of a wish from which on a message that tells and points at nothing may be an order about what it names."""
_TELLS = -1.0
"""Logit of telling nothing below which a message tells something itself."""
_NEXT = -2.0
"""Logit from which on a message that tells nothing announces the next."""
_BEFORE = 1.0
"""Logit from which on a message that tells nothing means what was said before it, and nothing else."""
_OUTDOES = 0.5
"""Logit of a wish from which on it outdoes a plain command."""
_PLAIN = 0.55
"""Confidence in a command from which on it stands beside a wish."""
_MOST_OF_ORDER = 3
"""Sentences of a message that may be an order to forget a topic."""
_FEW_SENTENCES = 8
"""In a message of more a wish is doubtful."""
_LONGEST_TOPIC = 6
"""Words."""
_BREAK = re.compile(r"[,:;()–—]|(?<=\s)-(?=\s)")
_AROUND = "?!. \"'*"
_OF_THIS = frozenset((Name.FORGET_THAT, Name.FORGET_ABOUT, Name.FORGET_CHAT, Name.CONFIRM, Name.DECLINE, Name.TAKE_BACK))
"""Commands beside which a message may wish not to be kept: any other one that is sure outdoes such a wish."""


def with_wishes(
    commands: Sequence[ChatCommand],
    said: Sequence[MessageSentence],
    text: str,
    languages: Sequence[str],
    own: Callable[[], Sequence[MessageSentence]],
) -> tuple[ChatCommand, ...]:
    """Return the commands of a message of these sentences with what it wishes otherwise. `own`: its person's own words."""
    wish = wish_of([sentence.shown for sentence in said])
    if wish and (commands or wish.withhold >= _MARKED or wish.forget >= _ERASES):
        said = own()
        wish = wish_of([sentence.shown for sentence in said])
    if wish is None:
        return tuple(commands)
    code = detect_language(text, usual=languages[0])
    code = code if code in SHIPPED_LANGUAGES else languages[0]
    is_outdone = any(command.is_sure and command.name not in _OF_THIS for command in commands)
    kinds = {kind for sentence in said for kind in kinds_of(tokens(sentence.shown))}
    is_erasing = ERASES in kinds
    withheld = _withheld(commands, wish, code, len(said), is_erasing=is_erasing, has_tag="#" in text)
    if not is_outdone and withheld:
        if withheld.may_mean_before and POINTS not in kinds:
            withheld = replace(withheld, topic=next(filter(None, map(_topic, said)), None))
        if code in languages:
            return (withheld,)
        is_of_before = withheld.may_mean_before or withheld.name is Name.FORGET_THAT
        is_forgetting = is_of_before and is_erasing and DENIES not in kinds
        return tuple(commands) if is_forgetting else (_destroying_nothing(withheld),)
    points = bool(commands) and all(command.name is Name.FORGET_THAT and not command.is_sure for command in commands)
    is_order = len(said) == 1 and wish.bare > 0 and wish.withhold >= _ORDERS and KEEPS in kinds and POINTS not in kinds
    if code in languages and (points or not commands) and (is_order or _may_forget(wish, said, points=points)):
        topic = _topic_before(said, wish.forget_at) if points else _topic(said[wish.forget_at])
        return (_command(Name.FORGET_ABOUT, code, _PERHAPS, topic=topic),) if topic else tuple(commands)
    return tuple(_doubted(command) if wish.forget < _SIGHS else command for command in commands)


def _may_forget(wish: Wish, said: Sequence[MessageSentence], *, points: bool) -> bool:
    """True if a message may wish that a topic is forgotten. `points`: a phrase of it says so, but names none."""
    least = _SIGHS if points else _ERASES if ERASES in kinds_of(tokens(said[wish.forget_at].shown)) else _FORGETS
    return wish.forget >= least and len(said) <= _MOST_OF_ORDER


def _withheld(
    commands: Sequence[ChatCommand], wish: Wish, code: str, sentences: int, *, is_erasing: bool, has_tag: bool
) -> ChatCommand | None:
    """Return the wish of a message not to be kept; None if it has none, or rather a command."""
    forgets = [command for command in commands if command.name in _OF_THIS]
    is_bare = wish.bare > 0
    is_marked = is_erasing or has_tag
    is_rather_of_topic = wish.withhold < _FIRM and wish.forget >= max(_FORGETS, wish.withhold)
    if (
        wish.withhold < (_MARKED if is_marked else _ASKED)
        or is_rather_of_topic
        or any(command.topic and _is_meant(command, wish) for command in forgets)
    ):
        return None
    plain = any(command.is_sure for command in forgets)
    is_whole = is_bare or sentences == 1
    is_plain_order = is_whole and any(command.confidence > SURE and not command.topic for command in forgets)
    if plain and (is_plain_order or wish.withhold < _OUTDOES):
        return None
    others = (
        commands if sentences == 1 or wish.withhold < _FIRM else [command for command in commands if command not in forgets]
    )
    is_doubted = (is_erasing and bool(forgets)) or any(command.confidence >= _PLAIN for command in others)
    if is_bare and not plain and is_doubted:
        return None
    if wish.next > _NEXT and wish.bare > _TELLS:
        return _command(Name.NOT_NEXT, code, _CERTAIN)
    if is_bare and wish.before > _BEFORE and wish.withhold >= _SURE and (plain or not is_erasing):
        return _command(Name.FORGET_THAT, code, _CERTAIN)
    is_certain = sentences <= _FEW_SENTENCES and (plain or wish.withhold >= _SURE)
    return _command(Name.NOT_THIS, code, _CERTAIN if is_certain else _LIKELY, may_mean_before=is_bare)


def _destroying_nothing(command: ChatCommand) -> ChatCommand:
    """Return a wish about what was said before as one about the message, and a question about what was said before."""
    if command.name is not Name.FORGET_THAT:
        return command
    return _command(Name.NOT_THIS, command.language, command.confidence, may_mean_before=True)


def _is_meant(command: ChatCommand, wish: Wish) -> bool:
    """True if the topic of a command is to be forgotten, rather than a message not kept."""
    return wish.forget > wish.withhold or (command.is_sure and wish.forget >= _SIGHS and wish.withhold < _SURE)


def _command(
    name: Name, code: str, confidence: float, *, topic: str | None = None, may_mean_before: bool = False
) -> ChatCommand:
    return ChatCommand(
        name, topic=topic, scope=usual_scope(name), confidence=confidence, may_mean_before=may_mean_before, language=code
    )


def _doubted(command: ChatCommand) -> ChatCommand:
    """Return a command to forget a topic as a doubtful one."""
    is_doubted = command.name is Name.FORGET_ABOUT and command.confidence > _PERHAPS
    return replace(command, confidence=_PERHAPS, is_request=False) if is_doubted else command


def _topic(sentence: MessageSentence) -> str | None:
    """Return what is named in a sentence, without the words that say only what is to be done with it; None if nothing is.

    >>> [_topic(*message_sentences(text)) for text in ("drop that lawyer stuff, ok?", "Forget about it!")]
    ['lawyer', None]
    """
    clauses = sorted(_clauses(sentence), key=lambda words: ERASES not in kinds_of(tokens(" ".join(words))))
    return next(filter(None, map(_name, clauses)), None)


def _topic_before(said: Sequence[MessageSentence], at: int) -> str | None:
    """Return what is named, with a word that points to it, before what says to forget it: `that lawyer stuff, forget it`."""
    before = [clause for sentence in said[max(at - 1, 0) : at] if not sentence.is_question for clause in _clauses(sentence)]
    before += takewhile(lambda clause: ERASES not in kinds_of(tokens(" ".join(clause))), _clauses(said[at]))
    found = [(_name(clause), clause) for clause in before]
    return next((name for name, clause in reversed(found) if name and not clause[0].startswith(name.split()[0])), None)


def _clauses(sentence: MessageSentence) -> list[list[str]]:
    return [clause.split() for clause in _BREAK.split(sentence.shown)]


def _name(words: Sequence[str]) -> str | None:
    names = [at for at, word in enumerate(words) if not all(map(is_filler, tokens(word)))]
    topic = words[names[0] : names[-1] + 1] if names else ()
    return " ".join(topic).strip(_AROUND) if 0 < len(topic) <= _LONGEST_TOPIC else None
