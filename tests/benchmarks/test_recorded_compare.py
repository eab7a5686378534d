"""A comparison whose answers and judgements are recorded."""

import json
from pathlib import Path

from memzoo.benchmarks import Settings, compare
from memzoo.memories import ChatModel
from tests.recording import recorded

TALK = {
    "messages": [
        {"role": "user", "content": "My name is Ada. My cat is called Pixel."},
        {"role": "assistant", "content": "Hello Ada."},
        {"role": "user", "content": "I have to buy milk."},
        {"role": "assistant", "content": "Noted."},
    ],
    "questions": [{"question": "What is my cat called?", "answer": "Pixel", "evidence": [0]}],
}


@recorded("judge")
def test_judge(recorded_model: ChatModel, tmp_path: Path) -> None:
    """What a memory shows is answered rightly, what it has forgotten is not; judge and words agree on both."""
    (tmp_path / "talk.json").write_text(json.dumps(TALK))
    found = compare(
        tmp_path / "talk.json", ["window:k=1", "buffer"], Settings(model=recorded_model, judge=recorded_model)
    )
    rows = {row.memory.name: row.budgets[1000] for row in found.rows}
    judged = {name: row.judged.mean for name, row in rows.items() if row.judged}
    assert (judged["buffer"], judged["window:k=1"]) == (1.0, 0.0)
    assert rows["buffer"].agreement == 1.0
