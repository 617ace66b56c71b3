"""The examples on the page of the adapters run as they stand there, each with a model that reads its prompt."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest

from tests.support.installations import PATIENCE_S, Installation

pytestmark = pytest.mark.asyncio(loop_scope="module")

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "adapters.md").read_text("utf-8")
EXAMPLES = dict(re.findall(r"^## ([^\n]+)\n\n```python\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE))

READING = """
def read(prompt):
    return "No shrimp for you." if "allergic to shrimp" in prompt and "Relevant memory" in prompt else "Noted."
"""
MODELS = {
    "OpenAI Agents SDK": """
from agents import set_tracing_disabled
from agents.testing import ModelStep, ScriptedModel, assistant_message
set_tracing_disabled(True)
model = ScriptedModel([ModelStep.respond(lambda call: [assistant_message(read(call.system_instructions))])] * 2)
""",
    "LangGraph": """
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
model = RunnableLambda(lambda messages: AIMessage(read(messages[0].content)))
""",
    "LangChain": """
import warnings
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
warnings.filterwarnings("ignore", message="RunnableWithMessageHistory is deprecated")
model = RunnableLambda(lambda prompt: AIMessage(read(prompt.to_messages()[0].content)))
""",
    "Pydantic AI": """
from pydantic_ai.messages import ModelResponse, TextPart
from pydantic_ai.models.function import FunctionModel
model = FunctionModel(lambda messages, info: ModelResponse(parts=[TextPart(read(info.instructions))]))
""",
    "OpenAI's client, LiteLLM, and others like them": """
import httpx2
from openai import AsyncOpenAI
def answered(request):
    import json
    words = read(" ".join(each["content"] for each in json.loads(request.content)["messages"]))
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": words}}
    whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "any", "choices": [choice]}
    return httpx2.Response(200, json=whole)
transport = httpx2.AsyncClient(transport=httpx2.MockTransport(answered))
openai = AsyncOpenAI(api_key="none", base_url="http://localhost", http_client=transport)
""",
}


async def test_every_example_has_a_model_here() -> None:
    assert EXAMPLES.keys() == MODELS.keys()


@pytest.mark.parametrize("framework", MODELS)
async def test_the_example_remembers(framework: str, shared_memstream: Installation, space: str, tmp_path: Path) -> None:
    program = READING + MODELS[framework] + EXAMPLES[framework].replace('space="shop"', f"space={space!r}")
    path = os.pathsep.join((str(ROOT), str(ROOT / "sdk")))
    environment = {**os.environ, "MEMSTREAM_DATA_DIR": str(shared_memstream.settings.data_dir), "PYTHONPATH": path}
    environment |= {"MEMSTREAM_URL": shared_memstream.server.url}
    bot = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, cwd=tmp_path, env=environment, stdout=-1, stderr=-1
    )
    said, problems = await asyncio.wait_for(bot.communicate(), PATIENCE_S)
    assert bot.returncode == 0, problems.decode()
    assert said.decode() == "Noted.\nNo shrimp for you.\n"
    assert "memory.skipped" not in problems.decode()
