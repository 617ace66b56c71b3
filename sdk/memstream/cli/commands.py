"""Every command and the function that runs it, as `module:function` of this package."""

from collections.abc import Mapping
from typing import NamedTuple


class Group(NamedTuple):
    """Commands under a common name."""

    help: str
    commands: Mapping[str, str]


COMMANDS: Mapping[str, str | Group] = {
    "demo": "demo:demo",
    "chat": "chat:chat",
    "init": "running:init",
    "up": "running:up",
    "run": "running:run_one",
    "mcp": "mcp:mcp",
    "send": "raw_json:send",
    "ask": "raw_json:ask",
    "import": "importing:import_",
    "export": "exporting:export",
    "search": "searching:search",
    "context": "searching:context",
    "forget": "forgetting:forget",
    "forget-user": "forgetting:forget_user",
    "take-back": "forgetting:take_back",
    "receipt": "forgetting:receipt",
    "diff": "differing:diff",
    "explain": "explaining:explain",
    "list": "browsing:list_",
    "show": "browsing:show",
    "entity": "browsing:entity",
    "summary": "browsing:summary",
    "remember": "facts:remember",
    "correct": "facts:correct",
    "confirm": "facts:confirm",
    "pin": "facts:pin",
    "unpin": "facts:unpin",
    "feedback": "facts:feedback",
    "restore": "facts:restore",
    "conflicts": "conflicts:conflicts",
    "answer": "conflicts:answer",
    "undo": "undoing:undo",
    "redo": "undoing:redo",
    "whatif": "whatif:whatif",
    "share": "sharing:share",
    "unshare": "sharing:unshare",
    "shares": "sharing:shares",
    "log": "log:log",
    "audit": "audit:audit",
    "rebuild": "rebuild:rebuild_",
    "verify": "verify:verify",
    "status": "status:status",
    "usage": "usage:usage",
    "doctor": "doctor:doctor",
    "nats-conf": "nats_conf:nats_conf",
    "cluster": Group("Three NATS servers that keep the streams together.", {"demo": "cluster_demo:demo"}),
    "backup": Group(
        "Backups of the log with its keys, made while memstream runs.",
        {
            "create": "backup:create",
            "list": "backup:list_",
            "forgotten": "backup:forgotten",
            "restore": "backup:restore",
        },
    ),
    "keys": Group(
        "The keys that seal what the log holds of people; they are in no backup.",
        {"copy": "person_keys:copy", "restore": "person_keys:restore"},
    ),
    "incognito": Group("Keep a session out of memory.", {"start": "incognito:start", "end": "incognito:end"}),
    "settings": Group(
        "A person's settings in a space: memory on or off, time zone, caps, ranking.",
        {"show": "settings:show", "set": "settings:set_", "unset": "settings:unset"},
    ),
    "bot": Group("The accounts of bots.", {"create": "bots:create", "list": "bots:list_", "show": "bots:show"}),
    "reader": Group(
        "The accounts of readers: services of yours that read the events of a space.",
        {"create": "readers:create", "list": "readers:list_", "show": "readers:show", "remove": "readers:remove"},
    ),
    "token": Group("Tokens for the HTTP API.", {"create": "tokens:create", "list": "tokens:list_", "revoke": "tokens:revoke"}),
    "link": "tokens:link",
    "eval": Group(
        "How good the memory is.",
        {
            "recall": "eval_recall:recall",
            "abstain": "eval_abstain:abstain",
            "tasks": "eval_tasks:tasks",
            "chats": "eval_chats:chats",
            "sweep": "eval_sweep:sweep",
            "train": "eval_train:train",
            "outages": "eval_outages:outages",
            "answers": "eval_answers:answers",
        },
    ),
    "jobs": Group(
        "What maintenance does at its times, such as at night.",
        {"list": "jobs:list_", "run": "jobs:run_", "preview": "jobs:preview", "history": "jobs:history"},
    ),
    "entities": Group(
        "Who and what is mentioned, and which of them are one.",
        {"list": "entities:list_", "merge": "entities:merge", "unmerge": "entities:unmerge"},
    ),
    "quarantine": Group(
        "Events that a service has put aside because it could not apply them.",
        {"list": "quarantine:list_", "show": "quarantine:show", "retry": "quarantine:retry"},
    ),
    "rejected": Group(
        "Messages that were refused, kept for 14 days.",
        {"list": "rejected:list_", "show": "rejected:show", "retry": "rejected:retry", "erase": "rejected:erase"},
    ),
    "sessions": Group(
        "Conversations.",
        {"list": "conversations:list_", "sweep": "sessions:sweep", "retry": "sessions:retry", "relearn": "relearning:relearn"},
    ),
}
