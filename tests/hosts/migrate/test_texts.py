"""Conversations in plain text."""

from memzoo.hosts.migrate import read_text


def test_what_a_tool_said_is_left_out() -> None:
    """Its call is not there either: a result alone could not be sent."""
    log = read_text('User: What is 1 + 1?\nTool: {"sum": 2}\nand more\nAssistant: 2', "sums")
    assert log is not None
    assert log.messages == [{"role": "user", "content": "What is 1 + 1?"}, {"role": "assistant", "content": "2"}]
