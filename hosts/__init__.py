"""memzoo inside other libraries: one folder or file for each, `from memzoo.hosts.langgraph import ...`.

None of these libraries is imported before its file is. The files of agent frameworks share `shared.py`, and
`messages.py` for messages.
"""
