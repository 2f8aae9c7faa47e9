"""Ordered SQL files, each applied once."""
