"""The report of a comparison: tables, charts, and files in JSON, Markdown and HTML."""
