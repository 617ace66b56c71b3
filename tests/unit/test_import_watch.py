"""What can wait rests while an import is decided, and goes on a moment after its last part."""

from shared.runtime.attention import Attention
from shared.runtime.import_watch import ImportWatch


class Watched:
    """A watch by a clock that is set."""

    def __init__(self) -> None:
        self.now = 0.0
        self.attention = Attention(lambda: self.now)
        self.imports = ImportWatch(lambda: self.now, self.attention)

    def note_beside_others(self) -> None:
        """An import is decided, and somebody says something beside it."""
        self.imports.note()
        self.imports.note_live()


def test_work_rests_six_times_as_long_as_it_took_while_an_import_is_under_way() -> None:
    watched = Watched()
    assert watched.imports.rest_s(0.1) == 0
    watched.note_beside_others()
    assert watched.imports.is_under_way
    assert watched.imports.rest_s(0.25) == 1.5
    watched.now = 1.0
    assert not watched.imports.is_under_way
    assert watched.imports.rest_s(0.1) == 0


def test_all_that_rests_shares_a_seventh_of_the_time() -> None:
    watched = Watched()
    watched.note_beside_others()
    assert watched.imports.rest_s(0.25) == 1.5
    assert watched.imports.rest_s(0.5) == 4.5, "three for its own work, after those for what another has done"
    assert watched.imports.rest_s(10) == 6, "never for long: an import without an end holds up nothing for ever"


def test_an_import_is_alone_until_somebody_says_or_asks_something() -> None:
    watched = Watched()
    assert not watched.imports.is_alone
    watched.imports.note()
    assert watched.imports.is_alone
    watched.imports.note_live()
    assert not watched.imports.is_alone
    watched.now = 2.0
    watched.imports.note()
    assert watched.imports.is_alone
    watched.attention.note_question()
    assert not watched.imports.is_alone
    watched.now = 4.0
    watched.imports.note()
    with watched.attention.answering():
        assert not watched.imports.is_alone


async def test_a_rest_ends_with_the_import() -> None:
    watched = Watched()
    watched.imports.note()
    watched.now = 1.0
    await watched.imports.rest(1_000.0)


async def test_nothing_rests_where_nothing_is_imported() -> None:
    await ImportWatch().rest(1_000.0)
