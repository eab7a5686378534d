"""Conversations on Redis, Valkey or a cluster of them."""
