"""Conversations of one or many users with a model, a memory and tools."""
