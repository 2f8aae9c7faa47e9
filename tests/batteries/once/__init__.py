"""Exactly once: stale requests change nothing, and whatever happens to a request, it has one effect and one answer."""
