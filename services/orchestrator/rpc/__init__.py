"""The orchestrator's contract, served."""
