"""What the console knows of the game: tables as seen, words for people, robots' choices, the demo's structure. Pure."""
