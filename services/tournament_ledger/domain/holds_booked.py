"""What the journal says of holds: each was placed once and resolved once, by its amount, for its player.

Which holds are open stands in rows beside the journal. Whoever changes such a row makes the ledger resolve a hold
again, or by another amount, with entries that are right in themselves; here it shows.
"""

from collections.abc import Iterator
from typing import Final

from services.tournament_ledger.domain.canonical import from_text
from services.tournament_ledger.domain.facts import KNOWN, HoldPlaced, HoldResolved
from services.tournament_ledger.domain.journal import EntryKind, JournalEntry, JournalFault

_KINDS: Final = frozenset(
    {EntryKind.HELD, EntryKind.HOLD_POSTED, EntryKind.HOLD_VOIDED, EntryKind.HOLD_EXPIRED},
)
Terms = tuple[str, str, int]
"""Player, unit and amount."""


class HoldsBooked:
    """Goes through the entries of a book in their order."""

    def __init__(self) -> None:
        """Begin with the first entry."""
        self._open: dict[str, Terms] = {}

    def faults(self, entry: JournalEntry) -> Iterator[JournalFault]:
        """What is wrong with an entry, seen with those before it."""
        if entry.kind not in _KINDS:
            return
        try:
            facts = from_text(entry.subject, KNOWN)
        except (ValueError, KeyError):
            return  # no fact of ours: the hash says so
        moved = [(each.unit, each.amount) for each in entry.postings]
        for fact in facts:
            problem = self._problem(fact, moved)
            if problem:
                yield JournalFault(entry.book, entry.number, problem)

    def _problem(self, fact: object, moved: list[tuple[str, int]]) -> str:
        if isinstance(fact, HoldPlaced):
            terms = (fact.player_id, fact.amount.currency, fact.amount.amount_minor)
            self._open[fact.hold_id] = terms
            return "" if moved == [terms[1:]] else "holds another amount than it says"
        if not isinstance(fact, HoldResolved):
            return ""
        if fact.hold_id not in self._open:
            return f"resolves hold {fact.hold_id}, which was resolved before or never placed"
        terms = self._open.pop(fact.hold_id)
        fits = terms[0] == fact.player_id and moved == [terms[1:]]
        return "" if fits else f"resolves hold {fact.hold_id} for another player or amount than it was placed for"
