"""The evaluator: what hands are worth and who comes first. No memory, no players, no chips."""
