"""What learns what waits, as a task of procrastinate; `learn.defer_async()` asks for it."""

from procrastinate import App, PsycopgConnector

from memzoo import open_store, upkeep

URL = "postgresql://me@db.example.com/chat"
app = App(connector=PsycopgConnector(conninfo=URL))


@app.task(queueing_lock="learn")  # one waits at most
def learn() -> None:
    """Learn what waits, in all conversations."""
    with open_store(URL) as store:
        upkeep(store, "summary", llm="gpt-4o-mini")
