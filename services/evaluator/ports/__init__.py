"""What the evaluator needs from outside: engines that value many hands and play out many deals."""
