"""Hands played twice with only unseen cards changed: what leaves the service must be the same to the byte."""
