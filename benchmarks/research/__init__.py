"""Measurements of memzoo itself: search, stores, costs. Not part of the installed package."""
