"""memzoo inside other libraries: one folder or file for each, `from memzoo.hosts.langgraph import ...`.

None of these libraries is imported before its file is. What the files of agent frameworks share stands in `shared.py`,
and what they do alike with messages in `messages.py`.
"""
