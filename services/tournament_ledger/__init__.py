"""The tournament ledger: money and chips by double entry, and the life of tournaments between hands."""
