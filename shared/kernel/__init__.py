"""The vocabulary of the game: cards, streets, rules and refusals. Imports nothing of ours, does no I/O."""
