"""The rule book's batteries: long runs behind make targets, too long for every commit."""
