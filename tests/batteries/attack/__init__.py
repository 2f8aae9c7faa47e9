"""Attacks on a running house: hostile input, rights, leaks; one row a promise, with what was demanded and found."""
