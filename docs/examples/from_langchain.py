"""A program written for LangChain, with nothing changed but its import. Needs no key."""

from memzoo.langchain import ConversationSummaryBufferMemory  # was: from langchain.memory import ...

# It prints:
#   System: Sam, a baker, is back from his holidays.
#   Human: How are you?
#   AI: Well!
#   4 messages are in the log; LangChain's class had deleted those it summarised


def llm(messages: object) -> str:
    """Stands in for a model, so that this runs without a key; any chat model of LangChain will do."""
    return "Sam, a baker, is back from his holidays." if messages else ""


memory = ConversationSummaryBufferMemory(llm=llm, max_token_limit=16, moving_summary_buffer="Sam is a baker.")
memory.save_context({"input": "Hi, I am Sam, and I am back from my holidays."}, {"output": "Welcome back, Sam!"})
memory.save_context({"input": "How are you?"}, {"output": "Well!"})
print(memory.load_memory_variables({})["history"])
print(len(memory.plain.history()), "messages are in the log; LangChain's class had deleted those it summarised")
