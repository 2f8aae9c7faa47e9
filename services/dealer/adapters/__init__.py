"""The outside of the dealer: the operating system's entropy, the sealed store, the key ring, the clock."""
