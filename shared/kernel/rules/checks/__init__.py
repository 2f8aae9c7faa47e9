"""What makes no sense together in rules, one file for each message of rules."""
