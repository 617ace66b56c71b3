"""The table of a language file with the words by which a wish not to be kept is told where no phrase matches."""

from functools import cached_property
from itertools import product
from typing import Annotated, ClassVar

from pydantic import AfterValidator

from shared.contracts.contract import Contract
from shared.language.commands import phrases

NormalWords = Annotated[frozenset[str], AfterValidator(lambda words: frozenset(map(phrases.normal, words)))]
"""Words in the form in which phrases see them."""


NO_WORDS: frozenset[str] = frozenset()

_DONE, _DOING = ("ed", "en", "pt", "ld"), ("ing",)
"""Endings of verbs: of what is kept, and of keeping."""


class WordKinds(Contract):
    """Words of a clause, by what they are there for."""

    dependent: ClassVar[frozenset[str]] = frozenset()
    """The fields of those that are none of such a clause's words by themselves."""

    @cached_property
    def every(self) -> frozenset[str]:
        """All these words, but the dependent ones."""
        named = (words for name, words in self if name not in self.dependent)
        return frozenset[str]().union(*(words for words in named if isinstance(words, frozenset)))


class BareWords(WordKinds):
    """The words of a clause that is nothing but a wish not to be kept. Such a clause has no others."""

    dependent = frozenset(("up",))
    """Those that stand only after another."""

    words: NormalWords = NO_WORDS  # words that say nothing by themselves: `please`, `supposed`
    refuses: NormalWords = NO_WORDS  # words that deny here, beside `denies`: `never`
    away: NormalWords = NO_WORDS  # words that deny together with a place: `out` of your memory
    bans: NormalWords = NO_WORDS  # the `no` of `no saving`
    gerunds: NormalWords = NO_WORDS  # what after `bans` is a wish: `saving`
    banned: NormalWords = NO_WORDS  # what else may stand after it: `no need to store this`
    plain: NormalWords = NO_WORDS  # the `not` of `not to be stored`
    infinitives: NormalWords = NO_WORDS  # the `to` of `not to be stored`
    somethings: NormalWords = NO_WORDS  # words after what denies that mean what is said: `not something to write down`
    up: NormalWords = NO_WORDS  # words that belong to `moves`: `up`
    holds: NormalWords = NO_WORDS  # verbs that mean keeping in such a clause: `hold`
    moves: NormalWords = NO_WORDS  # verbs that mean it together with a place: `end up`
    places: NormalWords = NO_WORDS  # places in such a clause: `head`
    these: NormalWords = NO_WORDS  # words for what is said
    vague: NormalWords = NO_WORDS  # words for what is said where a place or the bot is named too: `it`
    tells: NormalWords = NO_WORDS  # what the person does: `I tell`
    told: NormalWords = NO_WORDS  # what the person did: `I told`
    relatives: NormalWords = NO_WORDS  # words before these: `what I told you`
    earlier: NormalWords = NO_WORDS  # words by which what went before is meant
    next: NormalWords = NO_WORDS  # words by which what follows is meant
    soon: NormalWords = NO_WORDS  # words before `tells` by which what follows is meant: `about to`
    past: NormalWords = NO_WORDS  # words of what has happened: such a clause wishes nothing, but with `supposes`
    supposes: NormalWords = NO_WORDS  # `if`, `rather`
    dares: NormalWords = NO_WORDS  # what follows in `don't you dare`, and not in the question `don't you remember this`
    tires: NormalWords = NO_WORDS  # what denies in a complaint: `you never remember this`
    fails: NormalWords = NO_WORDS  # what denies for the person where no one else is named: `can't keep this`
    own: NormalWords = NO_WORDS  # words for the person who does something
    pretends: NormalWords = NO_WORDS  # `pretend`, `act`
    never: NormalWords = NO_WORDS  # what denies in `I never said this`
    hears: NormalWords = NO_WORDS  # verbs of saying and hearing: `said`, `heard`
    erases: NormalWords = NO_WORDS  # verbs of erasing
    later: NormalWords = NO_WORDS  # when: `afterwards`


_WEIGHED = (
    "facts",
    "personal",
    "minds",
    "rests",
    "frees",
    "bins",
    "around",
    "leaves",
    "loose",
    "whens",
    "somethings",
    "infinitives",
    "together_with",
    "persons",
    "becomes",
    "bare_things",
    "this",
    "nouns",
    "files",
    "gone",
    "from_",
    "bare_verbs",
    "ends",
    "strays",
)
"""Those that only `weighed` reads."""


class DoubtWords(WordKinds):
    """The words of a clause that may be a wish not to be kept: explained in doubted.py."""

    dependent = frozenset(("opens", "verbal", "verbs", "amid", "closes", "restarts", "articles", "finals", *_WEIGHED))
    """Those that only say where a wish begins or ends."""

    words: NormalWords = NO_WORDS  # words that say nothing by themselves
    endings: tuple[str, ...] = ()  # endings of more such words: `honestly`
    denies: NormalWords = NO_WORDS  # words that deny
    bans: NormalWords = NO_WORDS  # those that deny a thing: `no` notes on this
    after: NormalWords = NO_WORDS  # those that deny after what keeps: `remember nothing of this`
    away: NormalWords = NO_WORDS  # words that deny together with a place: `out` of your notes
    fails: NormalWords = NO_WORDS  # what denies that somebody is able to
    keeps: NormalWords = NO_WORDS  # forms of verbs of keeping, and of nouns
    strict: NormalWords = NO_WORDS  # those that mean nothing else: what is not to be kept may follow them, `that I cried`
    moves: NormalWords = NO_WORDS  # verbs that mean keeping together with a place
    places: NormalWords = NO_WORDS  # where things are kept
    these: NormalWords = NO_WORDS  # words for what is said
    vague: NormalWords = NO_WORDS  # words for what is said where every other word is known
    next: NormalWords = NO_WORDS  # words by which what follows is meant
    yours: NormalWords = NO_WORDS  # words for the bot
    own: NormalWords = NO_WORDS  # words for the person who does something
    owners: NormalWords = NO_WORDS  # first words of what another thing is told of
    others: NormalWords = NO_WORDS  # words of clauses about somebody else
    past: NormalWords = NO_WORDS  # words of what has happened
    asks: NormalWords = NO_WORDS  # first words of questions
    relatives: NormalWords = NO_WORDS  # first words of a question or of what is said: `what`
    whys: NormalWords = NO_WORDS  # first words of questions that are never requests
    dares: NormalWords = NO_WORDS  # what follows in `don't you dare`
    whether: NormalWords = NO_WORDS  # words after which something is asked: `don't remember if I told you`
    tires: NormalWords = NO_WORDS  # what denies in a complaint: `you never remember this`
    there: NormalWords = NO_WORDS  # first words of what only says that something is: `there is no record of this`
    is_so: NormalWords = NO_WORDS  # what follows them then: `is`
    wants: NormalWords = NO_WORDS  # words of wishes and conditions: what follows `I want` is one
    polite: NormalWords = NO_WORDS  # `please`
    binds: NormalWords = NO_WORDS  # words by which `you will not remember` is a wish: `promise`
    tells: NormalWords = NO_WORDS  # forms of `say`: what follows `I` is what is said
    content: NormalWords = NO_WORDS  # words after which what is told may begin: `that` I cried
    about: NormalWords = NO_WORDS  # words after which it begins with any word: `no notes about` Tom
    mine: NormalWords = NO_WORDS  # words that begin it then: `my`
    of: NormalWords = NO_WORDS  # words before what a thing is of: `notes on this`
    erases: NormalWords = NO_WORDS  # verbs of erasing
    later: NormalWords = NO_WORDS  # when: `afterwards`
    vanishes: NormalWords = NO_WORDS  # verbs of vanishing
    pretends: NormalWords = NO_WORDS  # `pretend`
    never: NormalWords = NO_WORDS  # what denies in `I never said it`
    hears: NormalWords = NO_WORDS  # verbs of saying and hearing
    secret: NormalWords = NO_WORDS  # words of secrecy: `confidential`
    stays: NormalWords = NO_WORDS  # the `stays` of `this stays here`
    here: NormalWords = NO_WORDS  # the `here` of it
    nobody: NormalWords = NO_WORDS  # words for no person
    anybody: NormalWords = NO_WORDS  # words for any person, which something else denies
    shall: NormalWords = NO_WORDS  # what is between: nobody `needs to` know
    knows: NormalWords = NO_WORDS  # what nobody is to do: `know`
    spreads: NormalWords = NO_WORDS  # what is not to be done: `repeat` this
    opens: NormalWords = NO_WORDS  # words with which a wish may begin without a comma: `please`
    verbal: NormalWords = NO_WORDS  # those that may belong to what stands before them: `don't`
    verbs: NormalWords = NO_WORDS  # words by which that is a sentence of its own: `is`
    plurals: tuple[str, ...] = ()  # endings of what `don't` may be said of: `s`
    amid: NormalWords = NO_WORDS  # words after which no wish begins, beside `speaks` of the language: `really`
    closes: NormalWords = NO_WORDS  # words with which a wish may end without a comma: `this`
    restarts: NormalWords = NO_WORDS  # words with which what is told may begin then, beside `mine`: `she`
    together: NormalWords = NO_WORDS  # the `we` of `we never had this conversation`
    talks: NormalWords = NO_WORDS  # the `conversation` of it
    articles: NormalWords = NO_WORDS  # words before a thing: in `the` log
    reasons: NormalWords = NO_WORDS  # words before what is done: no `point` keeping this
    finals: NormalWords = NO_WORDS  # words that only end a clause: `please`
    undoes: NormalWords = NO_WORDS  # verbs of undoing what was heard: `unhear`
    facts: NormalWords = NO_WORDS  # words before what is told: the `fact` that I cried
    personal: NormalWords = NO_WORDS  # what is personal after `mine`: my `salary`
    minds: NormalWords = NO_WORDS  # what a bot keeps things with: its `memory`
    rests: NormalWords = NO_WORDS  # what that is to do: `rest`
    frees: NormalWords = NO_WORDS  # what denies in a compound: memory-`free`
    bins: NormalWords = NO_WORDS  # where things are destroyed: `shredder`
    around: NormalWords = NO_WORDS  # what means staying: lying `around`
    leaves: NormalWords = NO_WORDS  # what the person does when it is over: `leave`, `log` off
    loose: NormalWords = NO_WORDS  # those of `shall` that wish nothing by themselves: `has`
    whens: NormalWords = NO_WORDS  # words that begin when something is to be: `once`
    somethings: NormalWords = NO_WORDS  # `something`, `business`
    infinitives: NormalWords = NO_WORDS  # the `to` of `I want to save`
    together_with: NormalWords = NO_WORDS  # words before `we` that ask: `can` we not save this
    becomes: NormalWords = NO_WORDS  # the `be` of `is to be forgotten`
    bare_things: NormalWords = NO_WORDS  # things that nobody has of this: `trace`
    this: NormalWords = NO_WORDS  # words for what is said, and nothing else: `this`
    nouns: NormalWords = NO_WORDS  # things that may follow them, and then are meant: this `place`
    files: NormalWords = NO_WORDS  # places that are the person's, though the bot keeps them: my `profile`
    gone: NormalWords = NO_WORDS  # what is erased already: `gone`
    from_: NormalWords = NO_WORDS  # words before what something else is erased of: `from` my phone
    bare_verbs: NormalWords = NO_WORDS  # verbs that `no` does not deny: no, `save` this
    ends: NormalWords = NO_WORDS  # verbs of ending: don't `stop` recording
    strays: NormalWords = NO_WORDS  # words of erasing, secrecy and places that mean much else: `drop`, `confidence`
    persons: NormalWords = NO_WORDS  # words for a person who is kept something, or is kept: save `me` a seat
    has_free_order: bool = False  # whether what denies may stand after what keeps

    @cached_property
    def least(self) -> frozenset[str]:
        """Words one of which is in every such clause."""
        return (
            self.keeps
            | self.places
            | self.erases
            | self.vanishes
            | self.minds
            | self.bins
            | self.around
            | self.pretends
            | self.secret
            | self.stays
            | self.knows
            | self.spreads
        )

    @cached_property
    def weighed(self) -> frozenset[str]:
        """All words that `weighed` knows."""
        return self.every.union(*(getattr(self, name) for name in _WEIGHED))


class BygoneWords(WordKinds):
    """The words of a clause about what the person said before: explained in bygone.py."""

    words: NormalWords = NO_WORDS  # words that say nothing by themselves
    earlier: NormalWords = NO_WORDS  # words by which a thing is what went before: `last`
    lately: NormalWords = NO_WORDS  # last words by which it is that too: `that thing about my ex just now`
    things: NormalWords = NO_WORDS  # words for what was said: `message`
    now: NormalWords = NO_WORDS  # words by which `what I said` is the message itself: `here`
    that: NormalWords = NO_WORDS  # words that point at what was said: `that`
    past: NormalWords = NO_WORDS  # words of what has happened
    regrets: NormalWords = NO_WORDS  # words of regret, and why it is not to be kept: `shouldn't`, `private`


class CueWords(Contract):
    """The words by which a wish is told in one language."""

    denies: NormalWords = NO_WORDS  # words that deny: `not`, `without`
    keeps: NormalWords = NO_WORDS  # forms of verbs: `saved`
    places: NormalWords = NO_WORDS  # where things are kept: `memory`
    points: NormalWords = NO_WORDS  # words for what is said: `this`, `message`
    addressed: NormalWords = NO_WORDS  # words for the bot: `you`, `your`
    general: NormalWords = NO_WORDS  # words after `this` that do not make it another thing
    wants: NormalWords = NO_WORDS  # what may stand between `I don't` and what the bot keeps
    selves: NormalWords = NO_WORDS  # `I`, `we`
    others: NormalWords = NO_WORDS  # words of clauses about somebody else
    asks: NormalWords = NO_WORDS  # first words of questions that are no requests
    owners: NormalWords = NO_WORDS  # first words of what is no wish: `my phone doesn't ...`
    next: NormalWords = NO_WORDS  # words of a wish about what is said next
    ends: NormalWords = NO_WORDS  # words that end what was done before: with a topic, it is to be forgotten
    tags: NormalWords = NO_WORDS  # hashtags by which it is asked: `#private`
    tag_denies: NormalWords = NO_WORDS  # what denies in other hashtags: the `no` of `#nologs`
    tag_keeps: NormalWords = NO_WORDS  # what keeps in them; a word of `these` may follow
    tag_secret: NormalWords = NO_WORDS  # what may stand in them before a word of secrecy: `#keepthisprivate`
    reports: NormalWords = NO_WORDS  # verbs by which something is asked of somebody else: `I told the waiter not to`
    bare: BareWords = BareWords()  # words of clauses that are nothing but such a wish
    doubt: DoubtWords = DoubtWords()  # words of clauses that may be one, beside all these
    bygone: BygoneWords = BygoneWords()  # words of clauses about what was said before

    @cached_property
    def least(self) -> frozenset[str]:
        """Words one of which is in every such wish."""
        bare, doubts = self.bare, self.doubts
        cued = self.keeps | self.places | self.tags | bare.holds | bare.places | bare.erases | bare.hears
        return cued | doubts.least | self.hashtags

    @cached_property
    def of_wishes(self) -> frozenset[str]:
        """All words that a clause may have which is nothing but a wish."""
        return self.bare.every.union(self.denies, self.keeps, self.places, self.points, self.addressed, self.wants, self.selves)

    @cached_property
    def hashtags(self) -> frozenset[str]:
        """All hashtags by which it is asked, without their sign."""
        things = ("", *self.doubts.these, *self.doubts.vague)
        denied = {"".join(each) for each in product(self.tag_denies, self.tag_keeps, things)}
        return self.tags | denied | {"".join(each) for each in product(self.tag_secret, self.doubts.secret)}

    @cached_property
    def kinds(self) -> dict[str, str]:
        """The kind of each word as `learned` names it; a word of no kind is its own."""
        doubt = self.doubts
        words = doubt.weighed | self.bygone.every | self.others | self.asks | self.owners | self.reports
        keeps = doubt.strict | self.bare.holds
        done, doing = (frozenset(word for word in keeps if word.endswith(ends)) for ends in (_DONE, _DOING))
        named = (
            ("O", self.others | doubt.others),
            ("V", doubt.vague),
            ("X", doubt.this),
            ("I", doubt.own),
            ("Y", doubt.yours),
            ("N", doubt.denies - doubt.away),
            ("T", doubt.hears | doubt.tells),
            ("S", doubt.secret - doubt.strays),
            ("P", (doubt.places | doubt.minds) - doubt.strays),
            ("E", doubt.erases - doubt.strays),
            ("K", keeps),
            ("Kd", done),
            ("Kg", doing),
            ("V", self.bare.vague),
        )
        return {word: word for word in words} | {word: kind for kind, some in named for word in some}

    @cached_property
    def doubts(self) -> DoubtWords:
        """The words of doubtful clauses, with those of certain ones that mean the same there."""
        bare, doubt = self.bare, self.doubt
        more = {
            "words": bare.every | self.general,
            "denies": self.denies | bare.refuses,
            "bans": bare.bans,
            "away": bare.away,
            "fails": bare.fails,
            "keeps": self.keeps | bare.holds | bare.gerunds | doubt.strict,
            "strict": self.keeps,
            "moves": bare.moves,
            "places": self.places | bare.places,
            "these": self.points | bare.these,
            "vague": bare.vague,
            "next": self.next | bare.next,
            "yours": self.addressed,
            "own": bare.own,
            "owners": self.owners,
            "others": self.others - doubt.anybody,
            "past": bare.past,
            "asks": self.asks,
            "dares": bare.dares,
            "wants": self.wants | bare.supposes,
            "tells": bare.tells | bare.told,
            "erases": bare.erases,
            "later": bare.later,
            "pretends": bare.pretends,
            "never": bare.never,
            "hears": bare.hears,
        }
        return doubt.model_copy(update={name: words | getattr(doubt, name) for name, words in more.items()})
