"""The table of a language file with the words by which a wish not to be kept is told where no phrase matches."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from shared.chat import phrases
from shared.contracts.contract import Contract

NormalWords = Annotated[frozenset[str], AfterValidator(lambda words: frozenset(map(phrases.normal, words)))]
"""Words in the form in which phrases see them."""


def listed(description: str) -> Any:  # noqa: ANN401 - as Field itself, so that it may stand for a value
    """A field of a language file that may be left out."""
    return Field(default=(), validate_default=True, description=description)


class BareWords(Contract):
    """The words of a clause that is nothing but a wish not to be kept. Such a clause has no others."""

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

    @property
    def every(self) -> frozenset[str]:
        """All these words, but those that stand only after another."""
        return frozenset[str]().union(*(getattr(self, name) for name in type(self).model_fields if name != "up"))


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
    reports: NormalWords = listed("Verbs by which something is asked of somebody else: `I told the waiter not to`.")
    bare: BareWords = Field(default=BareWords(), description="Words of clauses that are nothing but such a wish.")

    @property
    def least(self) -> frozenset[str]:
        """Words one of which is in every such wish."""
        bare = self.bare
        return self.keeps | self.places | self.tags | bare.holds | bare.places | bare.erases | bare.hears
