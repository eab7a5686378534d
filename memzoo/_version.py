"""The installed version of memzoo."""

from importlib.metadata import version

__version__ = version("memzoo")
