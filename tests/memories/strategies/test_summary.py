"""A summary that grows with the conversation."""

import itertools
import logging
from typing import Any

import pytest

from memzoo.errors import ModelError, ModelReplyError
from memzoo.memories import ConversationSummaryMemory, create_memory
from memzoo.memories.engine.prompt_limit import TooLongError, count_for_prompt
from memzoo.stores import Message
from memzoo.testing import ScriptedModel

SAID: list[Message] = [{"role": role, "content": f"{role} {n}"} for n in range(5) for role in ("user", "assistant")]


def words(message: Message) -> int:
    """A token counter."""
    return len(str(message["content"]).split())


class TestSaving:
    """How an exchange gets into the summary."""

    def test_takes_one_call(self) -> None:
        """Each save sends the old summary and the new exchange alone, and keeps the answer."""
        model = ScriptedModel("Sam greets.", "Sam greets and leaves.")
        memory = ConversationSummaryMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Hi, I am Sam"}, {"output": "Hello Sam"})
        memory.save_context({"input": "Bye"}, {"output": "See you"})
        assert [name for name, _ in model.asked] == ["summary", "summary"]
        assert "<summary>\n\n</summary>" in model.asked[0][1]
        assert "<summary>\nSam greets.\n</summary>" in model.asked[1][1]
        assert "]\nHuman: Bye\nAI: See you\n</new_lines>" in model.asked[1][1]
        assert memory.summary == "Sam greets and leaves."
        assert memory.load_memory_variables({}) == {"history": "Sam greets and leaves."}

    def test_after_a_failure_takes_one_call_for_all_that_waits(self) -> None:
        """Exchanges that a failing model left behind are summarised together, once each, and shown till then (F2)."""
        model = ScriptedModel("One.", ModelError("down"), "All three.")
        memory = ConversationSummaryMemory(llm=model, on_model_error="defer", learn_every=1)
        for number in range(2):
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
        assert memory.summary == "One."
        memory.save_context({"input": "q2"}, {"output": "a2"})
        assert "]\nHuman: q1\nAI: a1\nHuman: q2\nAI: a2\n</new_lines>" in model.asked[-1][1]
        assert memory.load_memory_variables({}) == {"history": "All three."}

    def test_that_fails_shows_what_waits_behind_the_summary(self) -> None:
        """Until the model answers again, the view is the old summary and the raw messages (I4, F2)."""
        model = ScriptedModel("One.", *[ModelError("down")] * 3)
        memory = ConversationSummaryMemory(llm=model, on_model_error="defer", learn_every=1)
        memory.save_context({"input": "q0"}, {"output": "a0"})
        memory.save_context({"input": "q1"}, {"output": "a1"})
        assert memory.load_memory_variables({}) == {"history": "One.\nHuman: q1\nAI: a1"}
        assert [message["content"] for message in memory.messages()] == ["One.", "q1", "a1"]

    def test_again_after_a_failure_stores_nothing_twice(self) -> None:
        """A retry of a failed save with the same turn id stores one exchange and summarises it once (F2, I2)."""
        model = ScriptedModel(ModelError("down"), "One.")
        memory = ConversationSummaryMemory(llm=model, learn_every=1)
        with pytest.raises(ModelError, match="down"):
            memory.save_context({"input": "q0"}, {"output": "a0"}, turn_id="t")
        memory.save_context({"input": "q0"}, {"output": "a0"}, turn_id="t")
        assert len(memory.history()) == 2
        assert memory.summary == "One."
        assert memory.usage["summary"].calls == 1


class TestReplies:
    """What the model wrote, as a summary."""

    @pytest.mark.parametrize(
        "reply",
        [
            "Sam: he likes tea.",
            "Summary: Sam: he likes tea.",
            "New summary: Sam: he likes tea.",
            "**Updated Summary:** Sam: he likes tea.",
            "## The new summary:\n\nSam: he likes tea.",
            "```\nSam: he likes tea.\n```",
            "```text\nNew summary:\nSam: he likes tea.\n```",
            "\n\n  Sam: he likes tea.  \n",
        ],
    )
    def test_lose_label_and_fence(self, reply: str) -> None:
        """A label before the summary and a code fence around it are no part of it; other colons are."""
        memory = ConversationSummaryMemory(llm=ScriptedModel(reply), learn_every=1)
        memory.save_context({"input": "q"}, {"output": "a"})
        assert memory.summary == "Sam: he likes tea."

    @pytest.mark.parametrize(
        "reply",
        [
            "",
            "```\n```",
            "Summary:",
            "I'm sorry, but I can't help with that.",
            "I cannot summarize this.",
            "Sorry, no.",
        ],
    )
    def test_that_are_none_replace_nothing(self, reply: str) -> None:
        """Nothing, or a refusal, is an error and leaves the old summary (M3, I4)."""
        memory = ConversationSummaryMemory(llm=ScriptedModel("Sam likes tea.", reply), learn_every=1)
        memory.save_context({"input": "q0"}, {"output": "a0"})
        with pytest.raises(ModelReplyError):
            memory.save_context({"input": "q1"}, {"output": "a1"})
        assert memory.summary == "Sam likes tea."

    @pytest.mark.parametrize("reply", ["NOTHING NEW", "Nothing new.", "No new information provided.", "Unchanged"])
    def test_that_nothing_is_new_change_nothing(self, reply: str) -> None:
        """The model may say in several ways that there is nothing to add (LangChain PR #2397)."""
        memory = ConversationSummaryMemory(llm=ScriptedModel("Sam likes tea.", reply), learn_every=1)
        memory.save_context({"input": "q0"}, {"output": "a0"})
        memory.save_context({"input": "thanks"}, {"output": "welcome"})
        assert memory.summary == "Sam likes tea."
        assert memory.load_memory_variables({}) == {"history": "Sam likes tea."}


class TestEmpty:
    """Before anything was said."""

    def test_gives_one_empty_system_message(self) -> None:
        """With `return_messages` there is one element even without a summary, as in LangChain (reference 2.4)."""
        memory = ConversationSummaryMemory(llm=ScriptedModel(), return_messages=True, learn_every=1)
        assert memory.load_memory_variables({}) == {"history": [{"role": "system", "content": ""}]}

    def test_sends_no_empty_message(self) -> None:
        """What is to be sent to a model has no empty system message (I6)."""
        assert ConversationSummaryMemory(llm=ScriptedModel(), return_messages=True, learn_every=1).messages() == []

    def test_then_gives_the_summary_as_a_system_message(self) -> None:
        """With `return_messages` the summary is a system message."""
        memory = ConversationSummaryMemory(llm=ScriptedModel("Sam."), return_messages=True, learn_every=1)
        memory.save_context({"input": "q"}, {"output": "a"})
        assert memory.load_memory_variables({}) == {"history": [{"role": "system", "content": "Sam."}]}


class TestPortions:
    """One call for several exchanges."""

    def test_serves_so_many_exchanges(self) -> None:
        """The model is asked at each third exchange, for all three; till then they are shown word for word."""
        model = ScriptedModel("One to three.", "One to six.")
        memory = ConversationSummaryMemory(llm=model, learn_every=3)
        shown: list[str] = []
        for number in range(1, 8):
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
            shown.append(memory.load_memory_variables({})["history"])
        assert [prompt.partition("<new_lines>")[2].count("Human: q") for _, prompt in model.asked] == [3, 3]
        assert shown[1].strip().splitlines() == ["Human: q1", "AI: a1", "Human: q2", "AI: a2"]
        assert shown[3] == "One to three.\nHuman: q4\nAI: a4"
        assert shown[6] == "One to six.\nHuman: q7\nAI: a7"

    def test_waits_for_the_answer(self) -> None:
        """An exchange whose answer is saved apart counts when the answer is there."""
        model = ScriptedModel("Both.")
        memory = ConversationSummaryMemory(llm=model, learn_every=2)
        for number in range(1, 3):
            memory.add_messages([{"role": "user", "content": f"q{number}"}])
            memory.add_messages([{"role": "assistant", "content": f"a{number}"}])
        ((_, prompt),) = model.asked
        assert "]\nHuman: q1\nAI: a1\nHuman: q2\nAI: a2\n</new_lines>" in prompt

    def test_does_not_wait_for_more_than_a_prompt_holds(self) -> None:
        """Long exchanges are taken in before there are so many."""
        model = ScriptedModel(*["ok"] * 5)
        memory = ConversationSummaryMemory(
            llm=model, learn_every=100, max_pending_tokens=40_000, max_prompt_tokens=9000
        )
        for _ in range(4):
            memory.save_context({"input": "long " * 1200}, {"output": "ok"})
        assert 1 <= len(model.asked) <= 2


class TestLimit:
    """A bound for the summary itself (#17888)."""

    def make(self, *replies: str | Exception, limit: int = 5) -> tuple[ConversationSummaryMemory, ScriptedModel]:
        """A memory that counts words, and its model; much time passes from one call to the next."""
        model, clock = ScriptedModel(*replies), itertools.count(step=1000).__next__
        options: dict[str, Any] = {"max_state_tokens": limit, "token_counter": words, "clock": clock}
        return ConversationSummaryMemory(llm=model, **options, learn_every=1), model

    def test_is_told_to_the_model(self) -> None:
        """In tokens, with those of the old summary; without a limit, what a prompt has room for."""
        memory, model = self.make("Ten letters and ten tokens.", "Short.", limit=90)
        memory.save_context({"input": "q"}, {"output": "a"})
        memory.save_context({"input": "q"}, {"output": "a"})
        assert "at most 85 tokens. The old summary has 5, in 27 characters." in model.asked[1][1]
        free = ScriptedModel("Short.")
        ConversationSummaryMemory(llm=free, learn_every=1).save_context({"input": "q"}, {"output": "a"})
        assert "at most 1425 tokens." in free.asked[0][1]

    def test_that_is_told_stays_the_same(self) -> None:
        """However dense the summary becomes, the room does not shrink."""
        memory, model = self.make("So far, so good.", "1 2 3 4 5 6 7 8 9", "End.", limit=90)
        for _ in range(3):
            memory.save_context({"input": "q"}, {"output": "a"})
        assert all("at most 85 tokens" in prompt for _, prompt in model.asked)

    def test_is_told_with_the_length_to_a_model_that_is_to_shorten(self) -> None:
        """The request to shorten says how long the summary is, and how long it may be."""
        _, model = self.asked_twice()
        assert (
            "The summary is too long: it has 6 tokens, in 29 characters. Write it again in at most 4 tokens."
            in model.asked[1][1]
        )

    def asked_twice(self) -> tuple[ConversationSummaryMemory, ScriptedModel]:
        """A memory whose first summary was too long, and its model."""
        memory, model = self.make("One two three. Four five six.", "One to six.")
        memory.save_context({"input": "q"}, {"output": "a"})
        return memory, model

    def test_asks_once_more_for_a_shorter_one(self) -> None:
        """A summary over the limit goes back to the model, which is to shorten it."""
        memory, model = self.asked_twice()
        assert memory.summary == "One to six."
        assert "<summary>\nOne two three. Four five six.\n</summary>" in model.asked[1][1]
        assert "<new_lines>\n\n</new_lines>" in model.asked[1][1]
        assert "NOTHING NEW" not in model.asked[1][1]

    @pytest.mark.parametrize("second", ["NOTHING NEW", "I'm sorry, I can't.", "One two three. Four five six seven."])
    def test_is_never_kept_by_a_cut(self, second: str, caplog: pytest.LogCaptureFixture) -> None:
        """If the second summary is too long as well, or none, the shorter one is kept whole, and a warning says so."""
        memory, model = self.make("One two three. Four five six.", second)
        with caplog.at_level(logging.WARNING, logger="memzoo"):
            memory.save_context({"input": "q"}, {"output": "a"})
        assert memory.summary == "One two three. Four five six."
        assert "the summary is kept whole, although its 6 tokens are more than 5" in caplog.text
        memory.load_memory_variables({})
        assert len(model.asked) == 2  # nobody is asked again and again to do what they did not do

    def test_fails_with_the_model(self) -> None:
        """If the second call fails, the summary that was paid for is kept, and a later call shortens it (I4)."""
        down = ModelError("down")
        memory, model = self.make("One two three. Four five six.", down, down, "Short.")
        with pytest.raises(ModelError, match="down"):
            memory.save_context({"input": "the question"}, {"output": "a"})
        assert memory.summary == "One two three. Four five six."
        assert memory.load_memory_variables({}) == {"history": "Short."}
        assert ["the question" in prompt for _, prompt in model.asked] == [True, False, False, False]

    def test_lets_a_summary_be_that_fits_exactly(self) -> None:
        """With one token more the model is asked to shorten it."""
        memory, model = self.make("One two three four five.")
        memory.save_context({"input": "q"}, {"output": "a"})
        assert (memory.summary, len(model.asked)) == ("One two three four five.", 1)

    def test_needs_no_token_in_what_was_said(self) -> None:
        """A counter may find no tokens."""
        model = ScriptedModel("Short.", "NOTHING NEW")
        memory = ConversationSummaryMemory(llm=model, max_state_tokens=20, token_counter=lambda _: 0, learn_every=1)
        memory.predict_new_summary([{"role": "user", "content": "Hi"}], "")
        assert "at most 19 tokens" in model.asked[0][1]
        assert memory.predict_new_summary([], "Old.") == "Old."

    @pytest.mark.parametrize(
        ("name", "options"),
        [("summary", {}), ("summary-buffer", {"max_token_limit": 0}), ("summarizing-window", {"max_messages": 1})],
    )
    def test_holds_for_a_stored_summary(self, name: str, options: dict[str, Any]) -> None:
        """A conversation opened with a smaller limit has its summary shortened before it is shown, by one call."""
        first = create_memory(name, llm=ScriptedModel("One two three."), token_counter=words, **options, learn_every=1)
        for question in ("q0", "q1"):
            first.add_messages([{"role": "user", "content": question}], learn=question == "q1")
        model = ScriptedModel("One.")
        limited: dict[str, Any] = {**options, "max_state_tokens": 2}
        second = create_memory(
            name,
            llm=model,
            token_counter=words,
            store=first.store,
            conversation_id=first.conversation_id,
            **limited,
            learn_every=1,
        )
        shown = [str(second.load_memory_variables({})["history"]) for _ in range(2)]
        assert all(text.removeprefix("System: ").startswith("One.") for text in shown)
        assert len(model.asked) == 1

    def test_takes_in_and_shortens_with_one_call(self) -> None:
        """A save under a smaller limit asks once: the summary that takes in what is new keeps to it."""
        first, _ = self.make("One two three.")
        first.save_context({"input": "q"}, {"output": "a"})
        model = ScriptedModel("To four.")
        second = ConversationSummaryMemory(
            llm=model,
            token_counter=first.token_counter,
            store=first.store,
            conversation_id=first.conversation_id,
            learn_every=1,
        )
        second.save_context({"input": "four"}, {"output": "a"})
        assert second.summary == "To four."
        assert len(model.asked) == 1

    def test_holds_with_the_offline_model(self) -> None:
        """The offline model is not confused by the limit, and kept to it."""
        memory = ConversationSummaryMemory(max_state_tokens=16, token_counter="approximate", learn_every=1)
        for name in ("Anna", "Bo", "Cleo", "Dan"):
            memory.save_context({"input": f"My friend {name} lives in Oslo."}, {"output": "Noted."})
            assert 0 < len(memory.summary) <= 64
            assert "characters" not in memory.summary


def test_predicts_without_storing() -> None:
    """`predict_new_summary` makes one call with the given messages and summary, and changes nothing (reference 2.5)."""
    model = ScriptedModel("New.", "NOTHING NEW")
    memory = ConversationSummaryMemory(llm=model, human_prefix="Friend", learn_every=1)
    assert memory.predict_new_summary(SAID[:1], "Old.") == "New."
    assert "<summary>\nOld.\n</summary>" in model.asked[0][1]
    assert "<new_lines>\nFriend: user 0\n</new_lines>" in model.asked[0][1]
    assert memory.predict_new_summary(SAID[:1], "Old.") == "Old."
    assert memory.summary == ""
    assert memory.history() == []


def test_predicts_on_from_a_summary_that_is_too_long_for_a_prompt() -> None:
    """The model sees the sentences that the new lines are most about, and the others stay as they are."""
    model = ScriptedModel("Sam moved to Rome.")
    memory = ConversationSummaryMemory(llm=model, max_prompt_tokens=2_000, learn_every=1)
    old = " ".join(f"Fact number {number} is known to everybody here." for number in range(400))
    said: list[Message] = [{"role": "user", "content": "Sam moved."}]
    summary = memory.predict_new_summary(said, f"{old} Sam lives in Oslo.")
    assert "Sam lives in Oslo." in model.asked[0][1]
    assert summary.endswith("\nSam moved to Rome.")
    assert "Fact number 0 is known" in summary
    assert "Oslo" not in summary


class TestLongSummaries:
    """Summaries that have no room in a prompt beside the new lines, shown by a template that adds nothing."""

    TOKENS = 1536
    # What a prompt says of the length of a summary has so many.
    AROUND = 32

    def make(self, *replies: str) -> tuple[ConversationSummaryMemory, ScriptedModel]:
        """A memory, and its model."""
        model, own = ScriptedModel(*replies), {"summary": "{{ summary }}{{ new_lines }}"}
        return ConversationSummaryMemory(llm=model, max_prompt_tokens=self.TOKENS, prompts=own, learn_every=1), model

    def predicted(self, old: str, new: int) -> tuple[str, str]:
        """What the model is shown of a summary beside so many tokens of new lines, and the new summary."""
        memory, model = self.make("NEW.")
        lines = "Human: " + "x" * (3 * new - len("Human: "))
        summary = memory.predict_new_summary([{"role": "user", "content": lines.removeprefix("Human: ")}], old)
        return model.asked[0][1].removesuffix(lines), summary

    @pytest.mark.parametrize("between", [" ", "\n"])
    def test_are_shown_as_far_as_there_is_room(self, between: str) -> None:
        """Each sentence takes a token more than its words; of equals the newest are shown, in their order."""
        told = [f"This is number {number:03}." for number in range(300)]
        room = self.TOKENS - self.AROUND - 500
        for new, count in ((500, room // 8), (500 + room % 8, room // 8), (501 + room % 8, room // 8 - 1)):
            assert count_for_prompt(told[0]) == 7
            assert self.predicted(between.join(told), new) == (
                between.join(told[-count:]),
                between.join(told[:-count]) + "\nNEW.",
            )

    def test_keep_the_lines_of_each_part(self) -> None:
        """A line of the summary is a line in what is shown, and in what is not."""
        memory, model = self.make("Anna: moved.")
        (first, longer), (second, newer) = (
            ("Anna lives in Oslo.", "Long " * 590 + "ago."),
            ("Bo lives in Rome.", "Very " * 590 + "lately."),
        )
        old = f"{first} {longer}\n{second} {newer}"
        summary = memory.predict_new_summary([{"role": "user", "content": "Anna moved"}], old)
        assert model.asked[0][1] == f"{first}\n{second} {newer}Human: Anna moved"
        assert summary == f"{longer}\nAnna: moved."

    def test_leave_an_eighth_of_the_prompt_or_are_an_error(self) -> None:
        """Where new lines leave less, nobody is asked to write a summary of which hardly anything is shown."""
        old = " ".join(f"This is number {number:03}." for number in range(300))
        assert self.predicted(old, self.TOKENS - self.TOKENS // 8)[1].endswith("\nNEW.")
        with pytest.raises(TooLongError):
            self.predicted(old, self.TOKENS - self.TOKENS // 8 + 1)

    def test_are_shown_whole_with_fewer_exchanges(self) -> None:
        """Of several exchanges that wait, as many are taken in as leave room for all of the summary."""
        long = "A summary. " * 330
        memory, model = self.make(long, *["Shorter."] * 9)
        memory.save_context({"input": "q"}, {"output": "a"})
        for number in range(4):
            said = [{"role": "user", "content": f"q{number} " * 180}, {"role": "assistant", "content": "a"}]
            memory.add_messages(said, learn=False)
        memory.settle()
        assert model.asked[1][1].startswith(f"{long.strip()}Human: q0")
        assert "q1" not in model.asked[1][1]
        assert memory.summary == "Shorter."

    def test_are_shown_in_part_with_one_exchange(self) -> None:
        """Where there is nothing to put off, a save shows what has room and leaves the rest as it is."""
        memory, model = self.make("A summary. " * 330, "Shorter.")
        memory.save_context({"input": "q"}, {"output": "a"})
        memory.save_context({"input": "q " * 500}, {"output": "a"})
        assert 0 < model.asked[1][1].count("A summary.") < 330
        assert memory.summary.endswith("\nShorter.")


def test_what_the_summary_covers_is_deleted_where_no_history_is_kept() -> None:
    """But for the newest turn, in whose place a repetition would come."""
    memory = ConversationSummaryMemory(llm=ScriptedModel(*["So far."] * 4), keep_history=False, learn_every=1)
    left: list[list[Message]] = []
    for message in SAID[:4]:
        memory.add_messages([message])
        left.append(memory.history())
    assert left == [[message] for message in SAID[:4]]
