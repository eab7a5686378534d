"""Facts from a conversation: resolved over exchanges, corrected where they were corrected, there after a restart."""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from memzoo.errors import ModelError, ModelReplyError, OptionError
from memzoo.memories import ConversationBufferMemory, ConversationKGMemory, Fact
from memzoo.memories.engine.prompt_limit import count_for_prompt
from memzoo.memories.strategies.knowledge_graph import units_of_fact
from memzoo.sync import drive
from memzoo.testing import ScriptedModel
from memzoo.types import Source

# As in LangChain: the model says whom the input is about, and all facts on these are shown.
ASKING: Mapping[str, Any] = {"ask_at_load": True, "max_token_limit": None}


def section(prompt: str, tag: str) -> str:
    """What stands between the tags of a prompt, without days."""
    text = prompt.partition(f"<{tag}>\n")[2].partition(f"\n</{tag}>")[0]
    return re.sub(r"^\[\w+, \d+ \w+ \d+\]\n", "", text)


def told(*replies: str | Exception, **options: Any) -> tuple[ConversationKGMemory, ScriptedModel]:
    """A memory that was told of Sam (one reply), and its model with further replies."""
    model = ScriptedModel("Sam | is | a friend", *replies)
    memory = ConversationKGMemory(llm=model, **options, learn_every=1)
    memory.save_context({"input": "Sam is a friend"}, {"output": "okay"})
    return memory, model


def source(memory: ConversationKGMemory, seq: int) -> Source:
    """A message of the user, as the store has it."""
    (entry,) = drive(memory.store.read(memory.conversation_id, after=seq - 1, until=seq))
    return Source(seq, "user", entry.created_at)


def words(message: Mapping[str, Any]) -> int:
    """Words as tokens."""
    return len(str(message["content"]).split())


def on(memory: ConversationKGMemory, question: str) -> str:
    """What is shown for a question."""
    shown: str = memory.load_memory_variables({"input": question})["history"]
    return shown


class TestSeeds:
    """The two dialogues for which "Choosing the Memory Component" recommends this memory."""

    def test_facts_of_two_exchanges_meet(self) -> None:
        """Whom "he" means is told by the exchange before, so that all films are found under the director's name."""
        model = ScriptedModel(
            "Christopher Nolan | directed | Interstellar\nChristopher Nolan | directed | Inception",
            "Christopher Nolan | directed | Memento\nChristopher Nolan | directed | The Dark Knight\n"
            "Christopher Nolan | directed | The Dark Knight Rises",
        )
        memory = ConversationKGMemory(llm=model, learn_every=1)
        answer = 'You might consider "Interstellar" and "Inception," both sci-fi films directed by Christopher Nolan.'
        memory.save_context({"input": "Can you recommend any good movies?"}, {"output": answer})
        memory.save_context(
            {"input": "What other films has he directed?"},
            {"output": '"Memento," "The Dark Knight," and "The Dark Knight Rises," etc.'},
        )
        assert answer in section(model.asked[1][1], "history")
        assert section(model.asked[1][1], "new_lines").startswith("Human: What other films has he directed?\nAI: ")
        shown = on(memory, "What films has Nolan directed?")
        films = ["Inception", "Interstellar", "Memento", "The Dark Knight", "The Dark Knight Rises"]
        assert shown.startswith("Christopher Nolan directed ")
        facts = shown.removesuffix(".").split(". ")
        assert sorted(facts) == [f"Christopher Nolan directed {film}" for film in films]

    def test_a_corrected_claim_is_shown_corrected(self) -> None:
        """Asked again for the three most handsome men, the memory shows two and the denial of the third (K2, K3)."""
        title = "one of the most handsome men in the world"
        model = ScriptedModel(
            f"Daniel Wu | is | {title}\nAndy Lau | is | {title}\nuser | is | {title}",
            f"NOT user | is | {title}",
        )
        memory = ConversationKGMemory(llm=model, learn_every=1)
        memory.save_context(
            {"input": "Name three of the most handsome men in the world."},
            {"output": "Daniel Wu, Andy Lau, and you!"},
        )
        memory.save_context(
            {"input": "You're wrong, be humble; I'm not."},
            {"output": "Sorry, I misspoke; you are indeed not."},
        )
        shown = on(memory, "Name three of the most handsome men")
        assert f"Daniel Wu is {title}." in shown
        assert f"Andy Lau is {title}." in shown
        assert f"user is not {title}" in shown
        assert f"user is {title}" not in shown
        old = next(fact for fact in memory.kg.about("user", history=True) if not fact.negated)
        assert old.superseded_by in (3, 4)


class TestLoading:
    """What is shown."""

    def test_is_a_line_for_each_name(self) -> None:
        """A line has the facts about a name; names without facts, and no names at all, give none (reference 2.7)."""
        memory, _ = told("Eve | likes | tea\nEve | employs | Sam", "NONE", **ASKING)
        memory.save_context({"input": "Eve likes tea and employs Sam"}, {"output": "ok"})
        assert on(memory, "Do Sam, Zoe and Eve know each other?") == (
            "On Sam: Sam is a friend. Eve employs Sam.\nOn Eve: Eve employs Sam. Eve likes tea."
        )
        assert on(memory, "hi") == ""

    def test_as_messages_is_one_for_each_name(self) -> None:
        """With `return_messages` there is one system message for each name (reference 2.7)."""
        memory, _ = told("NONE", return_messages=True)
        line = [{"role": "system", "content": "Sam is a friend."}]
        assert memory.load_memory_variables({"input": "Sam? Zoe?"}) == {"history": line}
        assert memory.load_memory_variables({"input": "hi"}) == {"history": []}
        assert memory.messages("Sam?") == line

    @pytest.mark.parametrize("reply", [ModelError("down"), "I'm sorry, but I can't help with that."])
    def test_falls_back_to_known_names(self, reply: str | Exception, caplog: pytest.LogCaptureFixture) -> None:
        """When the model fails, names of the graph are found in the input, and the log says so (I4)."""
        memory, _ = told(reply, **ASKING)
        with caplog.at_level(logging.WARNING, logger="memzoo"):
            assert on(memory, "What about Sam? Where does he live?") == "On Sam: Sam is a friend."
        assert "searched only for known names" in caplog.text

    def test_shows_what_was_not_mined_yet(self) -> None:
        """Exchanges that a failing model left behind are shown word for word (F3, I4)."""
        memory, _ = told(ModelError("down"), ModelError("down"), on_model_error="defer")
        memory.save_context({"input": "Sam likes tea"}, {"output": "ok"})
        assert on(memory, "Sam?") == "Sam is a friend.\nHuman: Sam likes tea\nAI: ok"

    @pytest.mark.parametrize(("subject", "advice"), [("Assistant", True), ("\u52a9\u624b", True), ("Sam", False)])
    def test_tells_advice_from_what_is_so(self, subject: str, *, advice: bool) -> None:
        """What the assistant says is searched as advice, which comes after what is so."""
        (unit,) = units_of_fact("", Fact(subject, "advises on the oven", "to heat it slowly").as_json())
        assert unit.advice is advice


class TestAsking:
    """When loading asks the model whom the input is about, with `ask_at_load`."""

    @pytest.mark.parametrize("question", ["Sam?", "Is SAM's cat well?", "Who is “Sam”, and who is Zoe?"])
    def test_is_not_needed_for_known_names(self, question: str) -> None:
        """Names of the graph that stand in the input are used as they are, without a call (I11)."""
        memory, model = told(**ASKING)
        assert on(memory, question) == "On Sam: Sam is a friend."
        assert len(model.asked) == 1

    @pytest.mark.parametrize(
        "question", ["Who lives in Oslo?", "Does Sam know where she lives?", "And THEIR friend Sam?"]
    )
    def test_is_needed_for_unknown_names_and_pronouns(self, question: str) -> None:
        """Without a known name, and with "she" or "their", the model is asked and its answer counts."""
        memory, _ = told("Eve | lives in | Rome", "Eve", **ASKING)
        memory.save_context({"input": "Eve lives in Rome"}, {"output": "ok"})
        assert on(memory, question) == "On Eve: Eve lives in Rome."

    def test_is_needed_for_a_part_of_a_name(self) -> None:
        """Beside a known name, a part of another one is not overlooked."""
        memory, model = told("Christopher Nolan | directed | Memento", "Nolan\nSam", **ASKING)
        memory.save_context({"input": "Christopher Nolan directed Memento"}, {"output": "ok"})
        shown = on(memory, "Does Sam like Nolan?")
        assert shown == "On Nolan: Christopher Nolan directed Memento.\nOn Sam: Sam is a friend."
        assert model.asked[-1][0] == "current_entities"

    def test_of_nobody_is_not_needed(self) -> None:
        """A graph without facts, and an input without words, need no call."""
        model = ScriptedModel()
        assert on(ConversationKGMemory(llm=model, ask_at_load=True, learn_every=1), "Who is she?") == ""
        assert on(told(ask_at_load=True)[0], " ") == ""

    def test_shows_the_model_forty_names_at_most(self) -> None:
        """However many fit the question."""
        memory, model = told("\n".join(f"Name{at} | likes | tea" for at in range(60)), "NONE", ask_at_load=True)
        memory.save_context({"input": "They all like tea"}, {"output": "ok"})
        on(memory, "Who likes tea?")
        assert len(section(model.asked[-1][1], "known").splitlines()) == 40

    def test_shows_the_model_whom_it_may_mean(self) -> None:
        """The prompt has the likely names, each with a fact; what the model says is found is found first."""
        learnt = "Devin | is | the head baker\nDevin | learnt in | Ghent\nNoor | is | the apprentice"
        memory, model = told(learnt, "Noor", ask_at_load=True, max_token_limit=4, token_counter=words)
        memory.save_context({"input": "Devin, the head baker, learnt in Ghent; Noor is learning"}, {"output": "ok"})
        assert on(memory, "Who is baker and who is learning?") == "Noor is the apprentice."
        known = section(model.asked[-1][1], "known").splitlines()
        assert {"Devin: Devin is the head baker", "Noor: Noor is the apprentice"} <= set(known)


class TestSaving:
    """Which facts are taken, and from where."""

    @pytest.mark.parametrize(("mine_ai", "lines"), [(False, "Human: q"), (True, "Human: q\nAI: a")])
    def test_mines_whom_it_is_told_to(self, mine_ai: bool, lines: str) -> None:  # noqa: FBT001 - a parameter of the test
        """The user's words are read, and the assistant's if `mine_ai` says so (K6)."""
        memory, model = told("NONE", mine_ai=mine_ai)
        memory.save_context({"input": "q"}, {"output": "a"})
        assert section(model.asked[-1][1], "new_lines") == lines

    def test_takes_one_call(self) -> None:
        """A save makes one call, a load none, and what no user said takes none (I11)."""
        memory, model = told(mine_ai=False)
        assert on(memory, "Is he a friend?")
        memory.add_messages([{"role": "assistant", "content": "Anything else?"}])
        assert [name for name, _ in model.asked] == ["triple_extraction"]

    @pytest.mark.parametrize(("k", "known"), [(0, ""), (-1, ""), (1, "Human: q\nAI: a")])
    def test_sends_k_exchanges_for_reference(self, k: int, known: str) -> None:
        """The last `k` exchanges go with the new lines; for `k` of 0 none goes, not all (K7)."""
        memory, model = told("NONE", "NONE", "NONE", k=k, **ASKING)
        memory.save_context({"input": "q"}, {"output": "a"})
        memory.save_context({"input": "x"}, {"output": "y"})
        assert section(model.asked[-1][1], "history") == known
        assert on(memory, "z") == ""
        assert section(model.asked[-1][1], "history") == ("Human: x\nAI: y" if k > 0 else "")

    @pytest.mark.parametrize(
        ("reply", "home", "history"),
        [
            ("Sam | lives in | Oslo\nSam | lives in | Rome", "Rome", ["Oslo"]),
            ("Sam | lives in | Rome\nSam | lives in | Oslo", "Oslo", ["Rome"]),
            ("Sam | lives in | Oslo\nSam | lives in | Rome\nSam | lives in | Oslo", "Oslo", ["Rome"]),
            ("Sam | lives in | Oslo\nNOT Sam | lives in | Oslo\nSam | lives in | Oslo", "Oslo", ["Oslo"]),
        ],
    )
    def test_takes_contradictions_in_their_order(self, reply: str, home: str, history: list[str]) -> None:
        """Of statements in one reply that contradict each other the last one holds (K2)."""
        memory, _ = told(reply)
        memory.save_context({"input": "He moved"}, {"output": "ok"})
        facts = [fact for fact in memory.kg.about("Sam", history=True) if fact.relation == "lives in"]
        assert [fact.object for fact in facts if not fact.superseded_by and not fact.negated] == [home]
        assert [fact.object for fact in facts if fact.superseded_by] == history

    def test_knows_the_message_that_said_it(self) -> None:
        """A fact knows the number of the message that stated it, also when several exchanges are mined at once (K2)."""
        replies = [ModelError("down"), "Sam | lives in | Oslo\nSam | lives in | Rome\nEve | likes | Sam"]
        memory, _ = told(*replies, on_model_error="defer")
        memory.save_context({"input": "Sam lives in Oslo"}, {"output": "ok"})
        memory.save_context({"input": "He moved to Rome. Eve likes Sam"}, {"output": "ok"})
        assert memory.kg.about("Oslo", history=True) == [
            Fact(
                "Sam",
                "lives in",
                "Oslo",
                sources=(source(memory, 3),),
                superseded_by=5,
                superseded_at=source(memory, 5).said_at,
            ),
        ]
        assert memory.kg.about("Eve") == [Fact("Eve", "likes", "Sam", sources=(source(memory, 5),))]

    def test_supersedes_what_the_user_says_is_single_valued(self) -> None:
        """Which relations have one object at a time can be chosen (K2)."""
        model = ScriptedModel("Sam | drives | a Saab\nSam | drives | a Volvo\nSam | lives in | A\nSam | lives in | B")
        memory = ConversationKGMemory(llm=model, single_valued={"Drives"}, learn_every=1)
        memory.save_context({"input": "x"}, {"output": "y"})
        assert {fact.object for fact in memory.kg.facts()} == {"A", "B", "a Volvo"}

    def test_refuses_prose(self) -> None:
        """A reply without any fact is an error, and changes nothing (M2, I4)."""
        memory, _ = told("Sam is indeed a very good friend of yours!")
        with pytest.raises(ModelReplyError):
            memory.save_context({"input": "Sam is good"}, {"output": "ok"})
        assert [str(fact) for fact in memory.kg.facts()] == ["Sam is a friend"]


class TestUpdates:
    """Facts that a later message changes, replaces or takes back (I15)."""

    @pytest.mark.parametrize(
        "moved",
        [
            "NO LONGER Anna | lives in | Oslo\nAnna | has her home in | Bergen",
            "Anna | has her home in | Bergen\nNO LONGER Anna | lives in | Oslo",
            "no longer valid:\nNO LONGER anna | lives in | oslo\nAnna | has her home in | Bergen",
            "Anna | moved to | Bergen",
            "Anna | now lives in | Bergen",
            "Anna | resides in | Bergen",
            "Anna | currently lives in | Bergen",
        ],
    )
    def test_end_what_was_so_before(self, moved: str) -> None:
        """The old value is in no view, whatever the words of the new one; the history has it (S2)."""
        model = ScriptedModel("Anna | lives in | Oslo", moved)
        memory = ConversationKGMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Anna lives in Oslo"}, {"output": "ok"})
        memory.save_context({"input": "She left for Bergen"}, {"output": "ok"})
        shown = on(memory, "Where does Anna live?")
        assert "Bergen" in shown
        assert "Oslo" not in shown
        (old,) = [reason for reason in memory.why("Oslo") if not reason.holds]
        assert old.corrected_by is not None
        assert old.corrected_by.text == "She left for Bergen"

    def test_end_what_a_denial_covers(self) -> None:
        """A denial in fewer words ends what says more, and a common word in a question does not hide others (S2)."""
        title = "most handsome men"
        model = ScriptedModel(
            f"Daniel Wu | is among | {title}\nAndy Lau | is among | {title}\nuser | is among | {title}",
            "NOT user | is | handsome",
        )
        memory = ConversationKGMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Name three handsome men."}, {"output": "Daniel Wu, Andy Lau, and you!"})
        memory.save_context({"input": "You're wrong, be humble; I'm not."}, {"output": "You are indeed not."})
        shown = on(memory, "Name three of the most handsome men in the world, but only handsome ones.")
        assert f"Daniel Wu is among {title}" in shown
        assert "user is among" not in shown
        assert on(memory, "What about the user?").startswith("user is not handsome.")

    @pytest.mark.parametrize(
        "denial",
        ["NOT Sam | likes | coffee", "NOT Sam | sells | tea", "NO LONGER Eve | likes | tea", "NOT Sam | likes | te"],
    )
    def test_leave_other_facts_alone(self, denial: str) -> None:
        """What is denied of another thing, in another relation or of somebody else ends nothing."""
        model = ScriptedModel("Sam | likes | tea\nSam | drinks | tea", denial)
        memory = ConversationKGMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Sam likes tea"}, {"output": "ok"})
        memory.save_context({"input": "x"}, {"output": "y"})
        assert on(memory, "Sam?").startswith("Sam drinks tea. Sam likes tea.")

    def test_that_end_with_their_beginning_are_history(self) -> None:
        """A fact that began and ended in one portion is in no view, and known to have ended, from then on."""
        ends = "NO LONGER Sam | has his flat in | Oslo\nSam | no longer works at | Acme"
        memory, _ = told(f"{ends}\nSam | likes | tea", ends)
        memory.save_context({"input": "x"}, {"output": "y"})
        assert on(memory, "Sam?") == "Sam is a friend. Sam likes tea."
        memory.save_context({"input": "He left, as I said"}, {"output": "ok"})
        (ended,) = memory.why("Acme")
        assert not ended.holds
        assert max(one.seq for one in ended.fact.sources) <= 4
        assert {str(fact) for fact in memory.kg.facts(history=True)} == {
            "Sam is a friend",
            "Sam has his flat in Oslo",
            "Sam works at Acme",
            "Sam likes tea",
        }

    @pytest.mark.parametrize("end", ["NO LONGER Ann | does not like | tea", "NOT Ann | no longer likes | tea"])
    @pytest.mark.parametrize("before", ["Sam | is | tall", "Ann | does not like | tea"])
    def test_of_a_denial_teach_no_opposite(self, before: str, end: str) -> None:
        """The end of a denial says nothing of the past in which the denied fact was true."""
        memory = ConversationKGMemory(llm=ScriptedModel(before, end), learn_every=1)
        memory.save_context({"input": "x"}, {"output": "y"})
        known = memory.kg.facts(history=True)
        memory.save_context({"input": "x"}, {"output": "y"})
        assert memory.kg.facts(history=True) == known

    def test_that_ended_are_shown_with_their_replacement(self) -> None:
        """Another fact about the old name comes with the new one (I15), also where both were learnt at once."""
        model = ScriptedModel(
            "NO LONGER The Kettles | is the band of | the wedding\nVelvet Harbour | is the band of | the wedding\n"
            "Ann | has seen | The Kettles"
        )
        memory = ConversationKGMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Not The Kettles, whom I have seen: Velvet Harbour."}, {"output": "ok"})
        assert "Velvet Harbour" in on(memory, "Which band has Ann seen?")

    def test_that_may_mean_several_facts_end_none(self, caplog: pytest.LogCaptureFixture) -> None:
        """Where what is over is between the two names in other words, and may be this or that, a warning says so."""
        model = ScriptedModel(
            "Anna | rents a flat in | Oslo\nAnna | works in | Oslo", "NO LONGER Anna | is based in | Oslo"
        )
        memory = ConversationKGMemory(llm=model, learn_every=1)
        memory.save_context({"input": "Anna rents and works in Oslo"}, {"output": "ok"})
        memory.save_context({"input": "She is not based there any more"}, {"output": "ok"})
        assert on(memory, "Anna?") == "Anna rents a flat in Oslo. Anna works in Oslo."
        assert "words that fit 2 facts" in caplog.text
        assert "Oslo" not in caplog.text

    def test_see_what_is_known(self) -> None:
        """The prompt has the facts on the names in the new lines, on those before, and on the user; in one call."""
        model = ScriptedModel(
            "Anna | lives in | Oslo\nuser | is | a baker\nEve | likes | tea\nNOT Anna | is | tall", "NONE", "NONE"
        )
        memory = ConversationKGMemory(llm=model, k=0, learn_every=1)
        for said in ("Anna lives in Oslo; I bake, Eve likes tea", "And Anna?", "Hm"):
            memory.save_context({"input": said}, {"output": "ok"})
        _, second, third = (set(section(prompt, "known").splitlines()) for _, prompt in model.asked)
        assert second >= {"Anna | lives in | Oslo", "NOT Anna | is | tall", "user | is | a baker"}
        assert third == {"user | is | a baker"}

    def test_see_less_in_a_small_prompt(self) -> None:
        """Known facts have half of what our own words leave, three bytes a token; relations in use one in 16 tokens."""
        many = "\n".join(f"{name} | rel {at} | thing {at}" for at in range(10, 30) for name in ("Anna", "Bo"))
        model = ScriptedModel(many, "NONE")
        memory = ConversationKGMemory(llm=model, k=0, max_prompt_tokens=1050 + 2 * 245, learn_every=1)
        for said in ("Anna and Bo have things", "Anna, Bo?"):
            memory.save_context({"input": said}, {"output": "ok"})
        known = section(model.asked[1][1], "known")
        a_fact = len("\nAnna | rel 10 | thing 10")
        assert 245 * 3 - a_fact < len(known) <= 245 * 3
        assert section(model.asked[1][1], "relations") == ", ".join(f"rel {at}" for at in range(10, 25))

    def test_see_thirty_relations_at_most(self) -> None:
        """Of those that several subjects have, however large the prompt may be."""
        many = "\n".join(f"{name} | rel {at:02} | tea" for at in range(40) for name in ("Anna", "Bo"))
        model = ScriptedModel(many, "NONE")
        memory = ConversationKGMemory(llm=model, k=0, learn_every=1)
        for said in ("Anna and Bo like tea", "Really, Anna does like tea"):
            memory.save_context({"input": said}, {"output": "ok"})
        listed = section(model.asked[1][1], "relations").split(", ")
        assert listed == [f"rel {at:02}" for at in range(30)]

    def test_see_no_relation_with_a_name_in_it(self) -> None:
        """Such a relation fits no other object."""
        facts = "Jon | likes | tea\nAnna | likes | tea\nAnna | helps Jon with | taxes\nBo | helps Jon with | rent"
        model = ScriptedModel(facts, "NONE")
        memory = ConversationKGMemory(llm=model, k=0, learn_every=1)
        for said in ("Anna and Bo help Jon", "Really, Anna does like tea"):
            memory.save_context({"input": said}, {"output": "ok"})
        assert section(model.asked[1][1], "relations") == "likes"

    @pytest.mark.parametrize("assistant", ["assistant", "Max"])
    def test_see_what_the_assistant_advised_last(self, assistant: str) -> None:
        """What the user said has the room first, though the advice has more of the words."""
        advice = "\n".join(f"{assistant} | advises on bread | rye bread {at}" for at in range(9))
        model = ScriptedModel(f"{advice}\nNoor | bakes | bread", "NONE")
        memory = ConversationKGMemory(llm=model, k=0, max_prompt_tokens=1536, ai_prefix="Max", learn_every=1)
        for said in ("Noor bakes bread", "What advises you on rye bread?"):
            memory.save_context({"input": said}, {"output": "I advise rye bread."})
        assert "Noor | bakes | bread" in section(model.asked[1][1], "known")

    def test_are_not_asked_for_in_small_talk(self) -> None:
        """Where nobody says anything but courtesies, nobody is asked."""
        memory, model = told()
        memory.save_context({"input": "Thanks!"}, {"output": "You're welcome!"})
        assert len(model.asked) == 1

    def test_see_so_much_only(self) -> None:
        """However much is known, the prompt is bounded; facts with words of the new lines come first (I12)."""
        many = "\n".join(f"Anna | knows | person {number} " + "x" * 50 for number in range(200))
        model = ScriptedModel(f"Anna | drives | a red car\nAnna | owns | {'y' * 600}\n{many}", "NONE")
        memory = ConversationKGMemory(llm=model, k=0, learn_every=1)
        memory.save_context({"input": "Anna knows them all"}, {"output": "ok"})
        memory.save_context({"input": "Anna has sold the red car"}, {"output": "ok"})
        known = section(model.asked[1][1], "known")
        assert "Anna | drives | a red car" in known
        assert "yyy" not in known
        assert 1_500 < len(known) <= 2_000


class TestRestoring:
    """A fact that was taken back by mistake."""

    def test_holds_again_for_good(self) -> None:
        """It is shown again, and what took its place is not; also by another memory on the same store."""
        memory, model = told("Sam | lives in | Oslo", "Sam | lives in | Bergen", "Sam | likes | tea")
        for said in ("Sam lives in Oslo", "His sister lives in Bergen", "He likes tea"):
            memory.save_context({"input": said}, {"output": "ok"})
        (wrong,) = [reason.fact for reason in memory.why("Sam") if not reason.holds]
        memory.kg.restore(wrong)
        assert on(memory, "Sam?") == "Sam is a friend. Sam lives in Oslo. Sam likes tea."
        other = ConversationKGMemory(
            llm=model, store=memory.store, conversation_id=memory.conversation_id, learn_every=1
        )
        assert on(other, "Sam?") == on(memory, "Sam?")
        assert [str(fact) for fact in other.kg.facts(history=True) if fact.superseded_by] == ["Sam lives in Bergen"]

    def test_of_a_denial(self) -> None:
        """What was denied by mistake is denied no more."""
        memory, _ = told("NOT Sam | is | a friend")
        memory.save_context({"input": "Sam, a friend? No!"}, {"output": "ok"})
        memory.kg.restore(memory.why("a friend")[0].fact)
        assert on(memory, "Sam?") == "Sam is a friend."

    def test_goes_on_while_others_write(self) -> None:
        """A memory that did not see the newest state restores the fact in it, and loses nothing (I3)."""
        memory, model = told("NO LONGER Sam | is | a friend", "Sam | likes | tea")
        memory.save_context({"input": "Sam left"}, {"output": "ok"})
        fact = memory.why("Sam")[0].fact
        other = ConversationKGMemory(
            llm=model, store=memory.store, conversation_id=memory.conversation_id, learn_every=1
        )
        other.save_context({"input": "Sam likes tea"}, {"output": "ok"})
        asyncio.run(memory.kg.arestore(fact))
        assert on(other, "Sam?") == on(memory, "Sam?") == "Sam is a friend. Sam likes tea."
        assert drive(memory.store.read_state(memory.conversation_id, memory.learners[0].name)).watermark == 6

    def test_of_an_unknown_fact_is_refused(self) -> None:
        """What the graph never had cannot hold again."""
        memory, _ = told()
        with pytest.raises(OptionError, match="the graph has no fact 'Sam likes tea'"):
            memory.kg.restore(Fact("Sam", "likes", "tea"))


class TestSources:
    """Which messages a fact is traced to."""

    def test_are_all_that_said_it(self) -> None:
        """A fact that two messages of one step state has both; a question and a denial state nothing."""
        said = ConversationBufferMemory(conversation_id="sam")
        said.save_context({"input": "Who likes tea?"}, {"output": "Sam likes tea."})
        said.save_context({"input": "Is Sam tall?"}, {"output": "No. Sam is not tall."})
        said.save_context({"input": "Right, and Sam likes tea."}, {"output": "Sam likes tea, yes!"})
        model = ScriptedModel("Sam | likes | tea\nNOT Sam | is | tall")
        memory = ConversationKGMemory(llm=model, store=said.store, conversation_id="sam", learn_every=1)
        memory.settle()
        assert {str(fact): fact.said_in for fact in memory.kg.facts()} == {
            "Sam likes tea": (2, 5, 6),
            "Sam is not tall": (4,),
        }

    @pytest.mark.parametrize(
        ("said", "fact", "messages"),
        [
            (["Is Sam tall?", "Sam is tall."], "Sam | is | tall", (2,)),
            (["Sam is tall.", "Is Sam tall?"], "Sam | is | tall", (1,)),
            (["Sam isn't tall.", "Sam is tall."], "Sam | is | tall", (2,)),
            (["Sam is tall.", "Sam is never tall."], "NOT Sam | is | tall", (2,)),
            (["Who is tall?", "Sam isn't tall, is he?"], "Sam | is | tall", (2,)),
            (["Tea!", "Sam likes it.", "He does."], "Sam | likes | coffee", (2,)),
            (["Tea!", "So?", "Who knows."], "Sam | likes | coffee", (3,)),
        ],
    )
    def test_is_the_one_with_most_of_its_words(self, said: list[str], fact: str, messages: tuple[int, ...]) -> None:
        """Of several, the one that denies or not, as the fact does, and asks nothing; without a clue, the newest."""
        memory = ConversationKGMemory(llm=ScriptedModel(fact), learn_every=1)
        memory.add_messages([{"role": "user", "content": text} for text in said])
        memory.settle()
        assert [fact.said_in for fact in memory.kg.facts()] == [messages]


def test_is_empty_as_soon_as_it_is_cleared() -> None:
    """`clear` empties the graph at once, not with the next load (A2)."""
    memory, _ = told()
    memory.clear()
    assert memory.kg.facts(history=True) == []


def test_is_there_after_a_restart() -> None:
    """A new memory on the same store has the graph, with its history and sources, and asks no model for it (P2)."""
    first, _ = told("Sam | lives in | Oslo", "Sam | lives in | Rome")
    for said in ("He lives in Oslo", "He moved to Rome"):
        first.save_context({"input": said}, {"output": "ok"})
    model = ScriptedModel()
    second = ConversationKGMemory(llm=model, store=first.store, conversation_id=first.conversation_id, learn_every=1)
    assert on(second, "Sam?") == "Sam is a friend. Sam lives in Rome."
    assert second.kg.facts(history=True) == first.kg.facts(history=True)
    assert model.asked == []


def test_exchanges_mined_together_keep_what_was_said_between() -> None:
    """The assistant's words between two exchanges are context for the second, though no facts are taken from them."""
    model = ScriptedModel(ModelError("down"), "Nolan | is | British")
    memory = ConversationKGMemory(llm=model, on_model_error="defer", mine_ai=False, learn_every=1)
    memory.save_context({"input": "Who made Inception?"}, {"output": "Christopher Nolan."})
    memory.save_context({"input": "He is British."}, {"output": "He is."})
    prompt = model.asked[-1][1]
    history = prompt[prompt.index("<history>\n") : prompt.index("</history>")]
    assert "AI: Christopher Nolan." in history
    assert "AI: He is." not in prompt


@pytest.mark.parametrize("step", ["all at once", "one by one"])
def test_learnt_anew_has_the_same_facts_and_the_same_history(step: str) -> None:
    """What is derived from the log again does not lean on the facts that it replaces."""

    def mining(messages: Sequence[Mapping[str, Any]]) -> str:
        new = section(str(messages[-1]["content"]), "new_lines")
        if step == "one by one" and new.count("Human:") > 1:
            raise ModelError("too much at once")
        return "\n".join(f"Sam | lives in | {town}" for town in ("Oslo", "Bergen") if town in new)

    memory = ConversationKGMemory(llm=mining, learn_every=1)
    for town in ("Oslo", "Bergen"):
        memory.save_context({"input": f"Sam lives in {town}"}, {"output": "noted"})
    before = memory.kg.facts(history=True)
    assert [fact.superseded_by for fact in before] == [3, 0]
    memory.relearn()
    assert memory.kg.facts(history=True) == before


def test_learning_anew_sees_what_it_has_just_learnt() -> None:
    """The facts that new lines may change are looked for among those learnt anew, by their words too."""
    prompts: list[str] = []

    def mining(messages: Sequence[Mapping[str, Any]]) -> str:
        new = section(str(messages[-1]["content"]), "new_lines")
        if new.count("Human:") > 1:
            raise ModelError("too much at once")
        prompts.append(str(messages[-1]["content"]))
        animals = "red squirrels" if len(prompts) > 2 else "old cats"
        return f"Rex | chases | {animals}" if "Rex" in new else "NONE"

    memory = ConversationKGMemory(llm=mining, k=0, learn_every=1)
    for said in ("Rex chases animals", "No more squirrels, no more cats"):
        memory.save_context({"input": said}, {"output": "noted"})
    memory.relearn()
    known = [section(prompt, "known") for prompt in prompts]
    assert known == ["", "Rex | chases | old cats", "", "Rex | chases | red squirrels"]


@pytest.mark.parametrize(
    ("relation", "negated", "tells"),
    [("is", False, True), ("works as", False, True), ("is", True, False), ("likes", False, False)],
)
def test_what_is_searched_of_a_fact(relation: str, negated: bool, tells: bool) -> None:  # noqa: FBT001
    """What somebody is leads from a role to a name, what they are not does not; what was corrected is not searched."""
    said = [Source(7, "user", datetime(2026, 5, 9, tzinfo=UTC)), Source(4, "user", datetime(2026, 5, 8, tzinfo=UTC))]
    fact = Fact("Sam", relation, "a baker", negated=negated, sources=tuple(said))
    (unit,) = units_of_fact("", fact.as_json())
    assert (unit.text, unit.seq, unit.said_at, unit.tells) == (str(fact), 4, said[1].said_at, tells)
    assert units_of_fact("", replace(fact, superseded_by=9).as_json()) == []
    (unsaid,) = units_of_fact("", replace(fact, sources=()).as_json())
    assert (unsaid.seq, unsaid.said_at) == (0, None)


def test_a_prompt_that_just_fits_is_sent_whole() -> None:
    """With a byte more, what is only there for reference is cut to an eighth."""
    own = {"triple_extraction": "{{ history }}|{{ new_lines }}"}
    for over in (0, 1):
        model = ScriptedModel("NONE", "NONE")
        memory = ConversationKGMemory(llm=model, prompts=own, max_prompt_tokens=1536, learn_every=1)
        history = f"Human: {'word ' * 600}end\nAI: ok"
        new = "x" * (3 * 1536 + over - len(f"{history}|Human: \nAI: ok"))
        for said in (f"{'word ' * 600}end", new):
            memory.save_context({"input": said}, {"output": "ok"})
        text = model.asked[1][1]
        assert (text.startswith(f"{history}|"), count_for_prompt(text) == 1536) == (not over, not over)
        assert over == 0 or 1536 // 8 - 30 <= count_for_prompt(text.partition("|")[0]) <= 1536 // 8
