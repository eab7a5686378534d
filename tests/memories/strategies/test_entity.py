"""Notes about people, places and things."""

import logging
from typing import Any

import pytest

from memzoo.memories import ConversationEntityMemory
from memzoo.memories.engine.prompt_limit import estimated
from memzoo.memories.strategies.entity_notes import EntityNotes
from memzoo.memories.testing.contract import ScriptedModel
from memzoo.stores import Message
from memzoo.stores.driving import drive
from memzoo.stores.errors import ModelError, OptionError

EIGHT = ["Anna", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gina", "Hal"]


# As in LangChain: the model says whom the input is about, and whole notes on these are shown.
ASKING: dict[str, Any] = {"ask_at_load": True, "max_token_limit": None}


def section(prompt: str, tag: str) -> str:
    """What stands between the tags of a prompt."""
    return prompt.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]


def told(*replies: str | Exception, **options: Any) -> tuple[ConversationEntityMemory, ScriptedModel]:
    """A memory that was told of Sam (two replies), and its model with further replies."""
    model = ScriptedModel("Sam", "Sam: Sam is the user's brother.", *replies)
    memory = ConversationEntityMemory(llm=model, **options)
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

    def test_follow_chat_history_key(self) -> None:
        """The exchanges are named by `chat_history_key`, not by `memory_key` (reference 2.4)."""
        memory, _ = told("NONE", chat_history_key="chat", memory_key="unused")
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
        """`messages` has the notes as one system message before the exchanges."""
        memory, _ = told("Sam")
        assert memory.messages("Sam?") == [
            {"role": "system", "content": "Sam: Sam is the user's brother."},
            {"role": "user", "content": "Sam is my brother"},
            {"role": "assistant", "content": "Nice!"},
        ]

    @pytest.mark.parametrize("k", [1, 2])
    def test_show_k_exchanges(self, k: int) -> None:
        """The last `k` exchanges are shown, and used to tell whom a pronoun means."""
        memory, model = told("NONE", "NONE", k=k, **ASKING)
        memory.save_context({"input": "He is 30"}, {"output": "ok"})
        shown = memory.load_memory_variables({"input": "How old is he?"})["history"]
        assert shown.count("Human:") == k
        assert section(model.asked[-1][1], "history") == shown

    def test_show_no_exchange_for_k_0(self) -> None:
        """`k` of 0 neither shows nor sends the whole history (K7)."""
        memory, model = told("NONE", "NONE", k=0, **ASKING)
        memory.save_context({"input": "He is 30"}, {"output": "ok"})
        assert memory.load_memory_variables({"input": "How old is he?"})["history"] == ""
        assert [section(prompt, "history") for _, prompt in model.asked] == [""] * 4

    @pytest.mark.parametrize("k", [2.0, "3", None])
    def test_refuse_another_k(self, k: int) -> None:
        """`k` is a whole number."""
        with pytest.raises(OptionError, match="k must be a whole number"):
            ConversationEntityMemory(llm=ScriptedModel(), k=k)


class TestUpdates:
    """Values that a later message changes."""

    def test_need_not_name_what_they_change(self) -> None:
        """The note on what was spoken of just before is shown, so that the new value takes its place (I15)."""
        model = ScriptedModel(
            "Project Budget", "Project Budget: is $100,000.", "CFO", "Project Budget: is $150,000, says the CFO."
        )
        memory = ConversationEntityMemory(llm=model)
        memory.save_context({"input": "Our Project Budget is $100,000."}, {"output": "Noted."})
        memory.save_context({"input": "Make that $150,000, the CFO says."}, {"output": "Done."})
        assert section(model.asked[-1][1], "known") == "CFO: \nProject Budget: is $100,000."
        assert memory.entities == {"Project Budget": "is $150,000, says the CFO."}

    def test_show_so_many_notes_only(self) -> None:
        """However many known names were spoken of before, ten notes besides those asked for are shown (I12)."""
        names = [f"Name{number}" for number in range(30)]
        notes = "\n".join(f"{name}: is here." for name in names)
        model = ScriptedModel(", ".join(names), notes, "Sam", "Sam: is new.")
        memory = ConversationEntityMemory(llm=model)
        memory.save_context({"input": " ".join(names)}, {"output": "ok"})
        memory.save_context({"input": "Sam came too"}, {"output": "ok"})
        assert len(section(model.asked[-1][1], "known").splitlines()) == 11


class TestNames:
    """One note for each person, however the name is written."""

    @pytest.mark.parametrize("name", ["Sam", "sam", "SAM", "Sam's", '"Sam"', " Sam ", "**Sam**", "the Sam"])
    def test_are_known_in_any_form(self, name: str) -> None:
        """Case, quotes and endings do not make another person (C3, K4)."""
        memory, _ = told(name, **ASKING)
        assert memory.load_memory_variables({"input": "Who?"})["entities"] == {"Sam": "Sam is the user's brother."}

    def test_may_have_a_comma(self) -> None:
        """A company with a comma in its name is one entity (M1)."""
        model = ScriptedModel("Acme, Inc.", "Acme, Inc.: Acme, Inc. makes rockets.", "Acme, Inc.")
        memory = ConversationEntityMemory(llm=model)
        memory.save_context({"input": "Acme, Inc. makes rockets"}, {"output": "I see"})
        loaded = memory.load_memory_variables({"input": "Acme, Inc.?"})
        assert loaded["entities"] == memory.entities == {"Acme, Inc.": "Acme, Inc. makes rockets."}

    def test_stand_once_in_the_question(self) -> None:
        """A name that the model lists in four spellings is asked about once (C3, M1)."""
        memory, model = told("Sam, sam, SAM, Sam", "Sam: Sam is 30.")
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
        assert section(model.asked[-1][1], "known") == "Sam: Sam is the user's brother."
        assert memory.entities == {"Sam": "Sam is 30."}

    def test_from_the_assistants_answer_count(self) -> None:
        """Whom the assistant names is found and noted too (K6)."""
        model = ScriptedModel("Nolan", "Nolan: directed Inception.")
        memory = ConversationEntityMemory(llm=model)
        memory.save_context({"input": "Recommend a film"}, {"output": "Inception, by Nolan"})
        assert section(model.asked[0][1], "new_lines") == "Human: Recommend a film\nAI: Inception, by Nolan"
        assert memory.entities == {"Nolan": "directed Inception."}

    def test_from_the_answer_count_after_a_load_too(self) -> None:
        """A name that only the answer has may be noted without another call; one that nobody said may not (K6)."""
        model = ScriptedModel("NONE", "Nolan: directed Inception.\nSpielberg: is not in it.")
        memory = ConversationEntityMemory(llm=model, **ASKING)
        memory.load_memory_variables({"input": "Recommend a film"})
        memory.save_context({"input": "Recommend a film"}, {"output": "Inception, by Nolan"})
        assert list(memory.entities) == ["Nolan"]
        assert len(model.asked) == 2

    @pytest.mark.parametrize("reply", ["NONE", "None.", "none", "NOTHING NEW"])
    def test_may_be_none(self, reply: str) -> None:
        """With nobody to note, a save ends after its first call, and nobody called "None" is known (M1)."""
        model = ScriptedModel(reply)
        memory = ConversationEntityMemory(llm=model)
        memory.save_context({"input": "hi"}, {"output": "hello"})
        assert memory.entities == {}


class TestAliases:
    """Several names for one entity."""

    def told(self, *replies: str, **options: Any) -> tuple[ConversationEntityMemory, ScriptedModel]:
        """A memory that knows Bob and Robert apart, and then is told that they are one."""
        model = ScriptedModel("Bob", "Bob: likes tea.", "Robert", "Robert: is 30.", *replies)
        memory = ConversationEntityMemory(llm=model, k=0, **options)
        memory.save_context({"input": "Bob likes tea"}, {"output": "ok"})
        memory.save_context({"input": "Robert is 30"}, {"output": "ok"})
        memory.save_context({"input": "Bob is short for Robert"}, {"output": "ok"})
        return memory, model

    @pytest.mark.parametrize("name", ["Bob", "bob's", "Robert"])
    def test_find_one_note(self, name: str) -> None:
        """The note is found by either name, under the one that the model keeps."""
        both = ("Bob\nRobert", "Bob = Robert\nRobert: is 30 and likes tea.")
        memory, _ = self.told(*both, name, **ASKING)
        assert memory.load_memory_variables({"input": "Who?"})["entities"] == {"Robert": "is 30 and likes tea."}
        memory, _ = self.told(*both)
        assert memory.load_memory_variables({"input": f"Who is {name}?"})["entities"] == memory.entities
        assert memory.entities == {"Robert": "is 30 and likes tea."}
        assert memory.aliases == {"Bob": "Robert"}

    def test_lose_no_note(self) -> None:
        """Where the model says no more than that two are one, their notes are put together."""
        memory, _ = self.told("Bob\nRobert", "Bob = Robert")
        assert memory.entities == {"Robert": "is 30. likes tea."}

    def test_lose_no_note_that_was_not_shown(self) -> None:
        """A new note replaces only what the model saw when it wrote it."""
        items = {"bob": {"name": "Bob", "summary": "likes tea."}, "robert": {"name": "Robert", "summary": "is 30."}}
        changed = EntityNotes(items).changes({"Robert": "is 31."}, {"Bob": "Robert"}, ["Robert"])
        assert EntityNotes(changed).notes == {"Robert": "is 31. likes tea."}

    def test_in_a_circle_are_one(self) -> None:
        """Names that a stored state has stand for each other do not stop a load, and get one note with the next."""
        items = {
            "sam": {"name": "Sam", "of": "bob"},
            "bob": {"name": "Bob", "of": "sam"},
            "bobby": {"name": "Bobby", "of": "sam"},
        }
        model = ScriptedModel("NONE", "Sam", "Bobby", "Bob: is 30.", "Bobby")
        memory = ConversationEntityMemory(llm=model, **ASKING)
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
        memory, model = self.told("Bob, Robert", "Bob = Robert", "Bob", "Bob: likes tea, is 31.")
        memory.save_context({"input": "Bob is 31 now"}, {"output": "ok"})
        assert section(model.asked[-1][1], "known") == "Robert: is 30. likes tea.\nBob = Robert"
        assert memory.entities == {"Robert": "likes tea, is 31."}

    def test_may_be_stated_again_and_the_other_way_round(self) -> None:
        """That changes nothing: no name points to itself."""
        memory, _ = self.told("Bob, Robert", "Bob = Robert\nRobert = Bob\nBob = Robert")
        assert (memory.entities, memory.aliases) == ({"Robert": "is 30. likes tea."}, {"Bob": "Robert"})

    def test_of_aliases_lead_to_one(self) -> None:
        """Three names that are stated two by two have one note."""
        memory, _ = self.told("Bob, Robert", "Bob = Robert", "Robert\nRob Smith", "Robert = Rob Smith")
        memory.save_context({"input": "Robert is Rob Smith"}, {"output": "ok"})
        assert memory.aliases == {"Bob": "Rob Smith", "Robert": "Rob Smith"}
        assert memory.entities == {"Rob Smith": "is 30. likes tea."}

    def test_that_nobody_said_do_not_count(self) -> None:
        """A name that is neither known nor in the lines makes no alias, and such a reply is no answer (I4)."""
        with pytest.raises(ModelError, match="cannot be used"):
            self.told("Bob", "Bob = Zoltan")

    def test_survive_the_process(self) -> None:
        """Another memory on the same store knows them (I3)."""
        memory, _ = self.told("Bob\nRobert", "Bob = Robert")
        other = ConversationEntityMemory(
            llm=ScriptedModel("Bob"), store=memory.store, conversation_id=memory.conversation_id
        )
        assert list(other.load_memory_variables({"input": "Bob?"})["entities"]) == ["Robert"]

    def test_part_of_a_name_finds_the_whole(self) -> None:
        """Where nobody is called so, whoever has the name as a part is shown."""
        model = ScriptedModel("Bob Smith", "Bob Smith: likes tea.", "Smith", "Smi")
        memory = ConversationEntityMemory(llm=model, **ASKING)
        memory.save_context({"input": "Bob Smith likes tea"}, {"output": "ok"})
        assert memory.load_memory_variables({"input": "Smith?"})["entities"] == {"Bob Smith": "likes tea."}
        assert memory.load_memory_variables({"input": "Smi?"})["entities"] == {"Smi": ""}


class TestCalls:
    """How often the model is asked."""

    def test_once_to_load_and_once_to_save(self) -> None:
        """The save uses the names that the load before it found (I11, C3)."""
        memory, model = told("Sam", "Sam: Sam is 30.", **ASKING)
        memory.load_memory_variables({"input": "Sam is 30"})
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
        assert [name for name, _ in model.asked[2:]] == ["current_entities", "entity_update"]

    def test_twice_to_save_without_a_load(self) -> None:
        """A save works without a load before it: LangChain's noted nothing then (reference 2.6)."""
        memory, model = told()
        assert [name for name, _ in model.asked] == ["entity_extraction", "entity_update"]
        assert memory.entities == {"Sam": "Sam is the user's brother."}

    def test_twice_for_eight_names_too(self) -> None:
        """Eight entities are brought up to date in one call, not in eight (C3, I11)."""
        model = ScriptedModel("\n".join(EIGHT), "\n".join(f"{name}: {name} is here." for name in EIGHT))
        memory = ConversationEntityMemory(llm=model)
        memory.save_context({"input": f"Here are {', '.join(EIGHT)}"}, {"output": "Welcome!"})
        assert memory.entities == {name: f"{name} is here." for name in EIGHT}
        assert len(model.asked) == 2

    def test_again_if_another_input_was_loaded(self) -> None:
        """Names found for one input are not used for another."""
        memory, model = told("Bo", "Sam", "Sam: Sam is 30.", **ASKING)
        memory.load_memory_variables({"input": "Who is Bo?"})
        memory.save_context({"input": "Sam is 30"}, {"output": "ok"})
        assert [name for name, _ in model.asked[3:]] == ["entity_extraction", "entity_update"]

    def test_again_if_somebody_spoke_in_between(self) -> None:
        """Names found for a turn are not used for the same words later in the conversation."""
        memory, model = told("NONE", "NONE", "NONE", "NONE", **ASKING)
        memory.load_memory_variables({"input": "hi"})
        memory.add_messages([{"role": "user", "content": "other"}])
        memory.save_context({"input": "hi"}, {"output": "hello"})
        assert [name for name, _ in model.asked[2:]] == ["current_entities", "entity_extraction", "entity_extraction"]


def words(message: dict[str, Any]) -> int:
    """A token counter."""
    return len(str(message["content"]).split())


class TestLimit:
    """A budget for the notes."""

    def told(self, limit: int | None, **options: Any) -> ConversationEntityMemory:
        """A memory that knows Anna, Bo and Cleo, each spoken of in an exchange of their own, in this order."""
        replies = [
            reply
            for name, drink in zip(EIGHT[:3], ("milk", "water", "tea"), strict=True)
            for reply in (name, f"{name}: A friend. Sings well. Likes {drink}.")
        ]
        memory = ConversationEntityMemory(
            llm=ScriptedModel(*replies), max_token_limit=limit, token_counter=words, k=2, **options
        )
        for name in EIGHT[:3]:
            memory.save_context({"input": f"{name} is here"}, {"output": "ok"})
        return memory

    def test_shows_the_statements_that_fit_and_the_first(self) -> None:
        """Of a note, what fits the question is shown, in its order, behind what says who it is on."""
        notes = self.told(5).load_memory_variables({"input": "Who likes water?"})["entities"]
        assert notes == {"Bo": "A friend. Likes water."}

    def test_takes_in_those_of_the_last_exchanges(self) -> None:
        """Whom "she" may mean is told by the last `k` exchanges."""
        notes = self.told(5).load_memory_variables({"input": "And what does she drink?"})["entities"]
        assert list(notes) == ["Cleo"]

    def test_is_never_passed(self) -> None:
        """What does not fit is left out, and what fits best goes in first."""
        for limit in range(1, 20):
            memory = self.told(limit)
            shown = [message for message in memory.messages("Cleo?") if message["role"] == "system"]
            assert sum(map(words, shown)) <= limit
        notes = self.told(7).load_memory_variables({"input": "Cleo?"})["entities"]
        assert notes == {"Cleo": "A friend. Sings well. Likes tea."}

    def test_may_be_none(self) -> None:
        """Without a limit the whole notes on those whom the input names are shown, and no others."""
        memory = self.told(None)
        assert memory.load_memory_variables({"input": "Bo?"})["entities"] == {"Bo": memory.entities["Bo"]}

    @pytest.mark.parametrize("limit", [0, 1.5, "9"])
    def test_is_a_whole_number(self, limit: int) -> None:
        """Another limit is refused."""
        with pytest.raises(OptionError, match="max_token_limit must be a whole number of at least 1"):
            ConversationEntityMemory(max_token_limit=limit)


class TestFailure:
    """A model that cannot tell whom the input is about."""

    @pytest.mark.parametrize("reply", [ModelError("down"), "I'm sorry, but I can't help with that."])
    def test_on_load_falls_back_to_known_names(self, reply: str | Exception, caplog: pytest.LogCaptureFixture) -> None:
        """Names that are known already are found in the input without a model, and the log says so (I4)."""
        memory, _ = told(reply, **ASKING)
        with caplog.at_level(logging.WARNING, logger="memzoo"):
            loaded = memory.load_memory_variables({"input": "Tell me about Sam, please"})
        assert loaded["entities"] == {"Sam": "Sam is the user's brother."}
        assert "only names that are known already" in caplog.text

    def test_on_load_finds_whole_names_only(self) -> None:
        """Without a model, Sam is not found in "same" or "Samuel"."""
        memory, _ = told(ModelError("down"), **ASKING)
        assert memory.load_memory_variables({"input": "The same for Samuel"})["entities"] == {}

    def test_on_load_is_no_finding_for_the_save(self) -> None:
        """A save after a load that failed looks for the names itself, instead of noting nobody (I4, F3)."""
        memory, model = told(ModelError("down"), "Bo", "Bo: likes tea.", **ASKING)
        memory.load_memory_variables({"input": "Bo likes tea"})
        memory.save_context({"input": "Bo likes tea"}, {"output": "ok"})
        assert [name for name, _ in model.asked[3:]] == ["entity_extraction", "entity_update"]
        assert memory.entities["Bo"] == "likes tea."

    def test_on_save_keeps_all_notes_or_none(self) -> None:
        """A failing update leaves all notes as they were; the next save makes up for it (F3)."""
        memory, _ = told("Sam\nBo", ModelError("down"), "Sam\nBo", "Sam: is 30.\nBo: is 31.")
        with pytest.raises(ModelError):
            memory.save_context({"input": "Sam is 30, Bo is 31"}, {"output": "ok"})
        assert memory.entities == {"Sam": "Sam is the user's brother."}
        memory.save_context({"input": "bye"}, {"output": "bye"})
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
    """Notes are cut for the prompt, each to an equal share, where they would be longer than a prompt may be."""
    names = [f"Person{number}" for number in range(12)]
    prompts: list[str] = []

    def model(messages: list[Message]) -> str:
        prompts.append(messages[0]["content"])
        if "Task: entity_extraction" in prompts[-1]:
            return ", ".join(names)
        return "\n".join(f"{name}: {name} {'knows much ' * 300}and sings." for name in names)

    memory = ConversationEntityMemory(llm=model, max_prompt_tokens=4000)
    for number in range(3):
        memory.save_context({"input": f"All of them sing song {number}"}, {"output": "ok"})
    assert "All of them sing song 2" in prompts[-1]
    assert all(f"\n{name}: {name} knows" in prompts[-1] for name in names)
    assert max(map(estimated, prompts)) <= 4000
    assert all(note.endswith("and sings.") for note in memory.entities.values())
