"""What must be true of a tournament: stacks of rounds, seats that were chosen, and at its end who was paid what."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import TournamentRules
from sevenstud.tournament_ledger.stored.v1 import records_pb2 as stored
from sevenstud.tournament_ledger.v1.tournament_pb2 import Standing, Tournament

from services.orchestrator.domain.hand_facts import HandStarted
from services.orchestrator.domain.table import Table
from tests.sim.ledger_truth import LedgerTruth


@dataclass(slots=True)
class EventTruth:
    """The tournament of a world, as its tables play it."""

    rules: TournamentRules
    ledger: LedgerTruth
    chips: dict[str, int] = field(default_factory=dict[str, int])
    """Of each player after the last hand."""
    _began_with: dict[str, int] = field(default_factory=dict[str, int])
    """Chips of each table in its first hand."""

    def starts(self, table: Table, fact: HandStarted) -> None:
        """A hand is dealt: who is in it has entered, and has the chips of the round."""
        entrants = self.ledger.entrants(table.tournament_id)
        for each in fact.seats:
            state = entrants[each.player_id].state
            assert state in {"PLAYING", "DECIDING", "WINNER"}, f"{each.player_id} is dealt in and is {state}"
        if self.rules.formula == option.FORMULA_ROUNDS:
            self._match(table, fact)
        if fact.hand_number == 1 and not self._began_with:
            self._chosen(table, fact, entrants)
        total = sum(each.stack_chips for each in fact.seats)
        self._began_with.setdefault(table.table_id, total)

    def _match(self, table: Table, fact: HandStarted) -> None:
        """In a match no chips come and go; it begins with equal stacks, or with those of the round before."""
        carried = self.rules.round_stack == option.ROUND_STACK_CARRY
        for each in fact.seats:
            begins, before = fact.hand_number == 1, self.chips.get(each.player_id)
            equal = self.rules.starting_stack_chips
            wanted = before if before is not None and (carried or not begins) else equal
            assert each.stack_chips == wanted, (
                f"{each.player_id} begins hand {fact.hand_number} with {each.stack_chips}, {wanted} is right"
            )
        total = sum(each.stack_chips for each in fact.seats)
        wanted = self._began_with.get(table.table_id, total)
        assert total == wanted, f"a match began with {wanted} chips, there are {total}"

    def _chosen(self, table: Table, fact: HandStarted, entrants: Mapping[str, stored.Entrant]) -> None:
        """Where one table is enough, everybody sits where they chose to (rule 187)."""
        if len({each.table_id for each in entrants.values() if each.table_id}) != 1:
            return
        for each in fact.seats:
            entrant = entrants[each.player_id]
            assert entrant.chosen_table != 1 or each.seat == entrant.chosen_seat, (
                f"{each.player_id} chose seat {entrant.chosen_seat} of {table.table_id} and sits in {each.seat}"
            )

    def ends(self, results: Any, players: Mapping[int, str]) -> None:
        """A hand is over."""
        self.chips.update({players[each.seat]: each.after_chips for each in results})


def check_paid(
    ledger: LedgerTruth, tournament: Tournament, standings: Mapping[str, Standing], brought: Mapping[str, int]
) -> None:
    """Money in is prizes and fees, to the cent, for every player; whoever withdrew has all of theirs."""
    for player, wallet in ledger.wallets().items():
        line = standings.get(player, Standing())
        wanted = brought[player] - line.spent_minor + line.prize_minor + line.bonus_minor
        assert wallet == wanted, f"{player} has {wallet} in the wallet, {wanted} is right"
    for kind in ("TOURNAMENT_ESCROW", "PRIZE_FUND", "BONUS_FUND"):
        assert ledger.money(kind) == 0, f"{ledger.money(kind)} is left in {kind} of a tournament that is over"
    if not tournament.rules.tournament.deal > option.DEAL_KIND_OFF:
        _check_prizes(tournament, standings)


def _check_prizes(tournament: Tournament, standings: Mapping[str, Standing]) -> None:
    """Each place has its prize; who shares places shares their prizes, and what is over is the winner's (rule 184)."""
    prizes, tied = list(tournament.prizes_minor), Counter(each.place for each in standings.values())
    assert sum(prizes) == tournament.prize_fund_minor, "the prize table is not the fund"
    seat = tournament.rules.tournament.satellite_seat_minor
    if seat:
        seats = min(tournament.prize_fund_minor // seat, len(standings) - 1)
        assert prizes[:seats] == [seat] * seats, f"{seats} seats are to be won, the prizes are {prizes}"
        assert tied[1] <= max(seats, 1), f"{tied[1]} won a seat, there are {seats}"
    for place, count in tied.items():
        paid = sorted(each.prize_minor for each in standings.values() if each.place == place)
        share = sum(prizes[place - 1 : place - 1 + count]) // count
        odd = paid.pop() if place == 1 else share
        assert set(paid) <= {share}, f"place {place}, shared by {count}, has {paid}, {share} each is right"
        assert odd >= share, f"the winner has {odd}, {share} is right at least"
