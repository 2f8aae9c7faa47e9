"""The rules of wagering: whose turn, what is legal, what the pots are, who is paid what. No memory, no cards."""
