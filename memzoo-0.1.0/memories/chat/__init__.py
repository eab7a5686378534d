"""Conversations: a model, a memory and tools, turn by turn, for one user or many."""
