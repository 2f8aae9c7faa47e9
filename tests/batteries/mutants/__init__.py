"""Mutation testing of the domains: is there a test of the rules for every decision in the code?"""
