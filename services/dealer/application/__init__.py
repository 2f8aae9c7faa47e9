"""The use cases of the dealer: hands, proofs and lots."""
