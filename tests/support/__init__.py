"""What tests share: servers on port 0, real processes, strategies."""
