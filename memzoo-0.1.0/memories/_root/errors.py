"""All errors that memzoo raises; each is a `MemoryZooError`, and most are a builtin error too."""

from memzoo.stores.errors import *  # noqa: F403 - this module is their public place
