"""The bundled conversation and the template of the report."""
