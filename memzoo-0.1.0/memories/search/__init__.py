"""Finding messages: by their words, by embeddings, and how what was found is shown."""
