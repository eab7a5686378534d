"""The report: a table, results as JSON, pictures, and a page of HTML."""
