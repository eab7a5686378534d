"""Plain text with the names of speakers."""

import pytest

from memzoo.hosts.exports.readers.labels import has_labels, read


def said_in(text: str) -> list[tuple[str, str]]:
    """Roles and words of the one conversation of a text."""
    assert has_labels(text)
    [log] = read(text, "talk")
    return [(message["role"], message["content"]) for message in log.messages]


@pytest.mark.parametrize(
    "text",
    [
        "You: I sail.\nFar.\nChatGPT: Where to?",
        "#### You:\nI sail.\nFar.\n\n#### ChatGPT:\nWhere to?",
        "You said:\nI sail.\nFar.\nChatGPT said:\n\nWhere to?\n",
        "### USER\nI sail.\nFar.\n\n### ASSISTANT\nWhere to?\n",
        "**User:** I sail.\nFar.\nAssistant: Where to?",
        "> **Human**\uff1aI sail.\nFar.\n> **AI**\uff1aWhere to?",
    ],
)
def test_labels_of_all_kinds_begin_messages(text: str) -> None:
    """With a colon, as a heading, with "said"; in any case, bold, or with a Chinese colon."""
    assert said_in(text) == [("user", "I sail.\nFar."), ("assistant", "Where to?")]


@pytest.mark.parametrize(
    "line", ["Tool: a cordless drill", "Model: X200", "System: metric", "### TOOL", "Agent: Smith"]
)
def test_a_line_that_only_looks_like_a_label_is_text(line: str) -> None:
    """The first labels of a file, with their marks, are those of the file."""
    text = f"User: Which drill?\nAssistant: This one:\n{line}\nUser: Thanks."
    assert said_in(text) == [("user", "Which drill?"), ("assistant", f"This one:\n{line}"), ("user", "Thanks.")]


def test_two_names_are_speakers_and_the_first_is_the_user() -> None:
    """The reader says that it took the first name for the user's."""
    [log] = read("Nora: Hi.\nOtto: Hello.\nBye: yes\nNora: Tea?\nOtto: Please.", "talk")
    assert [(one["role"], one["name"], one["content"]) for one in log.messages] == [
        ("user", "Nora", "Hi."),
        ("assistant", "Otto", "Hello.\nBye: yes"),
        ("user", "Nora", "Tea?"),
        ("assistant", "Otto", "Please."),
    ]
    assert log.notes == [
        "1 line with other names or headings read as text, such as ['Bye: yes']",
        "'Nora', who speaks first, is the user (FILE:user=NAME chooses another)",
    ]


@pytest.mark.parametrize("mark", ["Thought for 5 seconds", "Thought for 1m 2s", "Reasoned for a couple of seconds"])
def test_marks_of_folded_thoughts_are_no_words(mark: str) -> None:
    """A copied page has them ahead of an answer; elsewhere they are words."""
    [log] = read(f"You said:\nThought for 5 seconds\nChatGPT said:\n{mark}\n\nHay.", "goats")
    assert [one["content"] for one in log.messages] == ["Thought for 5 seconds", "Hay."]
    assert log.notes == ["1 mark of thoughts left out"]


def test_results_of_tools_with_a_mark_of_their_own_are_counted() -> None:
    """Their call is not there, so a result alone could not be sent."""
    [log] = read("### USER\n1 + 1?\n### TOOL\n2\n### ASSISTANT\n2", "sums")
    assert log.messages == [{"role": "user", "content": "1 + 1?"}, {"role": "assistant", "content": "2"}]
    assert log.notes == ["1 result of tools left out"]


@pytest.mark.parametrize("head", ["# Boats\n\n", "---\nsource: a page\n---\n\n# Boats\n\n"])
def test_a_title_may_stand_before_the_first_label(head: str) -> None:
    """Browser extensions that write Markdown put it there, with or without data about the page."""
    text = f"{head}#### You:\nI sail.\n\n#### ChatGPT:\nWhere to?"
    assert said_in(text) == [("user", "I sail."), ("assistant", "Where to?")]
    [log] = read(text, "talk")
    assert log.title == "Boats"


@pytest.mark.parametrize(
    "text", ["# A tool\n\n## Support\nMail us.", "# A tool\n\nIt helps.\n## User\nAnn\n## Assistant\nBo"]
)
def test_a_heading_in_a_text_without_speakers_is_no_label(text: str) -> None:
    """After a title, the user speaks first, and somebody answers under a heading of the same kind."""
    assert not has_labels(text)


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ann,\nuser: hi",
        "Note: a\nNote: b\nTodo: c",
        "12:30 tea",
        "# Support\n\nMail us.",
        "# Client\n\nIt connects.",
        "Model: X2\nPrice: 5",
    ],
)
def test_a_text_without_speakers_is_none(text: str) -> None:
    """A label stands at the beginning, and two names stand in it more than once."""
    assert not has_labels(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"# User\n\n{'A long log. ' * 500}\n\n# Assistant\n\nIt is fine.", 2),
        (f"ChatGPT said:\n{'A long answer. ' * 500}\n\nYou said:\nThanks.", 2),
        ("# Claude\n\n## Summary\nAll is fine.\n\n# You\n\nThanks.\n\n# Claude\n\nBye.", 3),
        ("# You\n\n## You\n\nhi\n\n## ChatGPT\n\nhello", 2),
        ("You: What does this line mean?\n12:01:05 <warn> disk full\nChatGPT: The disk is full.", 2),
    ],
)
def test_talks_whose_second_speaker_comes_late_are_read_whole(text: str, said: int) -> None:
    """A sure label needs no other near it, and is no title."""
    assert has_labels(text[:4000])
    [log] = read(text, "talk")
    assert len(log.messages) == said
