"""The languages in which chat commands are read: shipped ones, and files of the operator's own."""

from pathlib import Path

from shared.contracts.errors import Misconfigured
from shared.language.commands.language import require_language, take_in
from shared.language.commands.replies import require_sayings
from shared.runtime.settings import RuntimeSettings

_SUFFIX = ".toml"


def chat_languages(runtime: RuntimeSettings) -> tuple[str, ...]:
    """The codes of the languages that are set, at least one; files of the operator's own are loaded. Raises Misconfigured."""
    named = [name.strip() for name in runtime.chat_languages.split(",")]
    codes = tuple(dict.fromkeys(_code(name) for name in named if name))
    if not codes:
        raise Misconfigured("MEMSTREAM_CHAT_LANGUAGES names no language; en is the usual one")
    return codes


def _code(name: str) -> str:
    """The code of a shipped language, or of a file, which is loaded."""
    if not name.endswith(_SUFFIX):
        require_language(name)
        return name
    path = Path(name).expanduser()
    try:
        document = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Misconfigured(f"the language file {path} cannot be read: {error}") from error
    take_in(path.stem, document)
    require_sayings(path.stem)
    return path.stem
