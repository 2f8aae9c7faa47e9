"""Metrics, dashboards and alerts: the pages and files here are written by this code and checked by tests."""
