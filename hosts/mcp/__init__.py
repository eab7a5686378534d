"""A graph that is written by calls of tools, kept as a conversation, and served by the Model Context Protocol."""
