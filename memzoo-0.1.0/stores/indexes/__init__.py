"""Vector indexes: exact search in memory, Chroma and pgvector."""
