"""What the ledger can do, as its servicer needs it."""

from dataclasses import dataclass

from services.tournament_ledger.application.audit import Audit
from services.tournament_ledger.application.cash import CashTables
from services.tournament_ledger.application.deals import Deals
from services.tournament_ledger.application.feed import Feed
from services.tournament_ledger.application.play import Play
from services.tournament_ledger.application.queries import Queries
from services.tournament_ledger.application.tournaments import Tournaments
from services.tournament_ledger.application.wallets import Wallets
from services.tournament_ledger.ports import Books, Reports


@dataclass(frozen=True, slots=True, kw_only=True)
class UseCases:
    """All of them."""

    wallets: Wallets
    tournaments: Tournaments
    play: Play
    deals: Deals
    cash: CashTables
    queries: Queries
    audit: Audit
    feed: Feed
    books: Books
    reports: Reports
