"""Finds messages by their words and by embeddings, and writes them as evidence."""
