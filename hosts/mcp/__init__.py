"""A graph that is written by tool calls, stored as a conversation, and served over the Model Context Protocol."""
