"""TournamentLedgerService on the wire."""
