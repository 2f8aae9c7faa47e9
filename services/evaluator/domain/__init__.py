"""Hands, boards, door cards and equity: pure functions over cards (rules 23-27, 79-81, 95, 107-125)."""
