"""Measuring: run strategies through conversations, and score their views."""
