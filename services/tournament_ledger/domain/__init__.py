"""Money, chips and places of tournaments and cash tables: pure rules, no clock, no input or output."""
