"""The tables of the dealer."""
