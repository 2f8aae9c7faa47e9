"""The orchestrator's own schema."""
