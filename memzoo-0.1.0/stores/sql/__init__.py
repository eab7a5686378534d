"""The stores on SQL databases: SQLite and PostgreSQL."""
