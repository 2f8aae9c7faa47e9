"""Code that at least two services need; what only one needs lives in that service."""
