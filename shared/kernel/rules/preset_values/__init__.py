"""The values of the presets, one file for each message of rules: a base, and what each house does otherwise."""
