"""Load tests: calls at a constant rate whatever the service does. ``make load SERVICE=dealer``; see bench/README.md."""
