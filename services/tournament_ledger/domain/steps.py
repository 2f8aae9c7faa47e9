"""A decision in the making: entries to be written one after the other, and the tournament as it is after them."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from services.tournament_ledger.domain.accounts import Account, AccountKind, of_tournament, wallet
from services.tournament_ledger.domain.facts import Fact
from services.tournament_ledger.domain.fold import apply
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import Posting
from services.tournament_ledger.domain.tournament import Tournament


@dataclass(frozen=True, slots=True)
class Draft:
    """An entry that has no number and no hash yet."""

    kind: EntryKind
    facts: tuple[Fact, ...]
    postings: tuple[Posting, ...] = ()


class Steps:
    """Collects entries; local to one decision, so the rules around it stay pure."""

    __slots__ = ("_at", "_state", "drafts")

    def __init__(self, tournament: Tournament, at: datetime) -> None:
        """Begin at a tournament; ``at`` is the moment of the first entry, later ones follow by a microsecond each."""
        self._state = tournament
        self._at = at
        self.drafts: list[Draft] = []

    @property
    def tournament(self) -> Tournament:
        """The tournament after the entries so far."""
        return self._state

    @property
    def now(self) -> datetime:
        """The moment of the next entry."""
        return self._at

    def add(self, kind: EntryKind, facts: tuple[Fact, ...], postings: tuple[Posting, ...] = ()) -> None:
        """Write down one more entry."""
        state = self._state
        for fact in facts:
            state = apply(state, fact, self._at)
        self._state = replace(state, version=state.version + 1)
        self.drafts.append(Draft(kind, facts, postings))
        self._at += timedelta(microseconds=1)

    def amend(self, fact: Fact) -> None:
        """Add a fact to the entry written last, where it follows from it and moves nothing."""
        last = self.drafts[-1]
        self._state = apply(self._state, fact, self._at)
        self.drafts[-1] = Draft(last.kind, (*last.facts, fact), last.postings)

    def money(self, kind: AccountKind) -> Account:
        """A money account of the tournament."""
        return of_tournament(kind, self._state.tournament_id, self._state.currency)

    def wallet(self, player_id: str) -> Account:
        """A player's wallet in the currency of the tournament."""
        return wallet(player_id, self._state.currency)
