"""The ledger's books in the durable store."""
