"""The contract, served: requests in, domain asked, answers out."""
