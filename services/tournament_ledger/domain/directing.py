"""Which process of the orchestrator directs a tournament: one that stood still meanwhile changes nothing."""

from services.tournament_ledger.domain.facts_rounds import DirectorChanged
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Tournament, TournamentState
from shared.kernel.errors import DomainError, Reason


def record_director(steps: Steps, director_id: str) -> None:
    """Whoever asks last directs; a tournament that is not being played needs nobody."""
    tournament = steps.tournament
    if tournament.state is TournamentState.RUNNING and tournament.director_id != director_id:
        steps.add(EntryKind.DIRECTOR_CHANGED, (DirectorChanged(director_id),))


def check_director(tournament: Tournament, director_id: str) -> None:
    """VERSION_CONFLICT where another process directs by now: what it decided since is not known to who asks."""
    if director_id and tournament.director_id != director_id:
        message = "another process directs the tournament by now: compare with it, or leave it to the other one"
        raise DomainError(
            Reason.VERSION_CONFLICT, message, {"expected": director_id, "current": tournament.director_id}
        )
