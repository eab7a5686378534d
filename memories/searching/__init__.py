"""Finding messages: by their words, by the words around them, by embeddings."""
