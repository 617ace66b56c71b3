"""What can wait rests while an import is decided, and goes on a moment after its last part."""

from shared.runtime.import_watch import ImportWatch


def test_work_rests_six_times_as_long_as_it_took_while_an_import_is_under_way() -> None:
    now = [0.0]
    imports = ImportWatch(lambda: now[0])
    assert imports.rest_s(0.1) == 0
    imports.note()
    assert imports.is_under_way
    assert imports.rest_s(0.25) == 1.5
    assert imports.rest_s(10) == 2, "never for long: an import without an end holds up nothing for ever"
    now[0] = 1.0
    assert not imports.is_under_way
    assert imports.rest_s(0.1) == 0


async def test_nothing_rests_where_nothing_is_imported() -> None:
    await ImportWatch().rest(1_000.0)
