"""A pronoun is never a name: it stands for whom the rules know it to mean, or what is said of it is left out."""

import pytest

from memzoo.memories import ConversationEntityMemory, ConversationKGMemory
from memzoo.memories.models.replies import names
from memzoo.testing import ScriptedModel

WORDS = """
    He She They It This That These There Here You We Him Them Now Who nobody Someone Everyone Topic 他 这里 彼 그녀
    Er Sie Il Elles Lui Egli Él Ustedes Ele Hij Она
""".split()


def facts(reply: str, *said: str) -> list[str]:
    """All that the graph ever held when a model answers so to the last of some messages."""
    memory = ConversationKGMemory(llm=ScriptedModel(*["NONE"] * (len(said) - 1), reply), learn_every=1)
    for text in said:
        memory.save_context({"input": text}, {"output": "I see."})
    return [str(fact) for fact in memory.kg.facts(history=True)]


def notes(reply: str, said: str) -> dict[str, str]:
    """The notes when a model answers so to a message."""
    memory = ConversationEntityMemory(llm=ScriptedModel(reply), learn_every=1)
    memory.save_context({"input": said}, {"output": "I see."})
    return memory.entities


@pytest.mark.parametrize("word", WORDS)
def test_no_pronoun_becomes_a_name(word: str, caplog: pytest.LogCaptureFixture) -> None:
    """Neither as a subject nor as another name of somebody; a line in the log says what was left out."""
    said = "Tom? He and Paul work at the bakery."
    assert facts(f"{word} | works at | the bakery\n{word} = Paul\nPaul | is | a baker", said) == ["Paul is a baker"]
    assert "may mean anyone or anything: works at the bakery" in caplog.text
    assert notes(f"{word}: works at the bakery\n{word} = Paul\nPaul: is a baker", said) == {"Paul": "is a baker"}


def test_facts_on_two_whom_a_model_calls_he_do_not_correct_each_other() -> None:
    """What "he" did stays apart: one is known, the other cannot be told."""
    memory = ConversationKGMemory(
        llm=ScriptedModel("He | works at | a bakery", "He | works at | a bank"), learn_every=1
    )
    memory.save_context({"input": "Tom? He works at a bakery."}, {"output": "I see."})
    memory.save_context({"input": "And Paul? He works at a bank."}, {"output": "I see."})
    assert [str(fact) for fact in memory.kg.facts(history=True)] == ["Paul works at a bank"]


@pytest.mark.parametrize(
    ("said", "reply", "known"),
    [
        (["Sam is a friend.", "He likes tea."], "He | likes | tea", "Sam likes tea"),
        (["Paul said that he likes tea."], "he | likes | tea", "Paul likes tea"),
        (["My sister Anna has a cat. His name is Rex."], "Rex | belongs to | her", ""),
        (["My sister Anna moved. Her cat is old."], "Her cat | is | old", "Anna's cat is old"),
        (["Everybody saw it: Ilse burnt her thumb."], "Ilse | burnt | her thumb", "Ilse burnt Ilse's thumb"),
        (["Aunt Peg is kind.", "I like my job."], "Ruth | likes | her job", "Ruth likes Ruth's job"),
        (["It is from home."], "Ann's ring | reminds Ann of | her roots", "Ann's ring reminds Ann of Ann's roots"),
        (["My aunt Peg rang. She says Ruth moves. I like my job."], "Ruth | likes | her job", "Ruth likes Ruth's job"),
        (["My wife Anna is cross: I lost her keys."], "user | lost | her keys", "user lost Anna's keys"),
        (["Tom went to Rome. The hotel lost his bag."], "the hotel | lost | his bag", "the hotel lost Tom's bag"),
        (["Anna loves the band.", "She likes their music."], "Anna | likes | their music", ""),
        (["Her boss met Anna."], "He | met | Anna", ""),
        (["Anna knows Tom.", "He likes tea."], "He | likes | tea", ""),
        (["Paul is here.", "Tom? He likes tea."], "He | likes | tea", ""),
        (["I live in Oslo."], "I | live in | Oslo", "user live in Oslo"),
        (["我住在奥斯陆。"], "我 | 住在 | 奥斯陆", "user 住在 奥斯陆"),
        (["You live in Oslo."], "You | live in | Oslo", ""),
        (["The shop is open now, and Ann trusts nobody."], "Ann | trusts | nobody", "Ann trusts nobody"),
        (["I work for the WHO in the US."], "WHO | is in | US", "WHO is in US"),
        (["The EU is big."], "EU | is | big", "EU is big"),
        (["Ella moved to Oslo."], "Ella | moved to | Oslo", "Ella moved to Oslo"),
        (["Ella vive en Madrid."], "Ella | vive en | Madrid", ""),
        (["I read Her Own Story."], "user | read | Her Own Story", "user read Her Own Story"),
    ],
)
def test_stands_for_whom_the_sentences_before_name(said: list[str], reply: str, known: str) -> None:
    """For the only one named before it, the speaker, or nobody; abbreviations and titles are names."""
    assert facts(reply, *said) == ([known] if known else [])


def test_a_name_that_is_asked_about_is_no_pronoun() -> None:
    """What a model says an input is about is looked up by its names alone."""
    assert names("She\nSam") == ["Sam"]
