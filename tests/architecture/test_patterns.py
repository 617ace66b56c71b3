"""No regular expression of ours can be made to take exponentially long by a text."""

import json
import subprocess
import sys

from tests.architecture.patterns import is_ambiguous
from tests.architecture.source import ROOT

SENTENCES = (
    "My sister Anna Lind lives in York since 3 May 2021, and she's allergic to nuts. What do I like? Forget that!",
    "Meine Schwester wohnt seit Mai in Leeds und mag keine Nüsse. Vergiss das!",
    "Mi hermana vive en Madrid desde mayo y no le gustan las nueces. ¡Olvida eso!",
    "Ma sœur habite à Lyon depuis mai et n'aime pas les noix. Oublie ça !",
    "犬は何歳ですか。",
)
"""What makes readers compile the expressions that they compile at first use."""

COLLECT = f"""
import importlib, json
from tests.architecture.patterns import compiled
from tests.architecture.source import FILES
from tests.support.text_readers import READERS
for file in FILES:
    if file.module.startswith(("shared", "services")) and not file.module.endswith("__main__"):
        importlib.import_module(file.module)
for read in READERS.values():
    for sentence in {SENTENCES!r}:
        read(sentence)
print(json.dumps(sorted(compiled())))
"""


def test_no_expression_has_a_repeat_that_can_follow_itself() -> None:
    """A process of its own: in this one the test tools have compiled theirs."""
    found = json.loads(subprocess.run([sys.executable, "-c", COLLECT], cwd=ROOT, check=True, capture_output=True).stdout)
    assert len(found) > 500
    assert [pattern for pattern, flags in found if is_ambiguous(pattern, flags)] == []
