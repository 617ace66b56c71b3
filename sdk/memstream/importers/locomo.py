"""Reads LoCoMo files: long conversations in sessions, and questions with the turns that answer them.

Source: Maharana et al., Evaluating Very Long-Term Conversational Memory of LLM Agents (2024), the released JSON.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from memstream._contracts import ImportedTurn, Malformed, MessageId, Role, SessionId

_EVIDENCE = re.compile(r"D(\d+):(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_TIME = "%I:%M %p on %d %B, %Y"
_BETWEEN_TURNS = timedelta(seconds=30)


@dataclass(frozen=True, slots=True)
class LocomoQuestion:
    """A question, the ids of the turns that answer it, and the answer where the file has one."""

    text: str
    category: int
    evidence: tuple[str, ...]
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class LocomoConversation:
    """One conversation of many sessions."""

    sample_id: str
    turns: tuple[ImportedTurn, ...]
    questions: tuple[LocomoQuestion, ...]

    @property
    def session_of(self) -> dict[str, str]:
        """The session of each turn, by the turn's id."""
        return {str(turn.message_id): turn.session_id for turn in self.turns}

    def sessions_of(self, turns: Iterable[str]) -> frozenset[str]:
        """The sessions in which these turns stand, whatever their ids say; turns that it does not have are left out."""
        known = self.session_of
        return frozenset(known[turn] for turn in turns if turn in known)


def parse(document: object) -> list[LocomoConversation]:
    """Every conversation of a file that was read as JSON. Raises Malformed."""
    samples = document if isinstance(document, list) else [document]
    return [_checked(sample, index) for index, sample in enumerate(samples)]


def _checked(sample: object, index: int) -> LocomoConversation:
    place = f"this is no LoCoMo file: conversation {index + 1}"
    if not isinstance(sample, Mapping):
        raise Malformed(f"{place} is not an object")
    try:
        return _conversation(sample, index)
    except KeyError as error:
        raise Malformed(f"{place} lacks {error}") from error
    except (TypeError, AttributeError, ValueError) as error:
        raise Malformed(f"{place}: {error}") from error


def _conversation(sample: Mapping[str, Any], index: int) -> LocomoConversation:
    sessions = sample["conversation"]
    numbers = sorted(int(match[1]) for key in sessions if (match := _SESSION.fullmatch(key)))
    turns = [turn for number in numbers for turn in _turns(sessions, number)]
    return LocomoConversation(
        sample_id=str(sample.get("sample_id", f"sample-{index + 1}")),
        turns=tuple(turns),
        questions=tuple(_questions(sample.get("qa", ()))),
    )


def _turns(sessions: Mapping[str, Any], number: int) -> Iterator[ImportedTurn]:
    began = datetime.strptime(sessions[f"session_{number}_date_time"], _TIME).replace(tzinfo=UTC)
    for index, turn in enumerate(sessions[f"session_{number}"]):
        text = _text(turn)
        if text:
            yield ImportedTurn(
                role=Role.USER if turn["speaker"] == sessions["speaker_a"] else Role.ASSISTANT,
                session_id=SessionId(f"session_{number}"),
                text=text,
                message_id=MessageId(turn["dia_id"]),
                occurred_at=began + index * _BETWEEN_TURNS,
                speaker=turn["speaker"],
            )


def _text(turn: Mapping[str, Any]) -> str:
    caption = f" [image: {turn['blip_caption']}]" if turn.get("blip_caption") else ""
    text = turn.get("text") or "" if caption else turn["text"]  # a picture may stand alone
    return f"{text}{caption}".strip()


def _questions(entries: Sequence[Mapping[str, Any]]) -> Iterator[LocomoQuestion]:
    for entry in entries:
        found = [f"D{int(match[1])}:{int(match[2])}" for match in _EVIDENCE.finditer(" ".join(entry.get("evidence", ())))]
        answer = str(entry["answer"]) if "answer" in entry else None
        yield LocomoQuestion(str(entry["question"]), int(entry["category"]), tuple(dict.fromkeys(found)), answer)
