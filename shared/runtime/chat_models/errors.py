"""Why a model did not answer as it was asked to. None of these messages carries a word of what was said."""

from shared.contracts.errors import Unavailable


class ModelRefused(Unavailable):
    """The model refused to answer; it is asked again later."""


class AnswerTruncated(Unavailable):
    """The model's answer was cut off before it said anything; allow it more tokens."""


class AnswerInvalid(Unavailable):
    """The model's answer is not the JSON that was asked for; it is asked again later."""


class PageTooLong(Unavailable):
    """What the model is to read is too long for it; give it a larger context."""


class EndpointTimedOut(Unavailable):
    """The model's endpoint did not answer in time; it is asked again later."""


class EndpointUnreachable(Unavailable):
    """The model's endpoint cannot be reached; it is asked again later."""


class EndpointBusy(Unavailable):
    """The model's endpoint takes no more requests for now; it is asked again later."""


class EndpointFailed(Unavailable):
    """The model's endpoint answered with an error; it is asked again later."""


class BudgetSpent(Unavailable):
    """The tokens of today are spent; what needs a model goes on tomorrow, or with a larger MEMSTREAM_LLM_TOKENS_PER_DAY."""
