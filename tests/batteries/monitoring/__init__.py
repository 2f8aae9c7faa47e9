"""Dashboards, alerts and labels against a real Prometheus that read the suite while it played."""
