"""The fairness battery: `make fairness` at full size, reduced in the tests beside it."""
