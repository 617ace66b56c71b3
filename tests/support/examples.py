"""How many examples Hypothesis makes: a third of what a test names, unless `make nightly` asks for all of them."""

from math import ceil

from hypothesis import settings

NIGHTLY = "nightly"
_USUAL = "usual"
_SHARE = 3
_HYPOTHESIS_OWN = 100


def register_profiles() -> None:
    """Usual, unless pytest's `--hypothesis-profile` says otherwise. How long an example takes is the machine's affair."""
    settings.register_profile(NIGHTLY, max_examples=_HYPOTHESIS_OWN, deadline=None)
    settings.register_profile(_USUAL, max_examples=ceil(_HYPOTHESIS_OWN / _SHARE), deadline=None, derandomize=True)
    settings.load_profile(_USUAL)


def examples(count: int) -> int:
    """So many nightly, a third of them otherwise."""
    return count if settings.get_current_profile_name() == NIGHTLY else ceil(count / _SHARE)
