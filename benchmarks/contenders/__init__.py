"""Contenders: memories of other libraries in `memzoo compare`, each in a process and an environment of its own."""
