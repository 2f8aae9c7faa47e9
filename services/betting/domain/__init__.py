"""Betting of one hand as frozen values and pure functions: a state in, a state and what happened out."""
