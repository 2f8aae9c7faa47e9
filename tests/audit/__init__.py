"""An auditor's walk: what a stranger needs to recompute every balance, place and prize."""
