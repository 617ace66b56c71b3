"""Two small conversations of our own in LoCoMo's format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_SAID = {
    "harbour": [
        ("Ines", "I bought a small sailing boat in March, she is called Petrel."),
        ("Karl", "Where will you keep her?"),
        ("Ines", "In the harbour of Dunmore, next to the ferry."),
        ("Karl", "My own news is that I play the oboe in a quartet."),
    ],
    "orchard": [
        ("Maud", "We planted forty pear trees behind the barn."),
        ("Theo", "I have sold my motorcycle to a teacher."),
        ("Maud", "And our goat is called Duchess."),
    ],
}
_ASKED = {
    "harbour": [
        ("What is the name of Ines's boat?", "Petrel", "D1:1"),
        ("Where does Ines keep her boat?", "Dunmore", "D1:3"),
        ("Which instrument does Karl play?", "the oboe", "D1:4"),
    ],
    "orchard": [
        ("Which trees were planted?", "pear trees", "D1:1"),
        ("To whom did Theo sell the motorcycle?", "a teacher", "D1:2"),
    ],
}


def write_conversations(path: Path) -> Path:
    """Both, in one file."""
    path.write_text(json.dumps([_conversation(name) for name in _SAID]), "utf-8")
    return path


def _conversation(name: str) -> dict[str, Any]:
    said = _SAID[name]
    turns = [{"speaker": speaker, "dia_id": f"D1:{index}", "text": text} for index, (speaker, text) in enumerate(said, 1)]
    questions = [{"question": text, "answer": answer, "evidence": [turn], "category": 4} for text, answer, turn in _ASKED[name]]
    return {
        "sample_id": name,
        "conversation": {
            "speaker_a": said[0][0],
            "speaker_b": said[1][0],
            "session_1_date_time": "2:30 pm on 4 April, 2024",
            "session_1": turns,
        },
        "qa": questions,
    }
