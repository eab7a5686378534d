"""Adapters that put a memory into other libraries: `from memzoo.hosts.langgraph import ...`.

Each library has a file or folder here. No other part of memzoo imports that library.
"""
