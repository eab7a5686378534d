"""A server for many users with FastAPI; here it talks to itself once. Needs `pip install fastapi httpx`, and no key.

To serve it, `pip install uvicorn` and `uvicorn server:app`. For several processes, set STORE to a PostgreSQL server.
"""

import asyncio
import os
from typing import Annotated

import httpx
from fastapi import FastAPI, Header
from pydantic import BaseModel

from memzoo import ChatModel, Conversation, MemoryProvider, open_store

# It prints:
#   anna hears of Pixel
#   ben hears nothing of Pixel

app = FastAPI()
model = ChatModel(os.environ.get("MODEL", "offline"))
store = open_store(os.environ.get("STORE", "sqlite:///chats.db"))
provider = MemoryProvider(os.environ.get("MEMORY", "summary-buffer"), llm=model, store=store, learn="background")


class Said(BaseModel):
    """What a user sends."""

    text: str


@app.post("/chat")
async def say(said: Said, x_user: Annotated[str, Header()]) -> str:
    """Answer a user, whose conversation is found by who they are."""
    return await Conversation(model, provider.get(x_user)).asend(said.text)


async def main() -> None:
    """Two users talk; neither sees what the other said."""
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://server") as client:
        await client.post("/chat", json={"text": "My cat is called Pixel."}, headers={"X-User": "anna"})
        for user in ("anna", "ben"):
            reply = await client.post("/chat", json={"text": "What is my cat called?"}, headers={"X-User": user})
            print(user, "hears of Pixel" if "Pixel" in reply.text else "hears nothing of Pixel")
    for user in ("anna", "ben"):
        await provider.get(user).asettle()  # what is still learnt in the background
    provider.close()
    store.close()


if __name__ == "__main__":
    asyncio.run(main())
