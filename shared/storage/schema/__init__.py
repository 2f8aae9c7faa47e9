"""Tables that every store has: the event log and the answered requests."""
