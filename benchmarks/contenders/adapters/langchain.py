# /// script
# requires-python = ">=3.11"
# dependencies = ["langchain==1.5.2", "langchain-openai==1.7.4"]
# [tool.memzoo.ways]
# summarization-middleware = {about = "a summary, and the newest messages up to half of the budget", asks_model = true, source = "https://docs.langchain.com/oss/python/langchain/short-term-memory#summarize-messages", remarks = {"upkeep tokens" = "#dropped-and-never-read"}}
# summarization-middleware-20 = {about = "a summary, and the newest 20 messages", options = {messages = 20}, asks_model = true, source = "https://docs.langchain.com/oss/python/langchain/short-term-memory#summarize-messages", remarks = {"upkeep tokens" = "#dropped-and-never-read"}}
# ///
"""langchain's `SummarizationMiddleware`, called before each model call, as in an agent."""

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import convert_to_messages, convert_to_openai_messages
from langchain_openai import ChatOpenAI


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix, messages=0):
        self.middleware = SummarizationMiddleware(
            model=ChatOpenAI(max_retries=0),
            trigger=("tokens", budget),
            keep=("messages", messages) if messages else ("tokens", budget // 2),
            token_counter=lambda messages: sum(count_tokens(str(one.content)) for one in messages),
        )
        self.said = []

    def save(self, messages, said_at):
        self.said += convert_to_messages(messages)

    def view(self, question):
        asked = [*self.said, *convert_to_messages([{"role": "user", "content": question}])]
        if changed := self.middleware.before_model({"messages": asked}, None):
            self.said = changed["messages"][1:-1]  # between the order to remove all before, and the question
        return convert_to_openai_messages(self.said)

    def delete(self, texts):
        self.said = [one for one in self.said if one.content not in texts]
