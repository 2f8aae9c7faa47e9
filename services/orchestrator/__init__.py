"""The orchestrator: tables and tournaments in play, by asking the other four services; it computes no rule itself."""
