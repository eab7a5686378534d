"""When imported, loads all modules that would load at first use, so that forked processes have them."""

import contextlib
import gc
import importlib

from memzoo.sync import drive
from tools.faults.scenarios import SEVEN, Scenario, aoutcome, opened, said

for _name in (
    "memzoo.stores.indexes.chroma",
    "memzoo.stores.redis",
    "memzoo.stores.sql.postgres",
    "chromadb.api.client",
    "chromadb.api.rust",
    "psycopg",
    "pytest",
    "sqlalchemy.ext.asyncio",
    "memzoo.benchmarks.tasks",
    "memzoo.cli.commands",
    *(f"tools.faults.{name}" for name in "concurrency crash database disk host_runs moving operations".split()),
):
    with contextlib.suppress(ModuleNotFoundError):
        importlib.import_module(_name)

for _strategy in SEVEN:
    with opened(Scenario(_strategy, "sqlite://")) as _memory:
        _memory.save_context(*said(1))
        drive(aoutcome(_memory))


# So that the garbage collector of a fork does not touch, and so copy, what it shares with the others.
gc.collect()
gc.freeze()
