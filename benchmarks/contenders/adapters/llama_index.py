# /// script
# requires-python = ">=3.11"
# dependencies = ["llama-index-core==0.14.25", "llama-index-llms-openai-like==0.8.1"]
# [tool.memzoo.ways]
# chat-memory-buffer = {about = "the newest messages up to the budget", options = {name = "ChatMemoryBuffer"}, source = "https://developers.llamaindex.ai/python/framework/module_guides/deploying/agents/memory/"}
# chat-summary-memory-buffer = {about = "a summary, and the newest messages up to the budget", options = {name = "ChatSummaryMemoryBuffer"}, asks_model = true, source = "https://developers.llamaindex.ai/python/examples/memory/chatsummarymemorybuffer/", remarks = {"recall" = "#read-and-gone"}}
# memory = {about = "the newest messages, with 0.7 of the budget before a flush", options = {name = "Memory"}, source = "https://developers.llamaindex.ai/python/framework/module_guides/deploying/agents/memory/", remarks = {"sent" = "#messages-that-nobody-sees"}}
# ///
"""The buffers of llama-index-core. They get texts only, without tool results."""

import asyncio
import os

from llama_index.core import memory
from llama_index.core.llms import ChatMessage
from llama_index.llms.openai_like import OpenAILike


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix, name):
        options = {"token_limit": budget, "tokenizer_fn": lambda text: range(count_tokens(text))}
        if name == "ChatSummaryMemoryBuffer":
            options["llm"] = OpenAILike(
                model="gpt-4o-mini",
                is_chat_model=True,
                max_retries=0,
                api_base=os.environ["OPENAI_BASE_URL"],
                api_key=os.environ["OPENAI_API_KEY"],
            )
        if name == "Memory":  # its default of a flush, 3,000 tokens, is a tenth of its default limit
            options["token_flush_size"] = max(budget // 10, 1)
        self.memory = getattr(memory, name).from_defaults(**options)

    def save(self, messages, said_at):
        said = [
            ChatMessage(role=one["role"], content=one["content"] or "") for one in messages if one["role"] != "tool"
        ]
        if hasattr(self.memory, "aput_messages"):
            asyncio.run(self.memory.aput_messages(said))
        else:
            for one in said:
                self.memory.put(one)

    def view(self, question):
        return [{"role": one.role.value, "content": one.content or ""} for one in self.memory.get(question)]

    def delete(self, texts):
        self.memory.set([one for one in self.memory.get_all() if one.content not in texts])
