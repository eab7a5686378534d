"""memzoo's own adapters. An adapter lets another library take part in a comparison.

Each file runs in the environment of that library, where memzoo is not installed.
"""
