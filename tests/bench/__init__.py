"""Benchmarks: every path beside its floor, alternating in one run. ``make bench``; see README.md."""
