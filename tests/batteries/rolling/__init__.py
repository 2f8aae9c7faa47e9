"""A rolling upgrade of the whole suite while tournaments are played: no call fails, no hand is voided."""
