"""Why a model did not give the facts of a page. None of these messages carries a word of what was said."""

from shared.contracts.errors import Unavailable


class ModelRefused(Unavailable):
    """The model refused to answer; the session stays pending."""


class AnswerTruncated(Unavailable):
    """The model's answer was cut off before its first fact; allow it more tokens."""


class AnswerInvalid(Unavailable):
    """The model's answer is not the JSON that was asked for; the session stays pending."""


class PageTooLong(Unavailable):
    """A single turn is too long for the model; give it a larger context."""


class EndpointTimedOut(Unavailable):
    """The model's endpoint did not answer in time; the session stays pending."""


class EndpointUnreachable(Unavailable):
    """The model's endpoint cannot be reached; the session stays pending."""


class EndpointBusy(Unavailable):
    """The model's endpoint takes no more requests for now; the session stays pending."""


class EndpointFailed(Unavailable):
    """The model's endpoint answered with an error; the session stays pending."""


class BudgetSpent(Unavailable):
    """The tokens of today are spent; learning goes on tomorrow, or with a larger MEMSTREAM_LLM_TOKENS_PER_DAY."""
