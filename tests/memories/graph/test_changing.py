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
from memzoo.testing import ScriptedModel

STEPS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "bakery.json").read_text(encoding="utf-8"))


def shown_at_each_step() -> list[tuple[str, str]]:
    """What stands under "known" in the prompts, with the new lines, if the model answers as it once did."""
    (talk,) = sample_transcripts()
    now = [talk.exchanges[0].said_at]
    model = ScriptedModel(*("\n".join(step["facts"]) for step in STEPS))
    memory = ConversationKGMemory(
        llm=model,
        store=InMemoryStore(clock=lambda: now[0]),
        human_prefix=talk.user,
        ai_prefix=talk.assistant,
        max_prompt_tokens=20_000,
        learn_every=1,
    )
    said = ((message, one.said_at) for one in talk.exchanges for message in one.messages)
    for step in STEPS:
        messages = list(islice(said, step["messages"]))
        now[0] = messages[-1][1]
        memory.add_messages([message for message, _ in messages])
    return [(section("known", prompt), section("new_lines", prompt)) for _, prompt in model.asked]


def section(name: str, prompt: str) -> str:
    """What stands between two tags of a prompt."""
    return prompt.partition(f"<{name}>\n")[2].partition(f"\n</{name}>")[0]


def test_facts_that_change_are_shown_to_the_model_that_changes_them() -> None:
    """Of the fifteen, all stand among the known facts, which are 2,000 bytes, or as many as the new lines."""
    asked = shown_at_each_step()
    known = [one for one, _ in asked]
    changed = [(place, fact) for place, step in enumerate(STEPS) for fact in step["changes"]]
    shown = [fact for place, fact in changed if fact in known[place].splitlines()]
    assert len(changed) == 15
    assert len(shown) == 15, {fact for _, fact in changed} - set(shown)
    assert all(len(one.encode()) <= max(2_000, len(new.encode())) for one, new in asked)


def test_a_line_finds_what_it_corrects() -> None:
    """A single line is enough, however much else is known."""
    model = ScriptedModel(*("\n".join(step["facts"]) for step in STEPS[:4]), "NONE")
    memory = ConversationKGMemory(llm=model, human_prefix="Mara", learn_every=1)
    for _ in STEPS[:4]:
        memory.save_context({"input": "Things happened."}, {"output": "ok"})
    memory.save_context({"input": "The vet's name is Dr Okoro, by the way."}, {"output": "Noted."})
    assert "Dr Okafor | is | a vet" in model.asked[-1][1].splitlines()


def test_another_name_is_shown_as_it_is_to_be_written() -> None:
    """What "Bob = Robert" stated stands so among the known facts; and it can be ended so."""
    model = ScriptedModel("Demir = Yusuf Demir", "NO LONGER Demir = Yusuf Demir", "NONE")
    memory = ConversationKGMemory(llm=model, learn_every=1)
    for _ in range(3):
        memory.save_context({"input": "The man is called Yusuf Demir, or Demir."}, {"output": "ok"})
    first, second = (section("known", prompt) for _, prompt in model.asked[1:])
    assert (first, second) == ("Demir = Yusuf Demir", "")
