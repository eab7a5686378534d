"""Notes about people, places and things."""

import itertools
import logging
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from memzoo.errors import ModelError
from memzoo.memories import ConversationEntityMemory
from memzoo.memories.engine.prompt_limit import count_for_prompt
from memzoo.memories.strategies.entity_notes import EntityIndex, EntityNotes, statements_in
from memzoo.memories.text.framing import frame_text
from memzoo.memories.text.messages import Labels
from memzoo.stores import Message
from memzoo.sync import drive
from memzoo.testing import ScriptedModel

THREE = ["Anna", "Bo", "Cleo"]


# As in LangChain: the model says whom the input is about, and whole notes on these are shown.
ASKING: dict[str, Any] = {"ask_at_load": True, "max_token_limit": None}


def section(prompt: str, tag: str) -> str:
    """What stands between the tags of a prompt."""
    return prompt.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]


def told(*replies: str | Exception, **options: Any) -> tuple[ConversationEntityMemory, ScriptedModel]:
    """A memory that was told of Sam, and its model with further replies."""
    model = ScriptedModel("Sam: Sam is the user's brother.", *replies)
    memory = ConversationEntityMemory(llm=model, **options, learn_every=1)
    memory.save_context({"input": "Sam is my brother"}, {"output": "Nice!"})
    return memory, model


class TestVariables:
    """What loading returns."""

    def test_are_the_exchanges_and_the_notes(self) -> None:
        """The last exchanges are under "history", the notes about whom the input speaks of under "entities"."""
        memory, _ = told("Sam")
        assert memory.load_memory_variables({"input": "Who is Sam?"}) == {
            "history": "Human: Sam is my brother\nAI: Nice!",
            "entities": {"Sam": "Sam is the user's brother."},
        }

    def test_have_langchains_order(self) -> None:
        """`memory_variables` and the loaded dict have LangChain's opposite orders (reference 2.4)."""
        memory, _ = told("Sam")
        assert memory.memory_variables == ["entities", "history"]
        assert list(memory.load_memory_variables({"input": "Sam?"})) == ["history", "entities"]

    def test_follow_memory_key(self) -> None:
        """The exchanges are named by `memory_key`, as in other memories."""
        memory, _ = told("NONE", memory_key="chat")
        assert memory.memory_variables == ["entities", "chat"]
        assert memory.load_memory_variables({"input": "x"}) == {
            "chat": "Human: Sam is my brother\nAI: Nice!",
            "entities": {},
        }

    def test_have_an_empty_note_for_somebody_unknown(self) -> None:
        """A name that nothing is known of is there, with an empty note (reference 2.6, E3)."""
        memory, _ = told("Sam\nZoe", "Sam\nZoe", **ASKING)
        notes = memory.load_memory_variables({"input": "Do Sam and Zoe know each other?"})["entities"]
        assert notes == {"Sam": "Sam is the user's brother.", "Zoe": ""}
        assert "Zoe" not in str(memory.messages("Do Sam and Zoe know each other?"))

    def test_as_messages(self) -> None:
        """`messages` has the notes as one framed message before the exchanges."""
        memory, _ = told("Sam")
        assert memory.messages("Sam?") == [
            {"role": "user", "content": frame_text("Sam: Sam is the user's brother.")},
            {"role": "user", "content": "Sam is my brother"},
            {"role": "assistant", "content": "Nice!"},
        ]

    @pytest.mark.parametrize("k", [1, 2])
    def test_show_k_exchanges(self, k: int) -> None:
        """The last `k` exchanges are shown, and used to tell whom a pronoun means."""
        memory, model = told("NOTHING NEW", "NOTHING NEW", k=k)
        memory.save_context({"input": "He is 30"}, {"output": "ok"})
        shown = memory.load_memory_variables({"input": ""})["history"]
        memory.save_context({"input": "He is 31"}, {"output": "ok"})
        assert shown.count("Human:") == k
        assert section(model.asked[-1][1], "history").partition("\n")[2] == shown

    def test_show_no_exchange_for_k_0(self) -> None:
        """`k` of 0 neither shows nor sends the whole history (K7)."""
        memory, model = told("NOTHING NEW", k=0)
        memory.save_context({"input": "He is 30"}, {"output": "ok"})
        assert memory.load_memory_variables({"input": ""})["history"] == ""
        assert [section(prompt, "history") for _, prompt in model.asked] == [""] * 2


class TestUpdates:
    """Values that a later message changes."""

    def test_need_not_name_what_they_change(self) -> None:
        """The note on what was spoken of just before is shown, so that the new value takes its place (I15)."""
        model = ScriptedModel("Project Budget: is $100,000.", "[1] -> is $150,000, says the CFO.")
        memory = ConversationEntityMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Our Project Budget is $100,000."}, {"output": "Noted."})
        memory.save_context({"input": "Make that $150,000, the CFO says."}, {"output": "Done."})
        assert section(model.asked[-1][1], "known") == "Project Budget:\n[1] is $100,000."
        assert memory.entities == {"Project Budget": "is $150,000, says the CFO."}

    def test_keep_what_was_before_as_history(self) -> None:
        """What was corrected stays in the note with the day and the message that ended it, and is not shown as true."""
        memory, _ = told("[1] -> Sam is the user's cousin.", "[1] -> NO LONGER")
        memory.save_context({"input": "Sam is my cousin, sorry"}, {"output": "ok"})
        memory.save_context({"input": "Sam is nobody to me"}, {"output": "ok"})
        items = drive(memory.store.read_state(memory.conversation_id, "entity")).changes
        past = statements_in(items["sam"])
        assert [(one.text, one.ended_by) for one in past] == [
            ("Sam is the user's brother.", 3),
            ("Sam is the user's cousin.", 5),
        ]
        assert all(one.until == memory.entries()[0].created_at.date() for one in past)
        assert memory.entities == {"Sam": ""}

    def test_add_to_a_note(self) -> None:
        """A line about a known name adds a statement; what was known stays, with the message that said it."""
        memory, _ = told("Sam: Sam is 30.\nSam: Sam is the user's brother.")
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
        assert memory.entities == {"Sam": "Sam is the user's brother. Sam is 30."}
        items = drive(memory.store.read_state(memory.conversation_id, "entity")).changes
        assert [one.seq for one in statements_in(items["sam"])] == [(1, 3), (3,)]

    def test_by_a_number_that_was_not_shown_change_nothing(self) -> None:
        """A number that the model made up ends nothing."""
        memory, _ = told("[7] -> Sam is 30.\n[8] -> NO LONGER")
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
        assert memory.entities == {"Sam": "Sam is the user's brother."}

    def test_see_what_has_their_words(self) -> None:
        """A statement that shares words with the new lines is shown, though its name does not stand there."""
        memory, model = told("[1] -> Sam's brother moved.", k=0)
        memory.save_context({"input": "My brother moved"}, {"output": "ok"})
        assert section(model.asked[-1][1], "known") == "Sam:\n[1] Sam is the user's brother."


class TestNames:
    """One note for each person, however the name is written."""

    @pytest.mark.parametrize("name", ["Sam", "sam", "SAM", "Sam's", '"Sam"', " Sam ", "**Sam**", "the Sam"])
    def test_are_known_in_any_form(self, name: str) -> None:
        """Case, quotes and endings do not make another person (C3, K4)."""
        memory, _ = told(name, **ASKING)
        assert memory.load_memory_variables({"input": "Who?"})["entities"] == {"Sam": "Sam is the user's brother."}

    def test_may_have_a_comma(self) -> None:
        """A company with a comma in its name is one entity (M1)."""
        model = ScriptedModel("Acme, Inc.: Acme, Inc. makes rockets.", "Acme, Inc.")
        memory = ConversationEntityMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Acme, Inc. makes rockets"}, {"output": "I see"})
        loaded = memory.load_memory_variables({"input": "Acme, Inc.?"})
        assert loaded["entities"] == memory.entities == {"Acme, Inc.": "Acme, Inc. makes rockets."}

    def test_are_kept_as_they_were_written(self) -> None:
        """A dot that belongs to a name stays, and with it or without it the name is one."""
        model = ScriptedModel("Pell, Marrow & Co.: let the shop.", "Pell, Marrow & Co: are agents.")
        memory = ConversationEntityMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Pell, Marrow & Co. let the shop"}, {"output": "ok"})
        memory.save_context({"input": "Pell, Marrow & Co are agents"}, {"output": "ok"})
        assert memory.entities == {"Pell, Marrow & Co.": "let the shop. are agents."}

    def test_from_the_assistants_answer_count(self) -> None:
        """Whom the assistant names is noted too (K6)."""
        model = ScriptedModel("Nolan: directed Inception.")
        memory = ConversationEntityMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Recommend a film"}, {"output": "Inception, by Nolan"})
        assert section(model.asked[0][1], "new_lines").endswith("]\nHuman: Recommend a film\nAI: Inception, by Nolan")
        assert memory.entities == {"Nolan": "directed Inception."}

    def test_that_are_new_have_notes_of_their_own(self) -> None:
        """A line for a name that nobody knew is a note on it, not a part of the note above (one reply glued two)."""
        memory, _ = told("Noor: is the apprentice.\nPriya Raman: the loan is £42,500.")
        memory.save_context({"input": "Noor started, and Priya called about the loan"}, {"output": "ok"})
        assert memory.entities["Noor"] == "is the apprentice."
        assert memory.entities["Priya Raman"] == "the loan is £42,500."

    @pytest.mark.parametrize("reply", ["NONE", "None.", "none", "NOTHING NEW"])
    def test_may_be_none(self, reply: str) -> None:
        """With nothing to note, nobody called "None" is known (M1)."""
        model = ScriptedModel(reply)
        memory = ConversationEntityMemory(llm=model, learn_every=1)
        memory.save_context({"input": "hi"}, {"output": "hello"})
        assert memory.entities == {}


class TestAliases:
    """Several names for one entity."""

    def told(self, *replies: str, **options: Any) -> tuple[ConversationEntityMemory, ScriptedModel]:
        """A memory that knows Bob and Robert apart, and then is told that they are one."""
        model = ScriptedModel("Bob: likes tea.", "Robert: is 30.", *replies)
        memory = ConversationEntityMemory(llm=model, k=0, **options, learn_every=1)
        memory.save_context({"input": "Bob likes tea"}, {"output": "ok"})
        memory.save_context({"input": "Robert is 30"}, {"output": "ok"})
        memory.save_context({"input": "Bob is short for Robert"}, {"output": "ok"})
        return memory, model

    @pytest.mark.parametrize("name", ["Bob", "bob's", "Robert"])
    def test_find_one_note(self, name: str) -> None:
        """The note is found by either name, under the one that the model keeps."""
        told = "Bob = Robert\nRobert: is tall."
        memory, _ = self.told(told, name, **ASKING)
        assert memory.load_memory_variables({"input": "Who?"})["entities"] == {"Robert": "is 30. is tall. likes tea."}
        memory, _ = self.told(told)
        assert memory.load_memory_variables({"input": f"Who is {name}?"})["entities"] == memory.entities
        assert memory.aliases == {"Bob": "Robert"}

    def test_lose_no_note(self) -> None:
        """Where the model says no more than that two are one, their notes are put together."""
        memory, _ = self.told("Bob = Robert")
        assert memory.entities == {"Robert": "is 30. likes tea."}

    def test_in_a_circle_are_one(self) -> None:
        """Names that a stored state has stand for each other do not stop a load, and get one note with the next."""
        items = {
            "sam": {"name": "Sam", "of": "bob"},
            "bob": {"name": "Bob", "of": "sam"},
            "bobby": {"name": "Bobby", "of": "sam"},
        }
        model = ScriptedModel("Sam", "Bob: is 30.", "Bobby")
        memory = ConversationEntityMemory(llm=model, **ASKING, learn_every=1)
        memory.save_context({"input": "hi"}, {"output": "hello"})
        key = (memory.conversation_id, "entity")
        known = drive(memory.store.read_state(*key))
        drive(memory.store.commit(*key, expected=known.version, watermark=2, changes=items))
        assert memory.load_memory_variables({"input": "Sam?"})["entities"] == {"Bob": ""}
        assert memory.entities == {}
        assert memory.aliases == {"Bob": "Bob", "Bobby": "Bob", "Sam": "Bob"}
        memory.save_context({"input": "Bobby is 30"}, {"output": "ok"})
        assert memory.load_memory_variables({"input": "Bobby?"})["entities"] == {"Bob": "is 30."}
        assert memory.aliases == {"Bobby": "Bob", "Sam": "Bob"}

    def test_are_told_to_the_model(self) -> None:
        """What is said later under either name comes to the one note, and the model sees which names are one."""
        memory, model = self.told("Bob = Robert", "[1] -> is 31.")
        memory.save_context({"input": "Bob is 31 now"}, {"output": "ok"})
        assert section(model.asked[-1][1], "known") == "Robert (also Bob):\n[1] is 30.\n[2] likes tea."
        assert memory.entities == {"Robert": "likes tea. is 31."}

    def test_that_a_model_repeats_are_no_part_of_the_name(self) -> None:
        """A line that begins with a name and its other names, as the prompt shows them, adds to the note."""
        memory, _ = self.told("Bob = Robert", "Robert  (also Bob): plays chess.")
        memory.save_context({"input": "Bob plays chess"}, {"output": "ok"})
        assert memory.entities == {"Robert": "is 30. likes tea. plays chess."}

    def test_may_be_stated_again_and_the_other_way_round(self) -> None:
        """That changes nothing: no name points to itself."""
        memory, _ = self.told("Bob = Robert\nRobert = Bob\nBob = Robert")
        assert (memory.entities, memory.aliases) == ({"Robert": "is 30. likes tea."}, {"Bob": "Robert"})

    def test_of_aliases_lead_to_one(self) -> None:
        """Three names that are stated two by two have one note."""
        memory, _ = self.told("Bob = Robert", "Robert = Rob Smith")
        memory.save_context({"input": "Robert is Rob Smith"}, {"output": "ok"})
        assert memory.aliases == {"Bob": "Rob Smith", "Robert": "Rob Smith"}
        assert memory.entities == {"Rob Smith": "is 30. likes tea."}

    def test_lead_to_names_that_were_not_shown(self) -> None:
        """A fuller name that the model makes out is kept, and joins the note that it gets later."""
        memory, _ = self.told("Bob = Robert Hall", "Robert Hall: is a baker.")
        memory.save_context({"input": "He is a baker"}, {"output": "ok"})
        assert memory.aliases == {"Bob": "Robert Hall"}
        assert memory.entities["Robert Hall"] == "likes tea. is a baker."

    def test_that_nobody_said_do_not_count(self) -> None:
        """Two names of which neither is known or in the lines make no alias, and such a reply is no answer (I4)."""
        with pytest.raises(ModelError, match="cannot be used"):
            self.told("Zora = Zoltan")

    def test_survive_the_process(self) -> None:
        """Another memory on the same store knows them (I3)."""
        memory, _ = self.told("Bob = Robert")
        other = ConversationEntityMemory(
            llm=ScriptedModel("Bob"), store=memory.store, conversation_id=memory.conversation_id, learn_every=1
        )
        assert list(other.load_memory_variables({"input": "Bob?"})["entities"]) == ["Robert"]

    def test_part_of_a_name_finds_the_whole(self) -> None:
        """Where nobody is called so, whoever has the name as a part is shown."""
        model = ScriptedModel("Bob Smith: likes tea.", "Smith", "Smi")
        memory = ConversationEntityMemory(llm=model, **ASKING, learn_every=1)
        memory.save_context({"input": "Bob Smith likes tea"}, {"output": "ok"})
        assert memory.load_memory_variables({"input": "Smith?"})["entities"] == {"Bob Smith": "likes tea."}
        assert memory.load_memory_variables({"input": "Smi?"})["entities"] == {"Smi": ""}


class TestCalls:
    """How often the model is asked."""

    @pytest.mark.parametrize("said", ["lol that is great", "Thanks!", "ok, good night", "hehe", "lmao"])
    def test_not_for_small_talk(self, said: str) -> None:
        """Where nobody says anything but courtesies, nobody is asked; the next step goes on behind them."""
        memory, model = told("Sam: Sam is 30.")
        memory.save_context({"input": said}, {"output": "You're welcome!"})
        assert len(model.asked) == 1
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
        assert [section(model.asked[-1][1], "new_lines").count(said), len(model.asked)] == [0, 2]

    def test_for_a_yes(self) -> None:
        """What answers a question is no small talk."""
        memory, model = told("NOTHING NEW", "Sam: Sam is coming.")
        memory.save_context({"input": "Sam may visit"}, {"output": "Is he coming?"})
        memory.save_context({"input": "Yes, definitely!"}, {"output": "Great!"})
        assert len(model.asked) == 3

    def test_once_to_save(self) -> None:
        """One call brings all notes up to date, after a load and without one (I11, C3)."""
        memory, model = told("Sam: Sam is 30.\nEve: Eve is 31.")
        memory.save_context({"input": "Sam is 30, Eve 31"}, {"output": "ok"})
        assert [name for name, _ in model.asked] == ["entity_notes", "entity_notes"]
        assert memory.entities == {"Eve": "Eve is 31.", "Sam": "Sam is the user's brother. Sam is 30."}


def words(message: dict[str, Any]) -> int:
    """A token counter."""
    return len(str(message["content"]).split())


class TestLimit:
    """A budget for the notes."""

    def told(self, limit: int | None, **options: Any) -> ConversationEntityMemory:
        """A memory that knows Anna, Bo and Cleo, each spoken of in an exchange of their own, in this order."""
        replies = [
            f"{name}: A friend.\n{name}: Sings well.\n{name}: Likes {drink}."
            for name, drink in zip(THREE, ("milk", "water", "tea"), strict=True)
        ]
        memory = ConversationEntityMemory(
            llm=ScriptedModel(*replies), max_token_limit=limit, token_counter=words, k=2, **options, learn_every=1
        )
        for name in THREE:
            memory.save_context({"input": f"{name} is here"}, {"output": "ok"})
        return memory

    def test_shows_the_statements_that_fit_and_the_first(self) -> None:
        """Of a note, what fits the question is shown, in its order, behind what says who it is on."""
        notes = self.told(5, recalled_role="system").load_memory_variables({"input": "Who likes water?"})["entities"]
        assert notes == {"Bo": "A friend. Likes water."}

    def test_takes_in_those_of_the_last_exchanges(self) -> None:
        """Whom "she" may mean is told by the last `k` exchanges."""
        memory = self.told(5, recalled_role="system")
        assert list(memory.load_memory_variables({"input": "And what does she drink?"})["entities"]) == ["Cleo"]

    def test_is_never_passed(self) -> None:
        """What does not fit is left out, and what fits best goes in first; the frame counts, where there is one."""
        frame = words({"content": frame_text("")})
        for limit, role in itertools.product(range(1, frame + 20), (None, "system")):
            shown = self.told(limit, recalled_role=role).messages("Cleo?")
            notes = [message for message, made in zip(shown, shown.recalled, strict=True) if made]
            assert sum(map(words, notes)) <= limit
            assert notes or limit < 3 + (role is None) * frame
        notes = self.told(frame + 7).load_memory_variables({"input": "Cleo?"})["entities"]
        assert notes == {"Cleo": "A friend. Sings well. Likes tea."}

    def test_may_be_none(self) -> None:
        """Without a limit the whole notes on those whom the input names are shown, and no others."""
        memory = self.told(None)
        assert memory.load_memory_variables({"input": "Bo?"})["entities"] == {"Bo": memory.entities["Bo"]}


class TestFailure:
    """A model that cannot tell whom the input is about."""

    def test_on_load_is_not_met_without_words(self) -> None:
        """Of an input without words nobody is asked, and nothing is shown."""
        memory, model = told(**ASKING)
        assert memory.load_memory_variables({"input": " "})["entities"] == {}
        assert len(model.asked) == 1

    def test_on_load_names_forty_that_are_known_at_most(self) -> None:
        """However many fit the question, the model is shown forty, each with a statement."""
        memory, model = told("\n".join(f"Name{at}: Likes tea." for at in range(60)), "NONE", ask_at_load=True)
        memory.save_context({"input": "They all like tea"}, {"output": "ok"})
        memory.load_memory_variables({"input": "Who likes tea?"})
        assert len(section(model.asked[-1][1], "known").splitlines()) == 40

    @pytest.mark.parametrize("reply", [ModelError("down"), "I'm sorry, but I can't help with that."])
    def test_on_load_falls_back_to_known_names(self, reply: str | Exception, caplog: pytest.LogCaptureFixture) -> None:
        """Names that are known already are found in the input without a model, and the log says so (I4)."""
        memory, _ = told(reply, **ASKING)
        with caplog.at_level(logging.WARNING, logger="memzoo"):
            loaded = memory.load_memory_variables({"input": "Tell me about Sam, please"})
        assert loaded["entities"] == {"Sam": "Sam is the user's brother."}
        assert "searched only for known names" in caplog.text

    def test_on_load_finds_whole_names_only(self) -> None:
        """Without a model, Sam is not found in "same" or "Samuel"."""
        memory, _ = told(ModelError("down"), **ASKING)
        assert memory.load_memory_variables({"input": "The same for Samuel"})["entities"] == {}

    def test_on_save_keeps_all_notes_or_none(self) -> None:
        """A failing update leaves all notes as they were; the next save makes up for it (F3)."""
        memory, _ = told(ModelError("down"), "[1] -> is 30.\nBo: is 31.")
        with pytest.raises(ModelError):
            memory.save_context({"input": "Sam is 30, Bo is 31"}, {"output": "ok"})
        assert memory.entities == {"Sam": "Sam is the user's brother."}
        memory.save_context({"input": "Sam again"}, {"output": "bye"})
        assert memory.entities == {"Bo": "is 31.", "Sam": "is 30."}

    @pytest.mark.parametrize("k", [0, 1, 2, 3, 4])
    def test_shows_each_waiting_exchange_once(self, k: int) -> None:
        """What waits longer than `k` exchanges is shown before the last ones, and nothing is shown twice (I4)."""
        memory, _ = told(*[ModelError("down")] * 4, "NONE", k=k, on_model_error="defer")
        for number in range(2):
            memory.save_context({"input": f"q{number}"}, {"output": f"a{number}"})
        shown = memory.load_memory_variables({"input": "Sam?"})["history"].splitlines()
        waiting = ["Human: q0", "AI: a0", "Human: q1", "AI: a1"]
        assert shown == (["Human: Sam is my brother", "AI: Nice!", *waiting] if k > 2 else waiting)

    def test_shows_what_was_not_noted_yet(self) -> None:
        """With `k` of 0, exchanges that wait are shown word for word nevertheless (I4)."""
        memory, _ = told(ModelError("down"), ModelError("down"), "Sam", k=0, on_model_error="defer")
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
        assert memory.load_memory_variables({"input": "Sam?"})["history"] == "Human: Sam is 30\nAI: ok"


def test_long_notes_leave_room_for_what_is_new() -> None:
    """Notes are shown in part where they would be longer than a prompt may be, and lose nothing by it."""
    names = [f"Person{number}" for number in range(12)]
    prompts: list[str] = []

    def model(messages: list[Message]) -> str:
        prompts.append(messages[0]["content"])
        return "\n".join(f"{name}: {name} {'knows much ' * 30}and sings {len(prompts)}." for name in names)

    memory = ConversationEntityMemory(llm=model, max_prompt_tokens=2000, learn_every=1)
    for number in range(9):
        memory.save_context({"input": f"All of them sing song {number}"}, {"output": "ok"})
    assert "All of them sing song 8" in prompts[-1]
    assert max(map(count_for_prompt, prompts)) <= 2000
    assert all(note.count("and sings") == 9 for note in memory.entities.values())


ITEMS = (
    some.none()
    | some.sampled_from(THREE).map(lambda name: {"name": name, "of": name.lower()})
    | some.integers(0, 9).map(lambda seq: {"name": "Anna", "statements": [{"text": f"{seq}.", "seq": [seq]}]})
)


@given(some.lists(some.tuples(some.sampled_from(["anna", "bo", "cleo", "dan"]), ITEMS, some.integers(0, 5))))
def test_an_index_that_followed_changes_is_as_one_of_what_is_left(changes: list[tuple[str, Any, int]]) -> None:
    """Which notes were added to last, what they say, and which names are others: whatever was there before."""
    followed, now = EntityIndex(), dict[str, Any]()
    for key, item, chance in changes:
        followed.apply({key: item}, reset=not chance)
        now = {key: item} if not chance else {**now, key: item}
        EntityNotes({key: item} if item else {}, followed).statements(key)
    items = {key: item for key, item in now.items() if item}
    one, other = (EntityNotes(items, index) for index in (followed, EntityIndex(items)))
    assert one.lately(3) == other.lately(3)
    assert one.find_asked("Anna and Bo?", Labels()) == other.find_asked("Anna and Bo?", Labels())
    assert followed.lately(9) == EntityIndex(items).lately(9)
    assert [*one.find_names("Anna, Bo, Cleo and Dan")] == [*other.find_names("Anna, Bo, Cleo and Dan")]
    for key in items:
        assert one.statements(key) == EntityNotes(items).statements(key)
        assert one.others(key) == other.others(key)


def test_notes_that_were_added_to_last_are_named_first() -> None:
    """The newest message that a note has anything from decides; of equals, the key."""
    seqs = {"anna": [1, 2], "bo": [4, 3], "cleo": [2], "dan": [1]}
    items = {
        key: {"name": key, "statements": [{"text": f"{seq}.", "seq": [seq]} for seq in said]}
        for key, said in seqs.items()
    }
    assert EntityNotes(items | {"b": {"name": "B", "of": "bo"}}).lately(3) == ["bo", "anna", "cleo"]


def test_another_name_for_a_label_of_the_same_reply_is_kept() -> None:
    """A label that the model has just made up may have another name, though neither stands in what was said."""
    memory = ConversationEntityMemory(
        llm=ScriptedModel("the new flat: Has five floors.\nthe new home = the new flat"), learn_every=1
    )
    memory.save_context({"input": "We take the one with five floors."}, {"output": "Good."})
    assert memory.aliases == {"the new home": "the new flat"}


def test_learning_anew_sees_what_it_has_just_learnt() -> None:
    """The statements that new lines may change are looked for among those learnt anew."""
    prompts: list[str] = []

    def model(messages: list[Message]) -> str:
        new = section(messages[-1]["content"], "new_lines")
        if new.count("Human:") > 1:
            raise ModelError("too much at once")
        prompts.append(messages[-1]["content"])
        return f"Rex: Chases {'squirrels' if len(prompts) > 2 else 'cats'}." if "Rex" in new else "NOTHING NEW"

    memory = ConversationEntityMemory(llm=model, k=0, learn_every=1)
    for said in ("Rex chases animals", "No more squirrels, no more cats"):
        memory.save_context({"input": said}, {"output": "noted"})
    memory.relearn()
    known = [prompt.partition("<known>")[2].partition("</known>")[0].strip() for prompt in prompts]
    assert known == ["", "Rex:\n[1] Chases cats.", "", "Rex:\n[1] Chases squirrels."]
