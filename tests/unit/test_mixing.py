from tests.support.mixing import mixed

WAITING = [f"tests/acceptance/test_{name}.py" for name in "abc"]
WORKING = [f"tests/unit/test_{number}.py" for number in range(10, 30)]


def test_between_files_that_wait_come_files_that_work_and_some_are_left_for_the_end() -> None:
    order = mixed([*WAITING, *WORKING])
    assert [order.index(file) for file in WAITING] == [0, 6, 13]
    assert [file for file in order if file not in WAITING] == WORKING
    assert order[-3:] == WORKING[-3:]


def test_where_there_is_nothing_to_mix_the_order_stays() -> None:
    assert mixed(WAITING) == WAITING
    assert mixed(WORKING) == WORKING
    assert mixed([]) == []
