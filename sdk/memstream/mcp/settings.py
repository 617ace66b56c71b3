"""Settings of `memstream mcp`, `MEMSTREAM_MCP_<NAME>`."""

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from shared.runtime.settings import Settings


class McpSettings(Settings):
    """What is no option, because a command line can be read by others on the machine."""

    model_config = SettingsConfigDict(env_prefix="MEMSTREAM_MCP_", frozen=True)

    token: SecretStr | None = Field(
        default=None,
        description="What every HTTP request to `memstream mcp` must bear; none: only the loopback is served.",
    )
