"""Fixed-limit hands played by pokerkit as well, as far as it follows our rules."""
