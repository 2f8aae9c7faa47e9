"""Tests of the suite; see README.md."""
