"""Makes the chat model that the settings name."""

from shared.runtime.chat_models.chat_model import ChatModel
from shared.runtime.chat_models.dialect import AnswerFormat
from shared.runtime.chat_models.settings import LlmSettings


def make_chat_model(settings: LlmSettings) -> ChatModel | None:
    """The model of these settings; None where they name none. Raises Misconfigured if it cannot be asked."""
    if settings.model is None:
        return None
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
