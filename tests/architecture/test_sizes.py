"""A module and a function can be read at once (CONTRIBUTING, style 2)."""

from tests.architecture.source import FILES

MOST_LINES_OF_A_MODULE = 400
LINES_OF_A_SHORT_FUNCTION = 19


def test_a_module_has_at_most_400_lines() -> None:
    lines = {file.place: len(file.text.splitlines()) for file in FILES}
    assert {place: count for place, count in lines.items() if count > MOST_LINES_OF_A_MODULE} == {}


def test_nine_functions_in_ten_have_under_20_lines() -> None:
    lengths = [(node.end_lineno or 0) - node.lineno + 1 for file in FILES for node in file.functions()]
    short = sum(length <= LINES_OF_A_SHORT_FUNCTION for length in lengths)
    assert short / len(lengths) >= 0.9
