"""memzoo's own adapters. An adapter lets another library take part in a comparison.

Each adapter runs in the environment of its library, where memzoo is not installed.
"""
