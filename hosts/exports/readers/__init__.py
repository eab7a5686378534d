"""Readers of exports, one module for each application. Its `read(document, title)` yields conversations."""
