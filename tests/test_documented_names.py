"""Every name that README, docs and CHANGELOG mentioned before the rearrangement of version 0.1.0 is still there.

The lists were taken from the pages of commit 5fb5898: the public names of each package that stood in code, and what of
their classes did.
"""

import dataclasses
import importlib
from typing import Any

import pytest

NAMES = {
    "memzoo.memories": (
        "BaseMemory ChatModel CombinedMemory Completion Conversation ConversationBufferMemory "
        "ConversationBufferWindowMemory ConversationEntityMemory ConversationKGMemory "
        "ConversationSummaryBufferMemory ConversationSummaryMemory ConversationTokenBufferMemory Embedder Fact "
        "HashEmbedder KnowledgeGraph MemoryProvider MessageWindowMemory Model OpenAIEmbedder Quote Reason Receipt "
        "Reply Retained STRATEGIES Source Spent SummarizingWindowMemory TokenWindowMemory Tool Turn Usage "
        "VectorStoreRetrieverMemory aretain create_memory immediate retain trim_messages"
    ),
    "memzoo.memories.testing": "FlakyModel MemoryContract ScriptedModel",
    "memzoo.memories.offline": (
        "BASE_URL CHAT_MODEL EMBEDDING_MODEL application async_offline_client count_tokens hash_embedding "
        "offline_client serve serve_forever"
    ),
    "memzoo.memories.graphs.export": "FORMATS StoredGraph export stored_graph",
    "memzoo.stores": (
        "ChromaIndex EncryptedStore Entry ExactIndex InMemoryStore JSON Message PgVectorIndex Record SQLStore "
        "StateUpdate Store StoredState VectorIndex aexport_conversation aimport_conversation export_conversation "
        "import_conversation open_store"
    ),
    "memzoo.stores.testing": "HOSTILE_IDS StoreContract VectorIndexContract",
    "memzoo.stores.errors": (
        "AsyncOnlyError ConflictError ConversationIdError MemoryZooError ModelError OptionError OverBudgetError "
        "StoreError TamperedError ToolRoundsError TurnInProgressError UnknownMessageError UnknownOptionError "
        "WrongKeyError"
    ),
    "memzoo.cassettes": (
        "Cassette CassetteError CassetteFormatError CassetteInUseError MissingCassetteError RecordingError "
        "UnmatchedRequestError UnplayedInteractionError use_cassette"
    ),
    "memzoo.benchmarks": "compare load_transcripts named_counter",
    "memzoo.prompts": "PROMPTS PromptSet PromptSource",
}

MEMBERS = {
    "memories.BaseMemory": (
        "aclear add_messages aforget ahistory ai_prefix aload_memory_variables amessages asave_context asettle "
        "background chat_memory clear conversation_id derive entries forget history human_prefix keep_history "
        "load_memory_variables memory_key memory_variables messages on_model_error prompts return_messages "
        "save_context seed settle store token_counter turn unfinished_turn view"
    ),
    "memories.CombinedMemory": "max_token_limit memories shares",
    "memories.Completion": "spent text",
    "memories.Conversation": "asend astream send stream",
    "memories.ConversationBufferMemory": "buffer",
    "memories.ConversationBufferWindowMemory": "buffer k",
    "memories.ConversationEntityMemory": "aliases entities k llm max_token_limit",
    "memories.ConversationKGMemory": (
        "awhy depth get_knowledge_triplets k llm max_token_limit mine_ai single_valued why"
    ),
    "memories.ConversationSummaryBufferMemory": (
        "count_summary llm max_summary_tokens max_token_limit prune_to summary"
    ),
    "memories.ConversationSummaryMemory": "buffer every every_tokens llm max_summary_tokens summary",
    "memories.ConversationTokenBufferMemory": "buffer max_token_limit oversized set_messages system_first",
    "memories.Embedder": "name weight",
    "memories.Fact": "key negated object relation said_in sources subject superseded_by",
    "memories.HashEmbedder": "weight",
    "memories.KnowledgeGraph": "facts graph restore",
    "memories.MemoryProvider": "aforget close conversations forget get release scope session",
    "memories.MessageWindowMemory": "max_messages oversized set_messages system_first",
    "memories.Model": "name",
    "memories.Quote": "said_at seq speaker text",
    "memories.Reason": "corrected_by fact holds quotes",
    "memories.Receipt": "calls erased outstanding rederived remains removed",
    "memories.Reply": "calls",
    "memories.Retained": "erased last removed",
    "memories.Source": "said_at seq speaker",
    "memories.Spent": "calls seconds",
    "memories.SummarizingWindowMemory": "llm max_messages max_summary_tokens summary",
    "memories.TokenWindowMemory": "max_tokens oversized set_messages system_first",
    "memories.Tool": "schema",
    "memories.Turn": "add amessages messages",
    "memories.Usage": "total",
    "memories.VectorStoreRetrieverMemory": "embedder k max_token_limit",
    "stores.ChromaIndex": "add close search",
    "stores.EncryptedStore": (
        "append clear close commit conversations embeddings forget new_key read restore scrub states"
    ),
    "stores.Entry": "created_at fields message seq turn_id",
    "stores.ExactIndex": "add search",
    "stores.InMemoryStore": "append clear close commit conversations embeddings forget read restore scrub states",
    "stores.PgVectorIndex": "add close search",
    "stores.Record": "fields message",
    "stores.SQLStore": "append clear close commit conversations embeddings forget read repair restore scrub states",
    "stores.Store": "append clear close commit read",
    "stores.StoredState": "embeddings items",
    "stores.VectorIndex": "add search",
}


@pytest.mark.parametrize("path", NAMES)
def test_names_can_be_imported(path: str) -> None:
    """`from path import name` works as it was written."""
    module = importlib.import_module(path)
    assert [name for name in NAMES[path].split() if not hasattr(module, name)] == []


@pytest.mark.parametrize("path", MEMBERS)
def test_classes_have_their_methods_and_options(path: str) -> None:
    """What a page called on an object, or gave it when it was made."""
    package, _, name = path.rpartition(".")
    cls: Any = getattr(importlib.import_module(f"memzoo.{package}"), name)
    options = {field.name for field in dataclasses.fields(cls)} if dataclasses.is_dataclass(cls) else set[str]()
    assert [member for member in MEMBERS[path].split() if member not in options and not hasattr(cls, member)] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("memzoo.memories.offline", "memzoo.memories.models.offline"),
        ("memzoo.memories.graphs.export", "memzoo.memories.graph.export"),
    ],
)
def test_an_old_path_is_the_same_module(old: str, new: str) -> None:
    """Classes of both paths are the same, so `isinstance` and `except` hold."""
    assert importlib.import_module(old) is importlib.import_module(new)
