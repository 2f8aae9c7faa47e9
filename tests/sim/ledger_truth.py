"""What the ledger's disk says, looked at from outside after every write."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from sevenstud.tournament_ledger.stored.v1 import records_pb2 as stored

from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import Presence
from services.tournament_ledger.domain.journal import EntryKind
from shared.kernel.game import Mode
from shared.storage.database import SqlValue, Statement
from tests.batteries.ledger.in_process import _OVERDRAWN, _UNEVEN
from tests.sim.store import SimDisk

_ENTRY: Final = "INSERT INTO ledger_journal "
_HAND: Final = "\nhand_id="


@dataclass(slots=True)
class LedgerTruth:
    """The books."""

    disk: SimDisk
    heads: dict[str, int] = field(default_factory=dict[str, int])
    hands: Counter[str] = field(default_factory=Counter[str])
    """Entries for each hand."""
    requests: Counter[str] = field(default_factory=Counter[str])
    """Entries of the requests of callers, by request id and kind."""
    rounds: Counter[str] = field(default_factory=Counter[str])
    """That began after the first one, in each book."""
    booked_in: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Book and round of each hand."""

    def add(self, statements: Sequence[Statement]) -> None:
        """A write took effect."""
        for statement in statements:
            if statement.sql.startswith(_ENTRY):
                self._entry(statement.params)
        uneven = [*self.disk.read(_UNEVEN), *self.disk.read(_OVERDRAWN)]
        assert not uneven, f"money was made or lost: {uneven}"

    def _entry(self, params: Sequence[SqlValue]) -> None:
        book, number, kind, subject, _, request_id = (str(each) for each in params[:6])
        last = self.heads.get(book, 0)
        assert int(number) == last + 1, f"entry {number} of {book} came after {last}"
        self.heads[book] = last + 1
        self.requests[f"{request_id} {kind}"] += 1
        self.rounds[book] += kind == EntryKind.ROUND_STARTED
        if kind == EntryKind.HAND_RECORDED:
            hand_id = f"\n{subject}".split(_HAND, 1)[1].split("\n", 1)[0]
            self.hands[hand_id] += 1
            self.booked_in[hand_id] = (book, self.rounds[book])
            assert self.hands[hand_id] == 1, f"hand {hand_id} was booked twice at the ledger"

    def round_is_over(self, hand_id: str) -> bool:
        """The next round has begun since this hand was booked, with equal stacks; the table may hear of it later."""
        book, number = self.booked_in[hand_id]
        return self.rounds[book] > number

    def chips(self, table: Table) -> dict[str, int]:
        """Chips of the players of a table, as the ledger has them."""
        own = f"tournament/{table.tournament_id}" if table.mode is Mode.TOURNAMENT else f"table/{table.table_id}"
        rows = self.disk.read(
            "SELECT owner_id, balance FROM ledger_accounts WHERE kind = 'PLAYER_CHIPS' AND account_id LIKE ?",
            (f"{own}/chips/%",),
        )
        return {str(owner): int(str(balance)) for owner, balance in rows}

    def cancelled(self, tournament_id: str) -> bool:
        """The tournament was called off."""
        return self.state_of(tournament_id) == "CANCELLED"

    def state_of(self, tournament_id: str) -> str:
        """Where a tournament stands; empty where there is none."""
        rows = self.disk.read("SELECT state FROM ledger_tournaments WHERE tournament_id = ?", (tournament_id,))
        return str(rows[0][0]) if rows else ""

    def entrants(self, tournament_id: str) -> dict[str, stored.Entrant]:
        """Who entered a tournament, as the books have them."""
        found = "SELECT record FROM ledger_entrants WHERE tournament_id = ? ORDER BY player_id"
        records = [record for (record,) in self.disk.read(found, (tournament_id,)) if isinstance(record, bytes)]
        return {each.player_id: each for each in map(stored.Entrant.FromString, records)}

    def wallets(self) -> dict[str, int]:
        """The money of each player."""
        rows = self.disk.read("SELECT owner_id, balance FROM ledger_accounts WHERE kind = 'PLAYER_WALLET'")
        return {str(owner): int(str(balance)) for owner, balance in rows}

    def money(self, kind: str) -> int:
        """The sum of all accounts of a kind in money."""
        rows = self.disk.read(
            "SELECT COALESCE(SUM(balance), 0) FROM ledger_accounts WHERE kind = ? AND unit = 'EUR'", (kind,)
        )
        return int(str(rows[0][0]))

    def agree(self, table: Table, busy: frozenset[str], *, purchases: bool) -> None:
        """Between hands the ledger has the stacks that the table has.

        Purchases in a tournament may be ahead, and whoever leaves may have been paid before the table heard of it.
        """
        chips = self.chips(table)
        for seat in table.seats:
            if seat.player_id in busy:
                continue
            booked = chips.get(seat.player_id, 0)
            ahead = purchases and booked > seat.stack_chips
            paid = seat.presence is Presence.LEAVING and not booked
            assert booked == seat.stack_chips or ahead or paid, (
                f"{seat.player_id} has {seat.stack_chips} at {table.table_id}, {booked} at the ledger"
            )

    def agree_at_any_time(self, table: Table, busy: frozenset[str]) -> None:
        """At a cash table between hands, whatever is on its way: ``busy`` are players who are buying chips."""
        chips = self.chips(table)
        for seat in table.seats:
            paid = seat.presence is Presence.LEAVING and not chips.get(seat.player_id)
            if seat.player_id not in busy and not paid:
                booked = chips.get(seat.player_id, 0)
                assert booked == seat.stack_chips, (
                    f"{seat.player_id} has {seat.stack_chips} at {table.table_id}, {booked} at the ledger, buys none"
                )
        here = {seat.player_id for seat in table.seats} | busy
        left = sorted(player for player, booked in chips.items() if booked and player not in here)
        assert not left, f"{', '.join(left)} left {table.table_id}, and the chips are still at the ledger"
