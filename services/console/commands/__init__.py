"""One module for each subcommand of `sevenstud`: how it is called, and what it does."""
