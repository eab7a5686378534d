"""States that are read from what a model once replied."""

import json
from pathlib import Path

import pytest

from memzoo.benchmarks import Transcript
from memzoo.benchmarks.research.known_states import read_replies
from memzoo.errors import OptionError
from memzoo.memories.strategies.entity_notes import EntityNotes


def asked(number: int, known: str, new: str, reply: str) -> dict[str, str]:
    """A prompt of that time for notes, and the reply."""
    prompt = f"Task: entity_update.\n<known>\n{known}\n</known>\n<new_lines>\n{new}\n</new_lines>"
    return {"name": f"derive-{number}", "prompt": prompt, "reply": reply}


def replied(folder: Path, transcript: Transcript) -> Path:
    """Replies to two prompts, of which the second shows a note without its first sentence."""
    first, second = (str(one.messages[0]["content"]) for one in transcript.exchanges[:2])
    file = folder / "entity.json"
    steps = [
        asked(1, "", first, "Anna: Lives in Oslo. Likes tea."),
        asked(2, "Anna: Likes tea.", second, "Anna: Likes milk."),
        {"name": "load-1", "prompt": "Who?", "reply": "Anna"},
    ]
    file.write_text(json.dumps(steps), encoding="utf-8")
    return file


@pytest.mark.parametrize(("erased", "note"), [(False, "Lives in Oslo. Likes milk."), (True, "Likes milk.")])
def test_what_a_prompt_cut_out_stays_or_is_gone(
    tmp_path: Path, transcript: Transcript, note: str, *, erased: bool
) -> None:
    """Nobody left out what a prompt did not show: today it stays, then it was lost."""
    talk = read_replies(transcript, "entity", replied(tmp_path, transcript), erased=erased)
    assert EntityNotes(talk.items).notes == {"Anna": note}


def test_replies_of_another_talk_are_refused(tmp_path: Path, transcript: Transcript) -> None:
    """Whose new lines nobody said cannot be dated."""
    file = tmp_path / "entity.json"
    file.write_text(json.dumps([asked(1, "", "Nobody said so", "Anna: Sleeps.")]), encoding="utf-8")
    with pytest.raises(OptionError, match="derive-1: its new lines are not those of this talk"):
        read_replies(transcript, "entity", file)
