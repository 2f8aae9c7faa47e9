"""The dealer: the deck of a hand, shuffled, committed to, dealt street by street once only and in order, and proven.

It knows no betting, no money and no names. One durable row a hand holds what was dealt, so that the same question has
the same answer after any restart, and another question out of step is refused.
"""
