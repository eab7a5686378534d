# /// script
# requires-python = ">=3.11"
# dependencies = ["langchain-classic==1.0.8", "langchain-community==0.4.2", "langchain-openai==1.7.4", "networkx==3.6.1"]
# [tool.memzoo.ways]
# buffer = {about = "all messages", options = {name = "ConversationBufferMemory"}, source = "https://python.langchain.com/v0.1/docs/modules/memory/types/buffer/"}
# window = {about = "the last 5 exchanges", options = {name = "ConversationBufferWindowMemory", k = 5}, source = "https://python.langchain.com/v0.1/docs/modules/memory/types/buffer_window/"}
# summary = {about = "a running summary", options = {name = "ConversationSummaryMemory"}, asks_model = true, source = "https://python.langchain.com/v0.1/docs/modules/memory/types/summary/"}
# summary-buffer = {about = "a summary, and the newest messages up to the budget", options = {name = "ConversationSummaryBufferMemory", max_token_limit = "budget"}, asks_model = true, source = "https://python.langchain.com/v0.1/docs/modules/memory/types/summary_buffer/"}
# entity = {about = "notes on the names of the question, and the last 3 exchanges", options = {name = "ConversationEntityMemory"}, asks_model = true, source = "https://python.langchain.com/v0.1/docs/modules/memory/types/entity_summary_memory/", remarks = {"calls" = "#names-noted-one-message-late"}}
# knowledge-graph = {about = "facts about the names of the question", options = {name = "ConversationKGMemory"}, asks_model = true, source = "https://python.langchain.com/v0.1/docs/modules/memory/types/kg/"}
# vector-retriever = {about = "the 4 exchanges whose vectors are nearest", options = {name = "VectorStoreRetrieverMemory"}, source = "https://python.langchain.com/v0.1/docs/modules/memory/types/vectorstore_retriever_memory/", remarks = {"left after a deletion" = "#words-that-come-back-after-clear"}}
# ///
"""The seven memories of langchain-classic."""

from langchain_classic import memory as classic
from langchain_community.memory.kg import ConversationKGMemory
from langchain_core.messages import convert_to_openai_messages
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_openai import ChatOpenAI, OpenAIEmbeddings


class Memory:
    def __init__(self, count_tokens, budget, human_prefix, ai_prefix, name, **options):
        class Model(ChatOpenAI):  # its own counter looks for a tokenizer on the network
            def get_num_tokens_from_messages(self, messages, tools=None):
                return sum(count_tokens(str(one.content)) for one in messages)

        if name == "VectorStoreRetrieverMemory":
            vectors = InMemoryVectorStore(OpenAIEmbeddings(check_embedding_ctx_length=False))
            self.memory = classic.VectorStoreRetrieverMemory(retriever=vectors.as_retriever(), input_key="input")
            return
        kind = ConversationKGMemory if name == "ConversationKGMemory" else getattr(classic, name)
        options |= {"return_messages": True} | ({"llm": Model(max_retries=0)} if "llm" in kind.model_fields else {})
        self.memory = kind(human_prefix=human_prefix, ai_prefix=ai_prefix, **options)

    def save(self, messages, said_at):
        texts = {
            role: "\n".join(one["content"] or "" for one in messages if (one["role"] == "user") == (role == "input"))
            for role in ("input", "output")
        }
        self.memory.save_context({"input": texts["input"]}, {"output": texts["output"]})

    def view(self, question):
        found = self.memory.load_memory_variables({"input": question})
        history, notes = found["history"], found.get("entities") or {}
        told = [{"role": "system", "content": "\n".join(f"{name}: {note}" for name, note in notes.items() if note)}]
        if isinstance(history, str):
            told, history = [{"role": "system", "content": history}], []
        return [one for one in told if one["content"]] + convert_to_openai_messages(history)

    def delete(self, texts):
        """Delete messages from the list in the chat history, which has no method to delete a message."""
        if chat := getattr(self.memory, "chat_memory", None):
            chat.messages = [one for one in chat.messages if one.content not in texts]
