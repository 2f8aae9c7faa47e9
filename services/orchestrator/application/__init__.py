"""What the orchestrator does: hands, tables, tournaments, through its ports."""
