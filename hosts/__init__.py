"""memzoo inside other libraries: one folder or file for each, `from memzoo.hosts.langgraph import ...`.

A library is imported only by its own file here. The files of agent frameworks share `shared.py` and `messages.py`.
"""
