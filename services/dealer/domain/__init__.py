"""Pure dealing: shuffle, commitment, streets, deck-out, scripts, lots, and the guard that keeps every hand in step."""
