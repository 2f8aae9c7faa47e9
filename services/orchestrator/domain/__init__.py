"""Facts and decisions of tables and tournaments in play: values and pure functions."""
