"""memzoo inside other libraries, with a folder or file per library: `from memzoo.hosts.langgraph import ...`.

A library is imported only by its own file here. The files of agent frameworks share `shared.py` and `messages.py`.
"""
