"""The compose file, checked offline: its form, every reference, and the settings by the services' own readers."""
