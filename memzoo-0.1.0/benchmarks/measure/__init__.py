"""Measuring: run strategies through conversations, and score what they show."""
