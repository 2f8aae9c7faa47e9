"""The evaluator's longer work, cut into slices so that short questions are answered in between."""
