"""Compares messages that were made without validation with what validation makes of the same."""

from shared.contracts.contract import Contract


def unlike_validated(made: Contract) -> str:
    """Empty if every field has the value and the type that validation gives it; else both, to be read."""
    validated = type(made).model_validate(made.model_dump())
    read = type(made).model_validate_json(made.model_dump_json())
    is_like = repr(made) == repr(validated) == repr(read) and list(vars(made)) == list(vars(validated))
    return "" if is_like and made == validated else f"{made!r}\n{validated!r}"
