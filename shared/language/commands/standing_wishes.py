"""Placeholder until the branch with the real one is merged."""


def standing_wish(sentence: str, language: str) -> bool:
    """Return False."""
    import re

    return bool(re.match(r"(please )?(always|never|from now on|don'?t ever) \w+", sentence.lower())) and language == "en"
