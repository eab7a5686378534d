"""The bundled conversations and the template of the report."""
