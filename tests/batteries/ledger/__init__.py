"""Proofs of money: the rows L1 to L14 that the ledger must pass, each with the figure demanded and the figure found."""
