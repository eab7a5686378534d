"""Readers of exports, one module for each application or kind of file."""
