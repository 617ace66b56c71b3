"""The times that a question names, by the asker's calendar."""

from datetime import datetime, time
from zoneinfo import ZoneInfo

from services.retriever.domain.ranking import specificity
from services.retriever.store.legs import Span
from shared.domain.moments import microseconds
from shared.language.questions.periods import periods
from shared.language.text import calendar
from shared.language.text.calendar import Period


def asked_times(question: str, now: datetime, zone: ZoneInfo) -> list[tuple[Span, float]]:
    """The times that a question names which is asked at this moment, each with its specificity."""
    today = now.astimezone(zone).date()
    return [(_span(period, zone), specificity(period)) for period in periods(question, today, asked=True)]


def _span(period: Period, zone: ZoneInfo) -> Span:
    after = calendar.day_at(period.last, 1) or period.last
    begin, end = (microseconds(datetime.combine(day, time.min, zone)) for day in (period.first, after))
    return Span(begin, end, period.first.toordinal(), period.last.toordinal())
