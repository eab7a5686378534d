"""Programs in the shape of files of public repositories, which use LangChain's memory; rebuilt, nothing is copied.

Each sets `shown`; the scripted model answers "one", "two" and so on unless the sample says otherwise.
"""

from dataclasses import dataclass
from textwrap import dedent
from typing import Any

__all__ = ["SAMPLES", "Sample"]


@dataclass(frozen=True)
class Sample:
    """A program.

    Attributes:
        source: The repository and the file whose shape it has.
        code: Its text.
        shown: What it leaves in `shown` once it is rewritten; `None` if it needs a service that is not here.
        replies: What the model answers.
    """

    source: str
    code: str
    shown: Any
    replies: tuple[str, ...] = ("one", "two", "three", "four", "five", "six")


def sample(source: str, code: str, shown: Any, *replies: str) -> Sample:
    """A program, its text without the indentation that it has here."""
    return Sample(source, dedent(code).lstrip(), shown, *([replies] if replies else []))


SAMPLES = [
    sample(
        "irondivit/Naptick-1 chains/memory_layer.py",
        """
        from langchain.memory import ConversationBufferMemory

        memory = ConversationBufferMemory(
            memory_key="chat_history",
            input_key="question",
        )
        memory.save_context({"question": "hi", "context": "a page"}, {"answer": "hello"})
        shown = memory.load_memory_variables({})
        """,
        {"chat_history": "Human: hi\nAI: hello"},
    ),
    sample(
        "marisbotero/Master_IA chatbot/pages/chatbot/chatbot_model.py",
        """
        from langchain import OpenAI, ConversationChain
        from langchain.memory import ConversationBufferMemory

        chat = OpenAI(temperature=0)

        conversation = ConversationChain(
            llm=chat,
            verbose=True,
            memory=ConversationBufferMemory()
        )
        conversation.predict(input="hi")
        shown = conversation.memory.buffer
        """,
        "Human: hi\nAI: one",
    ),
    sample(
        "yliu2702/LLM-learning LangChain_for_LLM_application_Memory",
        """
        from langchain.chat_models import ChatOpenAI
        from langchain.chains import ConversationChain
        from langchain.memory import ConversationBufferMemory

        llm = ChatOpenAI(temperature=0.0, model="gpt-4")
        memory = ConversationBufferMemory()
        memory.save_context({"input": "Hi"},
                            {"output": "What's up"})
        conversation = ConversationChain(
            llm=llm,
            memory = memory,
            verbose=False
        )
        conversation.predict(input="Not much")
        shown = memory.load_memory_variables({})
        """,
        {"history": "Human: Hi\nAI: What's up\nHuman: Not much\nAI: one"},
    ),
    sample(
        "ethanrom/mistral-agent memory.py",
        """
        from langchain.memory import ConversationBufferWindowMemory
        from langchain_community.chat_message_histories import StreamlitChatMessageHistory

        storage = StreamlitChatMessageHistory(key="chat_messages")
        memory = ConversationBufferWindowMemory(memory_key="history", human_prefix="User", chat_memory=storage, k=3)
        """,
        None,
    ),
    sample(
        "harryBedfordSL/llm-chatbot-python memory.py",
        """
        from langchain.chains.conversation.memory import ConversationBufferWindowMemory

        memory = ConversationBufferWindowMemory(
            memory_key='chat_history',
            k=1,
            return_messages=True,
        )
        for word in ("a", "b"):
            memory.save_context({"input": word}, {"output": word * 2})
        shown = [message.content for message in memory.load_memory_variables({})["chat_history"]]
        """,
        ["b", "bb"],
    ),
    sample(
        "MAbdullah005/YouTube-Chatbot backend/core/memorey.py",
        """
        #from langchain.memory import ConversationBufferMemory
        from langchain_classic.memory import ConversationBufferMemory,ConversationBufferWindowMemory

        _memory=ConversationBufferWindowMemory(
                memory_key="chat_history",
                return_messages=False,
                k=3,
            )
        def get_memory():
          return _memory

        get_memory().save_context({"input": "hi"}, {"output": "hello"})
        shown = get_memory().buffer
        """,
        "Human: hi\nAI: hello",
    ),
    sample(
        "pisterlabs/promptset data/scraping/repos/andrewchch~datamapper/kg_build.py",
        """
        from langchain.memory import ConversationKGMemory
        from langchain.llms import OpenAI
        llm = OpenAI(temperature=0)
        memory = ConversationKGMemory(llm=llm)
        memory.save_context({"input": "greet Rex"}, {"output": "who is Rex"})
        memory.save_context({"input": "Rex is a dog"}, {"output": "okay"})
        first = memory.load_memory_variables({"input": 'who is Rex'})

        memory = ConversationKGMemory(llm=llm, return_messages=True)
        memory.save_context({"input": "Rex is a dog"}, {"output": "okay"})
        second = memory.load_memory_variables({"input": 'who is Rex'})["history"][0].content
        names = memory.get_current_entities("what does Rex like?")
        facts = memory.get_knowledge_triplets("he likes snow")
        shown = first["history"], second, names, [tuple(fact) for fact in facts]
        """,
        ("On Rex: Rex is a dog.", "On Rex: Rex is a dog.", ["Rex"], [("Rex", "likes", "snow")]),
        "NONE",
        "(Rex, is, a dog)",
        "(Rex, is, a dog)",
        "Rex",
        "(Rex, likes, snow)",
    ),
    sample(
        "jacobcoccari/langchain-course-playground 04_Memory/05-conversationtokenbuffermemory.py",
        """
        from langchain.memory import ConversationTokenBufferMemory
        from langchain.chat_models import ChatOpenAI

        llm = ChatOpenAI()

        memory = ConversationTokenBufferMemory(llm=llm, max_token_limit=7)
        memory.save_context({"input": "hi"}, {"output": "whats up"})
        memory.save_context({"input": "not much you"}, {"output": "not much"})
        shown = memory.buffer
        """,
        "Human: not much you\nAI: not much",
    ),
    sample(
        "djpapzin/LangChain-VectorDB-Learning Projects/Types_of_Conversational_Memory/ConversationSummaryMemory.py",
        """
        # Summaries keep what matters.

        from langchain.chains import ConversationChain
        from langchain.memory import ConversationSummaryMemory
        from langchain import OpenAI
        from langchain.prompts import PromptTemplate


        llm = OpenAI(model_name="gpt-3.5-turbo-instruct", temperature=0)

        conversation_with_summary = ConversationChain(
            llm=llm,
            memory=ConversationSummaryMemory(llm=llm),  # asks the model twice a turn
            verbose=True
        )
        response = conversation_with_summary.predict(input="Hi, what's up?")

        from langchain.llms import OpenAI
        from langchain.chains import ConversationChain
        from langchain.memory import ConversationSummaryBufferMemory

        other = ConversationChain(
            llm=llm,
            memory=ConversationSummaryBufferMemory(llm=OpenAI(), max_token_limit=40),
            verbose=True
        )
        other.predict(input="Only writing.")
        shown = response, conversation_with_summary.memory.buffer, other.memory.buffer
        """,
        ("one", "two", "Human: Only writing.\nAI: three"),
    ),
    sample(
        "pisterlabs/promptset data/scraping/repos/heneyin~Learn/"
        "learn-langchain~_04_memory~_01_how_to~_09_entity_memory.py",
        """
        from langchain.llms import OpenAI
        from langchain.memory import ConversationEntityMemory
        llm = OpenAI(temperature=0)

        memory = ConversationEntityMemory(llm=llm)
        _input = {"input": "Rex is a dog"}
        memory.load_memory_variables(_input)
        memory.save_context(
            _input,
            {"output": " What does he like?"}
        )
        shown = memory.load_memory_variables({"input": 'who is Rex'})["entities"]

        from langchain.chains import ConversationChain
        from langchain.memory import ConversationEntityMemory
        from langchain.memory.prompt import ENTITY_MEMORY_CONVERSATION_TEMPLATE

        conversation = ConversationChain(
            llm=llm,
            verbose=True,
            prompt=ENTITY_MEMORY_CONVERSATION_TEMPLATE,
            memory=ConversationEntityMemory(llm=llm)
        )
        conversation.predict(input="Rex likes snow")
        """,
        {"Rex": "A dog."},
        "Rex",
        "Rex: A dog.",
        "Rex",
        "Rex",
        "Fine.",
        "Rex: Likes snow.",
    ),
    sample(
        "asa9874/Deep-leaning-NLP LangChain/07Memory/1ConversationEntityMemory.py",
        """
        from langchain_openai import OpenAI
        from langchain.memory import ConversationBufferMemory
        from langchain.chains.conversation.base import ConversationChain
        from langchain.memory.prompt import ENTITY_MEMORY_CONVERSATION_TEMPLATE
        from langchain.memory import ConversationEntityMemory
        llm = OpenAI(model="small")

        memory = ConversationEntityMemory(llm=llm)
        memory.save_context(
            inputs={"human": "Oslo is the capital of Norway."},
            outputs={"ai": "It is."},
        )

        conversation = ConversationChain(
            llm=llm,
            prompt=ENTITY_MEMORY_CONVERSATION_TEMPLATE,
            memory=memory,
        )

        conversation.predict(input="What is Oslo?")
        shown = dict(conversation.memory.entity_store.store)
        """,
        {"Oslo": "Capital of Norway."},
        "Oslo: Capital of Norway.",
        "Oslo",
        "A city.",
        "NOTHING NEW",
    ),
    sample(
        "AnshKetchum/chainge chainge/chain/memory/quick.py",
        """
        from langchain.memory import ConversationBufferMemory
        from langchain.memory.chat_memory import ChatMessageHistory
        from langchain.memory.chat_message_histories import RedisChatMessageHistory


        message_history = RedisChatMessageHistory(
            url="redis://localhost:6379/0", ttl=600, session_id="my-session"
        )

        memory = ConversationBufferMemory(
            memory_key="chat_history", chat_memory=message_history
        )
        """,
        None,
    ),
    sample(
        "RedLordezh7Venom/campusclature_chatbot chatbot/memory_manager.py",
        """
        from langchain_community.chat_message_histories import SQLChatMessageHistory

        def get_session_history(session_id: str) -> SQLChatMessageHistory:
            return SQLChatMessageHistory(
                session_id=session_id, connection_string="sqlite:///chat_history.db"
            )

        get_session_history("anna").add_user_message("hi")
        get_session_history("ben").add_user_message("no")
        shown = [message.content for message in get_session_history("anna").messages]
        """,
        ["hi"],
    ),
    sample(
        "luxiao26/AITools models/Chat_memory.py",
        """
        from langchain_community.chat_message_histories import ChatMessageHistory
        store = {}
        def get_message_history(session_id)->ChatMessageHistory:
            if session_id not in store:
                store[session_id] = ChatMessageHistory()
            return store[session_id]

        get_message_history("a").add_ai_message("hello")
        shown = [message.type for message in get_message_history("a").messages]
        """,
        ["ai"],
    ),
    sample(
        "ulissesanx/estudo-curso-langchain arq_py_aula_11/memoria_sistema_assincrono.py",
        """
        from langchain_community.chat_message_histories import SQLChatMessageHistory
        from sqlalchemy.ext.asyncio import create_async_engine

        async_engine = create_async_engine("sqlite+aiosqlite:///memory.db")

        def get_session_history(session_id):
            return SQLChatMessageHistory(session_id, connection=async_engine)
        """,
        None,
    ),
    sample(
        "Pranav910/chatbot chat-api/venv/fast-chat-api/chat_history.py",
        """
        from langchain_core.chat_history import BaseChatMessageHistory, InMemoryChatMessageHistory
        from langchain_core.runnables.history import RunnableWithMessageHistory
        from langchain_openai import ChatOpenAI

        chain = ChatOpenAI()
        store = {}

        def get_session_history(session_id : str) -> BaseChatMessageHistory:
            if session_id not in store:
                store[session_id] = InMemoryChatMessageHistory()
            return store[session_id]


        with_chat_history = RunnableWithMessageHistory(chain, get_session_history)
        for said in ("hi", "again"):
            with_chat_history.invoke(said, {"configurable": {"session_id": "a"}})
        shown = [message.content for message in store["a"].messages]
        """,
        ["hi", "one", "again", "two"],
    ),
    sample(
        "weaviate/Verba goldenverba/components/generation/message_history.py",
        """
        from langchain_community.chat_message_histories import ChatMessageHistory
        from langchain_core.chat_history import BaseChatMessageHistory
        from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
        from langchain_core.runnables.history import RunnableWithMessageHistory
        from langchain_openai import ChatOpenAI

        store = {}

        def get_session_history(session_id: str) -> BaseChatMessageHistory:
            if session_id not in store:
                store[session_id] = ChatMessageHistory()
            return store[session_id]

        def create_runnable_with_message_history(runnable):
            return RunnableWithMessageHistory(
                runnable,
                get_session_history,
                input_messages_key="input",
                history_messages_key="history",
            )

        prompt = ChatPromptTemplate([MessagesPlaceholder("history"), ("human", "{input}")])
        chain = create_runnable_with_message_history(prompt | ChatOpenAI())
        for said in ("hi", "again"):
            chain.invoke({"input": said}, {"configurable": {"session_id": "a"}})
        shown = len(get_session_history("a").messages)
        """,
        4,
    ),
    sample(
        "lillianassefa/Contract-AI-Chatbot backend/src/generator.py",
        """
        from langchain_openai import ChatOpenAI
        from langchain.memory import ConversationBufferMemory
        from langchain.chains import ConversationalRetrievalChain
        from langchain_core.embeddings import DeterministicFakeEmbedding
        from langchain_core.vectorstores import InMemoryVectorStore

        def create_conversational_chain(llm, vectorstore):
            memory = ConversationBufferMemory(memory_key='chat_history', return_messages=True)
            conversation_chain = ConversationalRetrievalChain.from_llm(
                llm=llm,
                chain_type="stuff",
                retriever=vectorstore.as_retriever(),
                memory=memory,
            )
            return conversation_chain

        vectors = InMemoryVectorStore(DeterministicFakeEmbedding(size=4))
        vectors.add_texts(["a contract"])
        chain = create_conversational_chain(ChatOpenAI(), vectors)
        chain.invoke({"question": "hi"})
        shown = chain.memory.buffer_as_str
        """,
        "Human: hi\nAI: one",
    ),
    sample(
        "cclarke411/ah_router_v1 multiple_memory.py",
        """
        from langchain.chains.conversation.base import ConversationChain
        from langchain.memory import (
            CombinedMemory,
            ConversationBufferMemory,
            ConversationSummaryMemory,
        )
        from langchain_core.prompts import PromptTemplate
        from langchain_openai import OpenAI

        conv_memory = ConversationBufferMemory(
            memory_key="chat_history_lines", input_key="input"
        )

        summary_memory = ConversationSummaryMemory(llm=OpenAI(), input_key="input")
        # Combined
        memory = CombinedMemory(memories=[conv_memory, summary_memory])
        PROMPT = PromptTemplate(
            input_variables=["history", "input", "chat_history_lines"],
            template="{history} {chat_history_lines} {input}",
        )
        llm = OpenAI(temperature=0)
        conversation = ConversationChain(llm=llm, verbose=True, memory=memory, prompt=PROMPT)
        conversation.run("Hi!")
        shown = memory.load_memory_variables({})
        """,
        {"chat_history_lines": "Human: Hi!\nAI: one", "history": "two"},
    ),
    sample(
        "dimitree54/tg_lila_bot agent.py",
        """
        from langchain.agents import initialize_agent, AgentType
        from langchain.chat_models import ChatOpenAI
        from langchain.memory import ConversationBufferMemory

        agent = initialize_agent(
            tools=[],
            llm=ChatOpenAI(model_name="gpt-3.5-turbo", temperature=0),
            verbose=True,
            agent=AgentType.CHAT_CONVERSATIONAL_REACT_DESCRIPTION,
            memory=ConversationBufferMemory(memory_key="chat_history", return_messages=True)
        )
        agent.run("hi")
        shown = [message.content for message in agent.memory.chat_memory.messages]
        """,
        ["hi", "hello"],
        '{"action": "Final Answer", "action_input": "hello"}',
    ),
    sample(
        "ThaTechMaestro/ai-content-writer playground/langchain_fun.py",
        """
        from langchain.memory import ConversationBufferMemory


        memory = ConversationBufferMemory()
        memory.save_context({"input": "hi"}, {"output": "whats up"})
        shown = memory.load_memory_variables({})
        """,
        {"history": "Human: hi\nAI: whats up"},
    ),
    sample(
        "chenwen0511/jack_llm longchain/Memory_module/demo_memory.py",
        """
        from langchain.memory import ChatMessageHistory

        # 1. make it
        history = ChatMessageHistory()
        # 2. 添加历史信息
        history.add_user_message("你好")
        history.add_ai_message("再见")

        shown = [message.content for message in history.messages]
        """,
        ["你好", "再见"],
    ),
    sample(
        "0xhzx/Chatchat_AIMeng src/web/modules/memory.py",
        """
        import os, sys
        sys.path.append(os.path.dirname(os.path.abspath(__file__)))

        from langchain.memory import ChatMessageHistory, ConversationBufferMemory

        message_history = ChatMessageHistory()

        memory = ConversationBufferMemory(
            memory_key="chat_history",
            output_key="answer",
            chat_memory=message_history,
            return_messages=True,
        )
        memory.save_context({"question": "hi"}, {"answer": "hello", "source_documents": "none"})
        shown = [message.content for message in message_history.messages]
        """,
        ["hi", "hello"],
    ),
    sample(
        "felipesveiga/LangChain-ChatGPT projects/tchat-practice/src/_memory.py",
        """
        from langchain.memory import ConversationBufferMemory, FileChatMessageHistory

        def memory(configs)->ConversationBufferMemory:
            '''
                What the chatbot remembers.
            '''
            chat_memory = FileChatMessageHistory(**configs['FileChatMessageHistory'])
            return ConversationBufferMemory(chat_memory=chat_memory, **configs['ConversationBufferMemory'])

        configs = {
            'FileChatMessageHistory': {'file_path': 'chat.json'},
            'ConversationBufferMemory': {'memory_key': 'messages', 'return_messages': True},
        }
        memory(configs).save_context({"input": "hi"}, {"output": "hello"})
        shown = [message.content for message in memory(configs).load_memory_variables({})["messages"]]
        """,
        ["hi", "hello"],
    ),
    sample(
        "NeoFacturing/backend app/core/memory.py",
        """
        from langchain.memory import ConversationBufferMemory, ReadOnlySharedMemory
        from langchain.prompts import MessagesPlaceholder

        agent_kwargs = {
            "extra_prompt_messages": [MessagesPlaceholder(variable_name="memory")],
        }
        memory = ConversationBufferMemory(memory_key="memory", return_messages=True)
        readonlymemory = ReadOnlySharedMemory(memory=memory)
        memory.save_context({"input": "hi"}, {"output": "hello"})
        shown = len(readonlymemory.load_memory_variables({})["memory"])
        """,
        2,
    ),
    sample(
        "nakmr/langchain-training 4_memory/chat_memory_2.py",
        """
        from langchain.chains import ConversationChain
        from langchain.chat_models import ChatOpenAI
        from langchain.memory import ConversationBufferMemory

        chat = ChatOpenAI(
            model="gpt-3.5-turbo",
        )

        memory = ConversationBufferMemory(
            return_messages=True,
        )

        chain = ConversationChain(
            memory=memory,
            llm=chat,
        )

        def on_message(message):
            result = chain(
                message
            )
            return result["response"]

        shown = [on_message("hi"), on_message("again")]
        """,
        ["one", "two"],
    ),
    sample(
        "tily/ai-study langchain-book/custom_memory_1.py",
        """
        from langchain.chains import ConversationChain
        from langchain.chat_models import ChatOpenAI
        from langchain.memory import ConversationBufferWindowMemory

        chat = ChatOpenAI(model="gpt-3.5-turbo")
        memory = ConversationBufferWindowMemory(return_messages=True, k=3)
        chain = ConversationChain(memory=memory, llm=chat)
        for word in "abcde":
            chain(word)
        shown = [saved.content for saved in chain.memory.load_memory_variables({})["history"]]
        """,
        ["c", "three", "d", "four", "e", "five"],
    ),
    sample(
        "Ashpak-phaiDelta/abot-langchain genesis/agent.py",
        """
        import langchain.memory
        from langchain.chains.conversation.memory import ConversationSummaryBufferMemory as Summaries


        class Session:
            def __init__(self, llm):
                self.memory = Summaries(llm=llm, memory_key="chat_history", return_messages=True, max_token_limit=0)
                self.last = langchain.memory.ConversationBufferWindowMemory(k=1)

        from langchain_openai import ChatOpenAI
        session = Session(ChatOpenAI())
        for one in (session.memory, session.last):
            one.save_context({"input": "hi"}, {"output": "hello"})
        shown = session.memory.moving_summary_buffer, session.last.buffer
        """,
        ("one", "Human: hi\nAI: hello"),
    ),
    sample(
        "shamspias/lcel-tutorial exercises/other/memory_save_to_mongo.py",
        """
        from langchain_community.chat_message_histories import MongoDBChatMessageHistory

        chat_message_history = MongoDBChatMessageHistory(
            session_id="test_session1",
            connection_string="mongodb://localhost:27017",
            database_name="legal_data",
            collection_name="chat_histories",
        )
        """,
        None,
    ),
]
