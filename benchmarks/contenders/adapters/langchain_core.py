# /// script
# requires-python = ">=3.11"
# dependencies = ["langchain-core==1.8.3"]
# [tool.memzoo.ways]
# trim_messages = {about = "the newest messages up to the budget, from a user's message on", source = "https://docs.langchain.com/oss/python/langchain/short-term-memory#trim-messages"}
# ///
"""`trim_messages` of langchain-core over all messages, with the options in LangChain's guide to short-term memory."""

from langchain_core.messages import convert_to_openai_messages, trim_messages


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix):
        self.count, self.budget, self.said = count_tokens, budget, []

    def save(self, messages, said_at):
        self.said += messages

    def view(self, question):
        kept = trim_messages(
            [*self.said, {"role": "user", "content": question}],  # as in the guide, the newest message is the user's
            max_tokens=self.budget + self.count(question),
            strategy="last",
            token_counter=lambda messages: sum(self.count(str(one.content)) for one in messages),
            start_on="human",
            end_on=("human", "tool"),
        )
        return convert_to_openai_messages(kept[:-1])

    def delete(self, texts):
        self.said = [one for one in self.said if one["content"] not in texts]
