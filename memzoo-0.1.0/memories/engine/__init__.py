"""What runs a memory: the log of a conversation, the state derived from it, locks, turns and forgetting."""
