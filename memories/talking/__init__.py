"""Conversations with a model: turns, tools, and the memories of many conversations."""
