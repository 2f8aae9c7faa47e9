"""Everything that runs tournaments, put together once."""

from dataclasses import dataclass

from services.orchestrator.application.director import Director
from services.orchestrator.application.shares import ALONE, Shares
from services.orchestrator.application.tournament_agreement import TournamentAgreement
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.application.tournament_commands import TournamentCommands
from services.orchestrator.application.tournament_follow import TournamentFollow
from services.orchestrator.application.tournament_moves import TournamentMoves
from services.orchestrator.application.tournament_rounds import TournamentRounds
from services.orchestrator.application.tournament_start import TournamentStart
from services.orchestrator.application.tournament_steps import TournamentSteps
from services.orchestrator.ports import Clock, Dealer, Ledger, TournamentLog, TournamentTables, TournamentWitness


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentHouse:
    """What the rest of the process uses."""

    books: TournamentBooks
    """Read by the watchers."""
    director: Director
    """Asked by the tables, through TournamentReferee.serve."""
    commands: TournamentCommands
    """Called by the servicer."""
    agreement: TournamentAgreement
    """Opens a table that somebody asks for before it was its turn."""
    follow: TournamentFollow
    """Its run() goes into a task once the tables are recovered; cancel the task to stop."""


def open_house(
    log: TournamentLog,
    clock: Clock,
    dealer: Dealer,
    ledger: Ledger,
    tables: TournamentTables,
    witness: TournamentWitness,
    *,
    shares: Shares = ALONE,
) -> TournamentHouse:
    """Put it together; nothing runs yet."""
    books = TournamentBooks(log, clock, witness, shares)
    moves, rounds = TournamentMoves(books, dealer, ledger), TournamentRounds(books, dealer, ledger, tables, clock)
    steps = TournamentSteps(books, moves, rounds, ledger, tables, clock)
    agreement = TournamentAgreement(books, ledger, tables)
    start = TournamentStart(books, agreement, dealer, ledger, clock)
    return TournamentHouse(
        books=books,
        director=Director(books, steps, agreement, ledger, tables, clock),
        commands=TournamentCommands(books, start, agreement, tables),
        agreement=agreement,
        follow=TournamentFollow(books, start, agreement, ledger, tables, clock),
    )
