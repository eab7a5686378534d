"""The version of memzoo that is installed."""

from importlib.metadata import version

__version__ = version("memzoo")
