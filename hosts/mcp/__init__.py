"""A graph written by tool calls, kept as a conversation, and served over the Model Context Protocol."""
