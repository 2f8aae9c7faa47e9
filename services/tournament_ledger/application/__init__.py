"""Use cases of the ledger: each reads what it needs, lets the domain decide, and books all of it in one write."""
