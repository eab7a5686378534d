"""The command line: compare, chat, list, and what looks into a store."""
