"""The forms of files that are understood: which one a file has, and what it holds."""

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from typing import Any

from pydantic_core import from_json, to_json

from memstream._contracts import Malformed
from memstream.importers import chatgpt, claude, conversations, csv_rows, jsonl, langgraph, locomo, mem0, openai_messages
from memstream.importers.plain import field_of
from memstream.importers.turns import Assumed, BadField, BadRecord, OwnedFact, OwnedTurn, Owner, Parsed

_ZIP = b"PK\x03\x04"
_INSIDE = re.compile(r"conversations(?:-\d+)?\.json")
_LISTS = ("results", "memories", "items", "conversations", "checkpoints", "states")
_MOST_UNZIPPED_BYTES = 2**30
_MOST_TIMES = 200
"""So much larger than its archive no text is that somebody wrote."""


class Format(StrEnum):
    """The forms of files that are understood."""

    AUTO = "auto"
    JSONL = "jsonl"
    CSV = "csv"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    OPENAI = "openai"
    MEM0 = "mem0"
    LANGGRAPH = "langgraph"
    LOCOMO = "locomo"
    EXPORT = "export"


def text_in(raw: bytes) -> str:
    """The text of a file; of an archive that of `conversations.json`, or of its numbered parts. Raises Malformed."""
    if raw.startswith(_ZIP):
        raw = _unzipped(raw)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise Malformed(f"the file is not UTF-8 (byte {error.start}); convert it first") from error


def _unzipped(raw: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            inside = [each for each in archive.infolist() if _INSIDE.fullmatch(each.filename.rpartition("/")[2])]
            if not inside:
                raise Malformed("the archive holds no conversations.json; is it the export of ChatGPT or Claude?")
            folder = min((each.filename.rpartition("/")[0] for each in inside), key=len)
            parts = sorted(each.filename for each in inside if each.filename.rpartition("/")[0] == folder)
            larger = [each for each in inside if each.file_size > _MOST_TIMES * each.compress_size]
            if larger or sum(each.file_size for each in inside) > _MOST_UNZIPPED_BYTES:
                raise Malformed(
                    f"conversations in the archive are larger than 1 GiB, or than {_MOST_TIMES} times the archive; unpack it"
                )
            if len(parts) == 1:
                return archive.read(parts[0])
            return to_json([each for part in parts for each in _listed(from_json(archive.read(part)))])
    except ValueError as error:
        raise Malformed(f"a part of the archive is not JSON: {error}") from error
    except (zipfile.BadZipFile, EOFError, RuntimeError) as error:
        raise Malformed(f"the archive cannot be read: {error}") from error


def detected(text: str) -> Format:
    """The form of a text, by what it begins with. Raises Malformed if it is none that is known."""
    begin = text.lstrip()[:1]
    if begin not in {"{", "["}:
        return Format.CSV if begin else Format.JSONL
    whole = _whole(text)
    first = next((document for _, document in documents(text)), None) if whole is None else next(iter(_listed(whole)), None)
    if whole is None and isinstance(first, dict) and "memstream_export" in first:
        return Format.EXPORT
    for form, is_one in _RECOGNISED.items():
        if is_one(first):
            return form
    if begin == "{" and (not isinstance(whole, dict) or any(field_of(name) == "text" for name in whole)):
        return Format.JSONL
    if isinstance(first, dict) and "role" in first:
        return Format.OPENAI
    if first is None:
        return Format.JSONL
    raise _unknown()


def _unknown() -> Malformed:
    known = ", ".join(form for form in Format if form is not Format.AUTO)
    return Malformed(f"the form of the file is not known: it is none of {known}. Say which with --format, or convert it")


def parse(text: str, form: Format, assumed: Assumed) -> Parsed:
    """The turns and facts of a text of this form, and what cannot be imported. Raises Malformed if the whole is not of it."""
    return _READERS[form](text, assumed)


def documents(text: str) -> Iterator[tuple[str, Any]]:
    """The JSON objects of a text, each with its place: those of a list, or of a list under a usual name, or one a line."""
    whole = _whole(text)
    if whole is not None:
        yield from ((f"record {number}", each) for number, each in enumerate(_listed(whole), start=1))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield f"line {number}", from_json(line)
            except ValueError:
                yield f"line {number}", line


def _whole(text: str) -> object:
    """The one JSON document that the text is; None if it is several, one a line, or none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # the second: of a line that is nested too deeply, the others are still read
        return None


def _listed(whole: object) -> Iterable[object]:
    if isinstance(whole, list):
        return whole
    if isinstance(whole, dict):
        for name in _LISTS:
            if isinstance(whole.get(name), list):
                listed: list[object] = whole[name]
                return listed
    return [whole]


def _talks(text: str) -> Iterator[tuple[str, Any]]:
    """Conversations; a list of messages is one."""
    found = list(documents(text))
    if found and all(isinstance(each, dict) and "role" in each and "messages" not in each for _, each in found):
        yield "record 1", {"messages": [each for _, each in found]}
    else:
        yield from found


def _facts(found: Iterable[tuple[str, Any]], read: Callable[[Any, Assumed], OwnedFact], assumed: Assumed) -> Parsed:
    parsed = Parsed()
    for place, document in found:
        try:
            parsed.facts.append(read(document, assumed))
        except BadField as error:
            parsed.bad.append(BadRecord(place, error.name, error.reason, document))
    return parsed


def _langgraph(text: str, assumed: Assumed) -> Parsed:
    found = list(documents(text))
    items = [each for each in found if langgraph.is_item(each[1])]
    threads = langgraph.newest_of_threads(each for each in found if not langgraph.is_item(each[1]))
    parsed = conversations.parse(threads, langgraph.conversation, assumed)
    facts = _facts(items, langgraph.fact, assumed)
    return Parsed(parsed.turns, facts.facts, [*facts.bad, *parsed.bad], parsed.left_out)


def _locomo(text: str, assumed: Assumed) -> Parsed:
    try:
        document = from_json(text)
    except ValueError as error:
        raise Malformed("this is no LoCoMo file: it is not JSON") from error
    found = locomo.parse(document)
    return Parsed([OwnedTurn(Owner(assumed.owner.space, each.sample_id), turn) for each in found for turn in each.turns])


def _is_locomo(document: object) -> bool:
    return isinstance(document, dict) and isinstance(document.get("conversation"), dict)


_RECOGNISED: dict[Format, Callable[[object], bool]] = {
    Format.CHATGPT: chatgpt.is_one,
    Format.CLAUDE: claude.is_one,
    Format.LOCOMO: _is_locomo,
    Format.OPENAI: openai_messages.is_one,
    Format.MEM0: mem0.is_one,
    Format.LANGGRAPH: lambda document: langgraph.is_item(document) or langgraph.is_checkpoint(document),
}

_READERS: dict[Format, Callable[[str, Assumed], Parsed]] = {
    Format.JSONL: lambda text, assumed: jsonl.parse_lines(text.split("\n"), assumed),  # U+2028 may stand inside a JSON string
    Format.CSV: csv_rows.parse,
    Format.LOCOMO: _locomo,
    Format.CHATGPT: lambda text, assumed: conversations.parse(documents(text), chatgpt.conversation, assumed),
    Format.CLAUDE: lambda text, assumed: conversations.parse(documents(text), claude.conversation, assumed),
    Format.OPENAI: lambda text, assumed: conversations.parse(_talks(text), openai_messages.conversation, assumed),
    Format.MEM0: lambda text, assumed: _facts(documents(text), mem0.fact, assumed),
    Format.LANGGRAPH: _langgraph,
}
