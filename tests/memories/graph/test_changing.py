"""What a model is shown that new lines may change: fifteen facts of the bundled conversation that were corrected.

`data/bakery.json` has what a large instruction-following model wrote down of the bundled conversation, step by step:
how many messages a step took in, its lines, and which facts that it knew before the step were changed in it.
"""

import json
from itertools import islice
from pathlib import Path
from typing import Any

from memzoo.benchmarks.transcripts import sample_transcripts
from memzoo.memories import ConversationKGMemory
from memzoo.stores import InMemoryStore
from memzoo.testing.contract import ScriptedModel

STEPS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "bakery.json").read_text(encoding="utf-8"))


def known_at_each_step() -> list[str]:
    """What stands under "known" in the prompts, if the model answers as it once did."""
    (talk,) = sample_transcripts()
    now = [talk.exchanges[0].said_at]
    model = ScriptedModel(*("\n".join(step["facts"]) for step in STEPS))
    memory = ConversationKGMemory(
        llm=model,
        store=InMemoryStore(clock=lambda: now[0]),
        human_prefix=talk.user,
        ai_prefix=talk.assistant,
        max_prompt_tokens=20_000,
    )
    said = ((message, one.said_at) for one in talk.exchanges for message in one.messages)
    for step in STEPS:
        messages = list(islice(said, step["messages"]))
        now[0] = messages[-1][1]
        memory.add_messages([message for message, _ in messages])
    return [prompt.partition("<known>\n")[2].partition("\n</known>")[0] for _, prompt in model.asked]


def test_facts_that_change_are_shown_to_the_model_that_changes_them() -> None:
    """Of the fifteen, at least fourteen stand among the known facts, which stay as few as before."""
    known = known_at_each_step()
    changed = [(place, fact) for place, step in enumerate(STEPS) for fact in step["changes"]]
    shown = [fact for place, fact in changed if fact in known[place].splitlines()]
    assert len(changed) == 15
    assert len(shown) >= 14, {fact for _, fact in changed} - set(shown)
    assert max(map(len, known)) <= 2_000


def test_a_line_finds_what_it_corrects() -> None:
    """A single line is enough, however much else is known."""
    model = ScriptedModel(*("\n".join(step["facts"]) for step in STEPS[:4]), "NONE")
    memory = ConversationKGMemory(llm=model, human_prefix="Mara")
    for _ in STEPS[:4]:
        memory.save_context({"input": "Things happened."}, {"output": "ok"})
    memory.save_context({"input": "The vet's name is Dr Okoro, by the way."}, {"output": "Noted."})
    assert "Dr Okafor | is | a vet" in model.asked[-1][1].splitlines()
