"""The commands of a chat: lines that begin with a slash."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from memstream.cli.browsing import print_memories
from memstream.cli.chat_screen import show_changes
from memstream.cli.chat_stage import Stage
from memstream.cli.chat_turns import Talk, TalkTurn
from memstream.cli.forgetting import completed, print_receipt, print_words
from memstream.cli.memory_ids import whole_id
from memstream.cli.text import harmless, one_line
from memstream.client import Kind
from shared.contracts.queries import Fate

_MOST_FACTS = 50
_MOST_WHY = 8
_LINE = 100
_ID_PREFIXES = ("fact_", "ep_", "ref_", "roll_")


@dataclass(slots=True)
class Scene:
    """What a command of the chat works on."""

    stage: Stage
    talk: Talk
    session_ids: Iterator[str]
    """Names of further conversations."""

    last: TalkTurn | None = None

    @property
    def console(self) -> Console:
        """The console of the stage."""
        return self.stage.console


def run_command(scene: Scene, line: str) -> None:
    """Run a line that begins with a slash. One that is unknown is told."""
    name, _, rest = line[1:].strip().partition(" ")
    if name in COMMANDS:
        COMMANDS[name][1](scene, rest.strip())
    else:
        scene.console.print(Text(f"there is no /{one_line(name, 20)}; /help lists the commands", style="yellow"))


def _help(scene: Scene, _: str) -> None:
    for name, (words, _run) in COMMANDS.items():
        scene.console.print(Text.assemble((f"/{name:8}", "bold"), words))
    scene.console.print(Text.assemble(("/quit    ", "bold"), "End. So do Ctrl-D and Ctrl-C."))
    words = 'Or say it: "forget that", "pin that", "what do you know about me?", "don\'t remember this: ..."'
    scene.console.print(Text(words, style="dim"))


def _facts(scene: Scene, _: str) -> None:
    found = scene.stage.run(lambda: scene.talk.memories.list(kinds=(Kind.FACT,), limit=_MOST_FACTS))
    print_memories(scene.console, found.items)


def _block(scene: Scene, _: str) -> None:
    block = harmless(scene.last.context.markdown).strip() if scene.last else ""
    scene.console.print(Text(block or "a model would be given nothing"), soft_wrap=True)


def _why(scene: Scene, words: str) -> None:
    question = words or (scene.last.said if scene.last else "")
    if not question:
        scene.console.print("say or ask something first, or give the words: /why where do I live")
        return
    answer = scene.stage.run(lambda: scene.talk.memories.explain(question, session_id=scene.talk.session_id))
    for each in answer.candidates[:_MOST_WHY]:
        given = f"line {each.line}" if each.fate is Fate.GIVEN and each.line else each.fate.value.replace("_", " ")
        legs = ", ".join(f"{name} #{leg.rank}" for name, leg in each.legs.items() if leg.rank)
        line = Text.assemble((f"{given:16}", "bold"), (f"{each.total:5.2f}  ", "cyan"), one_line(each.memory.text, _LINE))
        scene.console.print(line.append(f"  ({legs})" if legs else "", style="dim"), soft_wrap=True)
    if not answer.candidates or answer.abstained:
        why = "it is small talk, and nothing was searched" if answer.is_small_talk else "too little speaks for what was found"
        scene.console.print(Text(f"nothing is given: {why}", style="dim"))


def _forget(scene: Scene, named: str) -> None:
    if not named:
        scene.console.print("say what: /forget WORDS, or /forget fact_1234abcd")
        return
    memories = scene.talk.memories
    ids = [scene.stage.run(lambda: whole_id(memories, named))] if named.startswith(_ID_PREFIXES) else []
    query = None if ids else named
    plan = scene.stage.run(lambda: memories.would_forget(memory_ids=ids, query=query))
    if not plan.memories:
        scene.console.print("nothing fits that; nothing would be forgotten")
        return
    scene.stage.run(lambda: print_words(memories, scene.console, plan))
    if not scene.stage.agrees("Forget all of this? [y/N] "):
        scene.console.print("nothing was forgotten")
        return
    decided = scene.stage.run(lambda: memories.forget(memory_ids=ids, query=query))
    scene.talk.messages.clear()
    receipt = scene.stage.run(lambda: completed(memories, decided.number, wait=True, whose=""))
    print_receipt(scene.console, receipt)
    show_changes(scene.console, scene.stage.run(scene.talk.look))


def _new(scene: Scene, _: str) -> None:
    scene.talk.begin(next(scene.session_ids))
    scene.last = None
    scene.console.print(Text("Another conversation begins; what was said in the last one is memory now.", style="dim"))


COMMANDS: dict[str, tuple[str, Callable[[Scene, str], None]]] = {
    "new": ("Begin another conversation: what was said in this one is memory then.", _new),
    "facts": ("List what was learned.", _facts),
    "block": ("Show all that a model was given for the last turn.", _block),
    "why": ("Say why that was given, and what was left out; or for other words: /why WORDS", _why),
    "forget": ("Forget for good, by words or by id: /forget WORDS", _forget),
    "help": ("List the commands.", _help),
}
"""Every command but /quit: what it is for, and what it does."""
