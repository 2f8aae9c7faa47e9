"""Faults of the product, put back or made up, that the simulation must find."""
