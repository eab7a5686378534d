"""Executors of several kinds, with two workers each."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from multiprocessing import get_context
from typing import Any

from memzoo.dispatch import executor_of

__all__ = ["EXECUTORS"]

EXECUTORS: dict[str, Callable[[], AbstractContextManager[Any]]] = {
    "threads": lambda: ThreadPoolExecutor(2),
    "processes": lambda: executor_of(2),
    "a pool of one's own": lambda: ProcessPoolExecutor(2, mp_context=get_context("spawn")),
}
