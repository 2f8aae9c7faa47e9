"""How the evaluator's ports are filled."""
