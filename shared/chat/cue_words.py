"""The table of a language file with the words by which a wish not to be kept is told where no phrase matches."""

from functools import cached_property
from itertools import product
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field

from shared.chat import phrases
from shared.contracts.contract import Contract

NormalWords = Annotated[frozenset[str], AfterValidator(lambda words: frozenset(map(phrases.normal, words)))]
"""Words in the form in which phrases see them."""


def listed(description: str) -> Any:  # noqa: ANN401 - as Field itself, so that it may stand for a value
    """A field of a language file that may be left out."""
    return Field(default=(), validate_default=True, description=description)


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

    words: NormalWords = listed("Words that say nothing by themselves: `please`, `supposed`.")
    refuses: NormalWords = listed("Words that deny here, beside `denies`: `never`.")
    away: NormalWords = listed("Words that deny together with a place: `out` of your memory.")
    bans: NormalWords = listed("The `no` of `no saving`.")
    gerunds: NormalWords = listed("What after `bans` is a wish: `saving`.")
    banned: NormalWords = listed("What else may stand after it: `no need to store this`.")
    plain: NormalWords = listed("The `not` of `not to be stored`.")
    infinitives: NormalWords = listed("The `to` of `not to be stored`.")
    somethings: NormalWords = listed("Words after what denies that mean what is said: `not something to write down`.")
    up: NormalWords = listed("Words that belong to `moves`: `up`.")
    holds: NormalWords = listed("Verbs that mean keeping in such a clause: `hold`.")
    moves: NormalWords = listed("Verbs that mean it together with a place: `end up`.")
    places: NormalWords = listed("Places in such a clause: `head`.")
    these: NormalWords = listed("Words for what is said.")
    vague: NormalWords = listed("Words for what is said where a place or the bot is named too: `it`.")
    tells: NormalWords = listed("What the person does: `I tell`.")
    told: NormalWords = listed("What the person did: `I told`.")
    relatives: NormalWords = listed("Words before these: `what I told you`.")
    earlier: NormalWords = listed("Words by which what went before is meant.")
    next: NormalWords = listed("Words by which what follows is meant.")
    soon: NormalWords = listed("Words before `tells` by which what follows is meant: `about to`.")
    past: NormalWords = listed("Words of what has happened: such a clause wishes nothing, but with `supposes`.")
    supposes: NormalWords = listed("`if`, `rather`.")
    dares: NormalWords = listed("What follows in `don't you dare`, and not in the question `don't you remember this`.")
    tires: NormalWords = listed("What denies in a complaint: `you never remember this`.")
    fails: NormalWords = listed("What denies for the person where no one else is named: `can't keep this`.")
    own: NormalWords = listed("Words for the person who does something.")
    pretends: NormalWords = listed("`pretend`, `act`.")
    never: NormalWords = listed("What denies in `I never said this`.")
    hears: NormalWords = listed("Verbs of saying and hearing: `said`, `heard`.")
    erases: NormalWords = listed("Verbs of erasing.")
    later: NormalWords = listed("When: `afterwards`.")


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

    words: NormalWords = listed("Words that say nothing by themselves.")
    endings: tuple[str, ...] = listed("Endings of more such words: `honestly`.")
    denies: NormalWords = listed("Words that deny.")
    bans: NormalWords = listed("Those that deny a thing: `no` notes on this.")
    after: NormalWords = listed("Those that deny after what keeps: `remember nothing of this`.")
    away: NormalWords = listed("Words that deny together with a place: `out` of your notes.")
    fails: NormalWords = listed("What denies that somebody is able to.")
    keeps: NormalWords = listed("Forms of verbs of keeping, and of nouns.")
    strict: NormalWords = listed("Those that mean nothing else: what is not to be kept may follow them, `that I cried`.")
    moves: NormalWords = listed("Verbs that mean keeping together with a place.")
    places: NormalWords = listed("Where things are kept.")
    these: NormalWords = listed("Words for what is said.")
    vague: NormalWords = listed("Words for what is said where every other word is known.")
    next: NormalWords = listed("Words by which what follows is meant.")
    yours: NormalWords = listed("Words for the bot.")
    own: NormalWords = listed("Words for the person who does something.")
    owners: NormalWords = listed("First words of what another thing is told of.")
    others: NormalWords = listed("Words of clauses about somebody else.")
    past: NormalWords = listed("Words of what has happened.")
    asks: NormalWords = listed("First words of questions.")
    relatives: NormalWords = listed("First words of a question or of what is said: `what`.")
    whys: NormalWords = listed("First words of questions that are never requests.")
    dares: NormalWords = listed("What follows in `don't you dare`.")
    whether: NormalWords = listed("Words after which something is asked: `don't remember if I told you`.")
    tires: NormalWords = listed("What denies in a complaint: `you never remember this`.")
    there: NormalWords = listed("First words of what only says that something is: `there is no record of this`.")
    is_so: NormalWords = listed("What follows them then: `is`.")
    wants: NormalWords = listed("Words of wishes and conditions: what follows `I want` is one.")
    polite: NormalWords = listed("`please`.")
    binds: NormalWords = listed("Words by which `you will not remember` is a wish: `promise`.")
    tells: NormalWords = listed("Forms of `say`: what follows `I` is what is said.")
    content: NormalWords = listed("Words after which what is told may begin: `that` I cried.")
    about: NormalWords = listed("Words after which it begins with any word: `no notes about` Tom.")
    mine: NormalWords = listed("Words that begin it then: `my`.")
    of: NormalWords = listed("Words before what a thing is of: `notes on this`.")
    erases: NormalWords = listed("Verbs of erasing.")
    later: NormalWords = listed("When: `afterwards`.")
    vanishes: NormalWords = listed("Verbs of vanishing.")
    pretends: NormalWords = listed("`pretend`.")
    never: NormalWords = listed("What denies in `I never said it`.")
    hears: NormalWords = listed("Verbs of saying and hearing.")
    secret: NormalWords = listed("Words of secrecy: `confidential`.")
    stays: NormalWords = listed("The `stays` of `this stays here`.")
    here: NormalWords = listed("The `here` of it.")
    nobody: NormalWords = listed("Words for no person.")
    anybody: NormalWords = listed("Words for any person, which something else denies.")
    shall: NormalWords = listed("What is between: nobody `needs to` know.")
    knows: NormalWords = listed("What nobody is to do: `know`.")
    spreads: NormalWords = listed("What is not to be done: `repeat` this.")
    opens: NormalWords = listed("Words with which a wish may begin without a comma: `please`.")
    verbal: NormalWords = listed("Those that may belong to what stands before them: `don't`.")
    verbs: NormalWords = listed("Words by which that is a sentence of its own: `is`.")
    plurals: tuple[str, ...] = listed("Endings of what `don't` may be said of: `s`.")
    amid: NormalWords = listed("Words after which no wish begins, beside `speaks` of the language: `really`.")
    closes: NormalWords = listed("Words with which a wish may end without a comma: `this`.")
    restarts: NormalWords = listed("Words with which what is told may begin then, beside `mine`: `she`.")
    together: NormalWords = listed("The `we` of `we never had this conversation`.")
    talks: NormalWords = listed("The `conversation` of it.")
    articles: NormalWords = listed("Words before a thing: in `the` log.")
    reasons: NormalWords = listed("Words before what is done: no `point` keeping this.")
    finals: NormalWords = listed("Words that only end a clause: `please`.")
    undoes: NormalWords = listed("Verbs of undoing what was heard: `unhear`.")
    facts: NormalWords = listed("Words before what is told: the `fact` that I cried.")
    personal: NormalWords = listed("What is personal after `mine`: my `salary`.")
    minds: NormalWords = listed("What a bot keeps things with: its `memory`.")
    rests: NormalWords = listed("What that is to do: `rest`.")
    frees: NormalWords = listed("What denies in a compound: memory-`free`.")
    bins: NormalWords = listed("Where things are destroyed: `shredder`.")
    around: NormalWords = listed("What means staying: lying `around`.")
    leaves: NormalWords = listed("What the person does when it is over: `leave`, `log` off.")
    loose: NormalWords = listed("Those of `shall` that wish nothing by themselves: `has`.")
    whens: NormalWords = listed("Words that begin when something is to be: `once`.")
    somethings: NormalWords = listed("`something`, `business`.")
    infinitives: NormalWords = listed("The `to` of `I want to save`.")
    together_with: NormalWords = listed("Words before `we` that ask: `can` we not save this.")
    becomes: NormalWords = listed("The `be` of `is to be forgotten`.")
    bare_things: NormalWords = listed("Things that nobody has of this: `trace`.")
    this: NormalWords = listed("Words for what is said, and nothing else: `this`.")
    nouns: NormalWords = listed("Things that may follow them, and then are meant: this `place`.")
    files: NormalWords = listed("Places that are the person's, though the bot keeps them: my `profile`.")
    gone: NormalWords = listed("What is erased already: `gone`.")
    from_: NormalWords = listed("Words before what something else is erased of: `from` my phone.")
    bare_verbs: NormalWords = listed("Verbs that `no` does not deny: no, `save` this.")
    ends: NormalWords = listed("Verbs of ending: don't `stop` recording.")
    strays: NormalWords = listed("Words of erasing, secrecy and places that mean much else: `drop`, `confidence`.")
    persons: NormalWords = listed("Words for a person who is kept something, or is kept: save `me` a seat.")
    has_free_order: bool = Field(default=False, description="Whether what denies may stand after what keeps.")

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

    words: NormalWords = listed("Words that say nothing by themselves.")
    earlier: NormalWords = listed("Words by which a thing is what went before: `last`.")
    lately: NormalWords = listed("Last words by which it is that too: `that thing about my ex just now`.")
    things: NormalWords = listed("Words for what was said: `message`.")
    now: NormalWords = listed("Words by which `what I said` is the message itself: `here`.")
    that: NormalWords = listed("Words that point at what was said: `that`.")
    past: NormalWords = listed("Words of what has happened.")
    regrets: NormalWords = listed("Words of regret, and why it is not to be kept: `shouldn't`, `private`.")


class CueWords(Contract):
    """The words by which a wish is told in one language."""

    denies: NormalWords = listed("Words that deny: `not`, `without`.")
    keeps: NormalWords = listed("Forms of verbs: `saved`.")
    places: NormalWords = listed("Where things are kept: `memory`.")
    points: NormalWords = listed("Words for what is said: `this`, `message`.")
    addressed: NormalWords = listed("Words for the bot: `you`, `your`.")
    general: NormalWords = listed("Words after `this` that do not make it another thing.")
    wants: NormalWords = listed("What may stand between `I don't` and what the bot keeps.")
    selves: NormalWords = listed("`I`, `we`.")
    others: NormalWords = listed("Words of clauses about somebody else.")
    asks: NormalWords = listed("First words of questions that are no requests.")
    owners: NormalWords = listed("First words of what is no wish: `my phone doesn't ...`.")
    next: NormalWords = listed("Words of a wish about what is said next.")
    ends: NormalWords = listed("Words that end what was done before: with a topic, it is to be forgotten.")
    tags: NormalWords = listed("Hashtags by which it is asked: `#private`.")
    tag_denies: NormalWords = listed("What denies in other hashtags: the `no` of `#nologs`.")
    tag_keeps: NormalWords = listed("What keeps in them; a word of `these` may follow.")
    tag_secret: NormalWords = listed("What may stand in them before a word of secrecy: `#keepthisprivate`.")
    reports: NormalWords = listed("Verbs by which something is asked of somebody else: `I told the waiter not to`.")
    bare: BareWords = Field(default=BareWords(), description="Words of clauses that are nothing but such a wish.")
    doubt: DoubtWords = Field(default=DoubtWords(), description="Words of clauses that may be one, beside all these.")
    bygone: BygoneWords = Field(default=BygoneWords(), description="Words of clauses about what was said before.")

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
