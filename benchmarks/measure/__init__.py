"""Runs memories through conversations, and scores their views."""
