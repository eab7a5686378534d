"""Conversations between users and a model that has a memory and tools."""
