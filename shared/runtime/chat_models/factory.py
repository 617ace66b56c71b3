"""Makes the chat model that the settings name."""

from shared.contracts.errors import Misconfigured
from shared.runtime.chat_models.chat_model import ChatModel
from shared.runtime.chat_models.dialect import AnswerFormat
from shared.runtime.chat_models.settings import LlmSettings


def make_chat_model(settings: LlmSettings) -> ChatModel:
    """The model of these settings. Raises Misconfigured if they name none, or it cannot be asked."""
    if settings.model is None:
        raise Misconfigured("no model is named: MEMSTREAM_LLM_MODEL")
    asked = {} if settings.temperature is None else {"temperature": settings.temperature}
    return ChatModel(
        model=settings.model,
        api_key=settings.api_key,
        base_url=settings.base_url,
        timeout_s=settings.timeout_s,
        max_retries=settings.max_retries,
        parameters={**asked, **settings.parameters},
        answer_format=AnswerFormat(settings.answer_format),
    )
