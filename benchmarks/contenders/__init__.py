"""Contenders: memories of other libraries in `memzoo compare`, each in a separate process and environment."""
