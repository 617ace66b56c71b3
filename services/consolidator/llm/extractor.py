"""Asks a model for the facts of a page of turns, and takes of its answers what rests on them."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue, SecretStr

from services.consolidator.domain.extraction import MOST_FACTS, KnownFact, KnownFacts, SaidTurn
from services.consolidator.domain.model_answers import read_answer
from services.consolidator.domain.model_facts import AnswerReader
from services.consolidator.prompts import extract_v2
from shared.contracts.commands import ExtractedFact
from shared.contracts.parts import Origin, Role
from shared.domain.model_tokens import TokenMeter, Unmetered
from shared.runtime.chat_models.chat_model import Answered, ChatModel
from shared.runtime.chat_models.dialect import AnswerFormat
from shared.runtime.chat_models.errors import AnswerInvalid, AnswerTruncated, ModelRefused, PageTooLong
from shared.runtime.logs import log
from shared.runtime.metrics import FACTS_REFUSED

_TEMPERATURE = "temperature"


class LlmExtractor:
    """Asks a model for the facts of each page, with a strict schema where the endpoint takes one.

    A page that is too long for the model is halved, down to a single turn. See `ChatModel` for how long a request may take.
    Raises Misconfigured where the extra is not installed, or where there is neither a key nor an endpoint of one's own.
    """

    def __init__(
        self,
        *,
        model: str,
        api_key: SecretStr | None = None,
        base_url: str | None = None,
        temperature: float | None = 0.0,
        parameters: Mapping[str, JsonValue] | None = None,
        answer_format: AnswerFormat = AnswerFormat.JSON_SCHEMA,
        asks_slots: bool = True,
        timeout_s: float = 60.0,
        max_retries: int = 2,
    ) -> None:
        self.reads_known = asks_slots
        self._prompt = extract_v2.WHOLE if asks_slots else extract_v2.PLAIN
        asked = {} if temperature is None else {_TEMPERATURE: temperature}
        self._model = ChatModel(
            model=model,
            api_key=api_key,
            base_url=base_url,
            timeout_s=timeout_s,
            max_retries=max_retries,
            parameters={**asked, **(parameters or {})},
            answer_format=answer_format,
        )

    def origin(self, run_id: str) -> Origin:
        """Model, prompt version, and the parameters that the endpoint takes."""
        parameters = dict(self._model.dialect.parameters)
        return Origin(
            extractor="llm", model=self._model.name, prompt=self._prompt.version, parameters=parameters, run_id=run_id
        )

    async def extract(
        self, turns: Sequence[SaidTurn], *, known: KnownFacts | None = None, meter: TokenMeter | None = None
    ) -> list[ExtractedFact]:
        """The facts that the model finds; it is not asked if the user said nothing. Raises Unavailable and Misconfigured."""
        reader = AnswerReader(turns)
        near = await known.near(turns) if known and self.reads_known else ()
        await self._read(reader, turns, near, meter or Unmetered())
        if reader.refused:
            log.info("facts.refused", taken=len(reader.taken), **{why.value: count for why, count in reader.refused.items()})
        for why, count in reader.refused.items():
            FACTS_REFUSED.labels(why.value).inc(count)
        return reader.taken[:MOST_FACTS]

    async def close(self) -> None:
        """Close the connections; the extractor cannot be used afterwards."""
        await self._model.aclose()

    async def _read(
        self, reader: AnswerReader, turns: Sequence[SaidTurn], known: Sequence[KnownFact], meter: TokenMeter
    ) -> None:
        """Take the facts of these turns, of both halves where they are too long together."""
        if not any(turn.role is Role.USER for turn in turns):
            return
        try:
            answer = await self._ask(turns, known, meter)
        except PageTooLong:
            await self._read_less(reader, turns, known, meter)
            return
        if answer.is_cut and len(turns) > 1:
            await self._read_less(reader, turns, known, meter)
        else:
            facts = read_answer(answer.text)
            if facts is None or (answer.is_cut and not facts):
                raise AnswerTruncated if answer.is_cut else AnswerInvalid
            if not reader.read(facts, turns, known):
                raise AnswerInvalid

    async def _read_less(
        self, reader: AnswerReader, turns: Sequence[SaidTurn], known: Sequence[KnownFact], meter: TokenMeter
    ) -> None:
        """Take the facts of both halves; of a single turn, without what is known beside it. Raises PageTooLong."""
        middle = len(turns) // 2
        if middle:
            await self._read(reader, turns[:middle], known, meter)
            await self._read(reader, turns[middle:], known, meter)
        elif known:
            await self._read(reader, turns, (), meter)
        else:
            raise PageTooLong

    async def _ask(self, turns: Sequence[SaidTurn], known: Sequence[KnownFact], meter: TokenMeter) -> Answered:
        await meter.require_budget()
        message = extract_v2.user_message(turns, known)
        answer = await self._model.ask(self._prompt.system, message, name=extract_v2.VERSION, schema=self._prompt.schema)
        await meter.spent(answer.usage)
        if answer.is_refusal:
            raise ModelRefused
        return answer
