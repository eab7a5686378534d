"""A chatbot that keeps its conversation in a file, and goes on after a restart. Needs no key.

For a real model write "gpt-4o-mini" in place of "offline", with your key in OPENAI_API_KEY.
"""

from memzoo import Conversation

# It prints:
#   From what was said: Hi, I'm Mara and I run a bakery.
#   Your name is Mara.


def chat() -> Conversation:
    """Mara's conversation, as it is in the file."""
    return Conversation(
        "offline",
        "summary-buffer",
        store="sqlite:///chat.db",
        conversation_id="mara",
        system="Answer in one sentence.",
    )


with chat() as conversation:
    conversation.send("Hi, I'm Mara and I run a bakery.")
    print("".join(conversation.stream("What do I run?")))

with chat() as conversation:  # as after a restart
    print(conversation.send("What is my name?"))
