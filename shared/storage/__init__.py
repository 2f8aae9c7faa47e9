"""Durable storage: one interface, SQLite by default."""
