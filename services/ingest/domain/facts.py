"""Records a fact: as a new memory, or as a repeat of one that says the same.

Only facts are compared; an episode is what was said, and is kept as often as it was said.
Source: ../reference/memory-upgrade-spec.md, "Write Path Policy", under the rulings of design/mission.md.
"""

from collections.abc import Collection, Sequence

from services.ingest.domain.capacity import keep_to_the_cap
from services.ingest.domain.claims import keys_sought, sought_by
from services.ingest.domain.lacks import Aspect, Needs
from services.ingest.domain.names import called_in
from services.ingest.domain.own_name import known_by_name
from services.ingest.domain.recognising import likeness_of
from services.ingest.domain.repeats import repeat
from services.ingest.domain.ruling import Ruling
from services.ingest.domain.superseding import reconcile
from services.ingest.domain.told_fact import ToldFact
from services.ingest.domain.twins import find_twin
from services.ingest.domain.weighing import weigh
from services.ingest.domain.withholding import beside_its_words, lifted_by_hand, lifted_by_mention, require_memory
from shared.contracts.commands import RememberFact
from shared.contracts.events import FactRemembered
from shared.contracts.ids import MemoryId


def remember_fact(command: RememberFact, ruling: Ruling) -> None:
    """Save a fact; by hand even one that was forgotten. Raises MemoryOff, Incognito, or Forgotten within the time."""
    require_memory(ruling.state, session_id=command.session_id)
    told = known_by_name(ToldFact.by_hand(command, ruling.given), ruling)
    look_up_for([told], ruling)
    lifted = lifted_by_hand if command.manually_saved else lifted_by_mention
    ruling.add_all(lifted(command.text, ruling.state, ruling.given))
    tell(beside_its_words(told, ruling.state, ruling.given), ruling)
    keep_to_the_cap(ruling)


def look_up_for(facts: Sequence[ToldFact], ruling: Ruling) -> None:
    """Ask at once for all that is needed to record these facts, so that nothing is decided twice. Raises Lacks."""
    state, given = ruling.state, ruling.given
    if state.known is None:
        return
    told = {likeness_of(fact.text, given.digester) for fact in facts}
    called = {one for fact in facts if (one := called_in(fact.text, given.digester))}
    claims = {each for fact in facts for each in sought_by(keys_sought(fact.claims(given.digester)), fact.told_at(given.now))}
    is_short = state.live + len(facts) > given.policy.cap(state.settings)
    state.require(Needs(told=told, called=called, claims=claims, aspects={Aspect.RIVALS} if is_short else set()))


def tell(told: ToldFact, ruling: Ruling, *, apart_from: Collection[MemoryId] = ()) -> MemoryId:
    """Record a fact, as a repeat if a live or retired one says the same, and end what does not hold any more by it.

    `apart_from`: facts that are not compared with it.
    """
    twin = find_twin(told, ruling, apart_from=apart_from)
    if twin:
        repeat(twin, told, ruling)
    memory_id = twin.memory_id if twin else _remember(told, ruling)
    reconcile(memory_id, told, ruling, is_new=twin is None, apart_from=apart_from)
    return memory_id


def _remember(told: ToldFact, ruling: Ruling) -> MemoryId:
    found, importance = weigh(told)
    remembered = FactRemembered(
        memory_id=ruling.new_memory_id("fact"),
        text=told.text,
        session_id=told.session_id,
        message_id=told.message_id,
        source_ids=told.source_ids,
        tags=found.tags,
        entities=found.entities,
        manually_saved=told.manually_saved,
        pinned=told.pins(ruling.given.policy, ruling.state.settings),
        confidence=told.confidence,
        decay_rate=ruling.given.policy.rate_of(told.stated),
        importance=importance.value,
        importance_parts=importance.parts,
        metadata_confidence=found.metadata_confidence,
        slots=told.stated,
        is_whole=told.is_whole,
        says_more=told.says_more,
        imported=told.imported,
        origin=told.origin,
    )
    ruling.add(remembered, told.occurred_at)
    return remembered.memory_id
