"""Readers of applications, one file each: `read(document, title)` yields conversations."""
