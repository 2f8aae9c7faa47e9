"""The steps that a caller may ask for, each with its checks before and after."""
