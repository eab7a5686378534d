"""The adapters of memzoo, which let other libraries take part in a comparison.

Each file runs in its library's environment, where memzoo is not installed.
"""
