"""A version or a section is no amount: 3.1 and 3.10 are two, 14.5 and 14.50 euros are one."""

import pytest

from shared.contracts.errors import InvalidToken
from shared.contracts.subjects import encode_token
from shared.language.text.guards import guards
from shared.language.text.wording import wording


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The app uses Python 3.1", "The app uses Python 3.10"),
        ("The rule is in section 4.2", "The rule is in section 4.20"),
        ("The firmware is 2.4", "The firmware is 2.40"),
        ("The plot is 7.1", "The plot is 7.10"),
        ("The router is at 10.1", "The router is at 10.10"),
        ("Die App nutzt Python 3.1", "Die App nutzt Python 3.10"),
        ("Release 5.0 is out", "Release 5.00 is out"),
    ],
)
def test_trailing_zeros_of_a_version_count(one: str, other: str) -> None:
    assert guards(wording(one)) != guards(wording(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The ticket costs 14.5 euros", "The ticket costs 14.50 euros"),
        ("The ticket costs $14.5", "The ticket costs $14.50"),
        ("The ticket costs €14.50", "The ticket costs 14.5 euros"),
        ("The bag weighs 2.50 kg", "The bag weighs 2.5 kilos"),
        ("The rate is 3.50 %", "The rate is 3.5 percent"),
        ("Das Ticket kostet 14,50 Euro", "Das Ticket kostet 14,5 Euro"),
        ("The run takes 31.20 s", "The run takes 31.2 seconds"),
    ],
)
def test_trailing_zeros_of_an_amount_do_not(one: str, other: str) -> None:
    assert guards(wording(one)) == guards(wording(other))


@pytest.mark.parametrize("name", [12345, None, 1.5, b"anna", ["anna"]])
def test_an_id_that_is_no_string_is_refused_by_name(name: object) -> None:
    with pytest.raises(InvalidToken, match="user must be a string"):
        encode_token(name, "user")  # type: ignore[arg-type]
