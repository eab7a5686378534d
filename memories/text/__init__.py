"""Messages as text: checks, rendering, token counts, groups, limits and redaction."""
