"""The hand as its facts tell it: chips and standing of every seat from the log alone (rule 14)."""

from dataclasses import dataclass

from services.betting.domain.actions import ActionKind
from services.betting.domain.facts import ActionTaken, AntePosted, SeatFrozen, UncalledBetReturned
from services.betting.domain.state import SeatBetting, SeatStatus
from tests.support.in_process_cards import StreetDealt
from tests.support.in_process_table import HandSetup, PotsPaid, TableFact


@dataclass(slots=True)
class SeatFold:
    """One seat."""

    stack: int
    hand: int = 0
    street: int = 0
    folded: bool = False
    frozen: bool = False

    @property
    def status(self) -> SeatStatus:
        """Where the seat stands."""
        if self.folded:
            return SeatStatus.FOLDED
        if self.frozen:
            return SeatStatus.FROZEN
        return SeatStatus.ACTIVE if self.stack else SeatStatus.ALL_IN

    def is_like(self, seat: SeatBetting) -> bool:
        """The betting state says the same."""
        return (seat.stack_chips, seat.hand_chips, seat.street_chips, seat.status) == (
            self.stack,
            self.hand,
            self.street,
            self.status,
        )

    def pay(self, chips: int) -> None:
        """Chips into the middle; below 0 back from it."""
        self.stack -= chips
        self.hand += chips


class Fold:
    """All seats, changed by facts."""

    def __init__(self, setup: HandSetup) -> None:
        self.seats = {each.seat: SeatFold(each.stack_chips) for each in setup.stacks}

    def take(self, fact: TableFact) -> None:
        """One fact more."""
        match fact:
            case AntePosted():
                self.seats[fact.seat].pay(fact.chips)
            case ActionTaken():
                self._act(fact)
            case SeatFrozen():
                self.seats[fact.seat].frozen = True
            case UncalledBetReturned():
                seat = self.seats[fact.seat]
                seat.pay(-fact.chips)
                seat.street = max(0, seat.street - fact.chips)
            case StreetDealt():
                for seat in self.seats.values():
                    seat.street = 0
            case PotsPaid():
                self._paid(fact)
            case _:
                pass

    def _act(self, fact: ActionTaken) -> None:
        seat = self.seats[fact.seat]
        seat.pay(fact.paid_chips)
        seat.street += fact.paid_chips
        seat.folded = seat.folded or fact.kind is ActionKind.FOLD
        if seat.street != fact.to_chips:
            raise AssertionError(f"seat {fact.seat} has {seat.street} in, the fact says {fact.to_chips}")

    def _paid(self, paid: PotsPaid) -> None:
        for seat in self.seats.values():
            seat.hand = seat.street = 0
        for award in paid.awards:
            for share in award.shares:
                self.seats[share.seat].stack += share.chips
