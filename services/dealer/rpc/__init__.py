"""The contract of the dealer: one short method for each RPC, and who may call it."""
