"""Imports other libraries' conversations, and migrates code that uses LangChain's memories."""
