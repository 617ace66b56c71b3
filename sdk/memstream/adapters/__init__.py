"""The memory in agent frameworks. Each adapter is imported with its framework on first use, and needs an extra of its own.

`from memstream.adapters import OpenAIAgentsMemory` needs `pip install 'memstream[openai-agents]'`, and so on.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from memstream.adapters.scope import MemoryScope

if TYPE_CHECKING:
    from memstream.adapters.chat_completions import ChatCompletionsMemory
    from memstream.adapters.langchain import LangChainMemory
    from memstream.adapters.langgraph import LangGraphMemory
    from memstream.adapters.openai_agents import OpenAIAgentsMemory
    from memstream.adapters.pydantic_ai import PydanticAIMemory

__all__ = [
    "ChatCompletionsMemory",
    "LangChainMemory",
    "LangGraphMemory",
    "MemoryScope",
    "OpenAIAgentsMemory",
    "PydanticAIMemory",
]

_MODULES = {
    "ChatCompletionsMemory": "chat_completions",
    "LangChainMemory": "langchain",
    "LangGraphMemory": "langgraph",
    "OpenAIAgentsMemory": "openai_agents",
    "PydanticAIMemory": "pydantic_ai",
}


def __getattr__(name: str) -> object:
    """Import an adapter with its framework. Raises ImportError with the extra that is missing."""
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)
