"""What the evaluator needs from outside: an engine for batches, numbers for sampling."""
