"""What the logs of the tables say, folded by an onlooker event by event, and what must hold at every one of them."""

from dataclasses import dataclass, field
from typing import Final

from services.orchestrator.application.start_hand import SEATS_CHANGED
from services.orchestrator.domain.clocks import turn_ends
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.hand_facts import (
    ActionTaken,
    AntePosted,
    HandBooked,
    HandEnded,
    HandShown,
    HandStarted,
    HandVoided,
    PotAwarded,
    SeatFrozen,
    UncalledBetReturned,
)
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import ChipsAdded, PlayerLeft, PlayerSeated, TableOpened
from services.orchestrator.domain.wagering import ActionCause, ActionKind, BettingState
from shared.kernel.game import Mode

_SERVER: Final = {ActionCause.CLOCK}


@dataclass(slots=True)
class TableTruth:
    """One table."""

    table_id: str
    alone: bool = True
    """One orchestrator serves the table; of two, one may take entropy when the other has fixed the deck."""
    table: Table | None = None
    events: list[Recorded] = field(default_factory=list[Recorded])
    acted: dict[int, Recorded] = field(default_factory=dict[int, Recorded])
    """What resolved each turn."""
    bought: list[tuple[str, int]] = field(default_factory=list[tuple[str, int]])
    """Who bought how many chips."""
    shown: dict[str, set[int]] = field(default_factory=dict[str, set[int]])
    """Cards that were shown, by hand."""
    seat_of: dict[str, dict[str, int]] = field(default_factory=dict[str, dict[str, int]])
    """Seats of players, by hand."""
    booked: set[str] = field(default_factory=set[str])
    rake_chips: int = 0
    _asked: bool = False
    """Players were asked for entropy before the hand in play."""
    _paid_in: dict[int, int] = field(default_factory=dict[int, int])
    _paid_out: dict[int, int] = field(default_factory=dict[int, int])

    def add(self, events: tuple[Recorded, ...]) -> None:
        """These were appended in one write; AssertionError where one of them cannot be."""
        for recorded in events:
            assert self.table is None or not self.table.closed, "something happened at a table that is closed"
            version = self.table.version if self.table is not None else 0
            assert recorded.version == version + 1, f"event {recorded.version} came after {version}"
            self._before(recorded)
            self.table = fold(self.table, (recorded,))
            self.events.append(recorded)
            self._after(recorded)

    def _before(self, recorded: Recorded) -> None:
        """What must be so before an event happens."""
        fact, table = recorded.fact, self.table
        match fact:
            case TableOpened():
                assert table is None, "the table was opened twice"
            case HandStarted():
                self._starts(fact, recorded)
            case HandVoided():
                assert fact.cause == SEATS_CHANGED, f"a hand was voided: {fact.cause}"  # it was never dealt
                bound = self._asked and self.alone
                assert not bound, "a hand was called off though its seats were bound: entropy had been asked for"
            case ActionTaken() | SeatFrozen():
                self._resolves(fact, recorded)
            case PlayerSeated() | ChipsAdded():
                self.bought.append(self._buys(fact))
            case HandEnded():
                self._ends(fact)
            case _:
                self._moves_chips(fact)
        self._keeps(recorded)

    def _keeps(self, recorded: Recorded) -> None:
        match recorded.fact:
            case HandBooked():
                assert recorded.hand_id not in self.booked, "a hand was booked twice"
                self.booked.add(recorded.hand_id)
            case HandShown(cards=cards):
                self.shown.setdefault(recorded.hand_id, set()).update(int(card) for card in cards)
            case _:
                pass

    def _buys(self, fact: PlayerSeated | ChipsAdded) -> tuple[str, int]:
        seat = self.table.seat(fact.seat) if self.table is not None else None
        if isinstance(fact, PlayerSeated):
            assert seat is None, "somebody sat down on a seat that is taken"
            return fact.player_id, fact.stack_chips
        assert seat is not None, "chips were added to an empty seat"
        wanted = seat.stack_chips + fact.added_chips
        assert fact.stack_chips == wanted, f"{fact.added_chips} chips added made {fact.stack_chips}, not {wanted}"
        return seat.player_id, fact.added_chips

    def _starts(self, fact: HandStarted, recorded: Recorded) -> None:
        assert self.table is not None
        self._asked = self.table.entropy is not None
        assert fact.hand_number == self.table.hand_number + 1, "hands are numbered one by one"
        assert not self.table.unbooked, "a hand began before the last one was booked"
        for each in fact.seats:
            seat = self.table.seat(each.seat)
            assert seat is not None, "somebody was dealt in who does not sit there"
            assert (seat.player_id, seat.stack_chips) == (each.player_id, each.stack_chips)
        self.seat_of[recorded.hand_id] = {each.player_id: each.seat for each in fact.seats}
        self._paid_in = {each.seat: 0 for each in fact.seats}
        self._paid_out = {each.seat: 0 for each in fact.seats}

    def _resolves(self, fact: ActionTaken | SeatFrozen, recorded: Recorded) -> None:
        """One turn, one answer; the clock ends no turn before its time (rule 129)."""
        assert self.table is not None
        hand = self.table.hand
        turn = hand.turn if hand is not None else None
        if isinstance(fact, SeatFrozen) and fact.turn_id in self.acted:
            return  # said beside the action that froze the seat
        if isinstance(fact, ActionTaken) and self._posted(fact, recorded):
            return
        assert fact.turn_id not in self.acted, f"turn {fact.turn_id} was answered twice"
        assert turn is not None, f"turn {fact.turn_id} was answered, none is open"
        assert turn.turn_id == fact.turn_id, f"turn {fact.turn_id} was answered, {turn.turn_id} is open"
        assert turn.seat == fact.seat, "another seat answered"
        if fact.cause in _SERVER:
            assert recorded.at >= turn_ends(self.table, turn), "the clock fired too early"
        self.acted[fact.turn_id] = recorded
        if isinstance(fact, ActionTaken):
            self._paid_in[fact.seat] += fact.paid_chips

    def _posted(self, fact: ActionTaken, recorded: Recorded) -> bool:
        """Who is absent and low brings in and is folded at once, in one turn (rule 144)."""
        before = self.acted.get(fact.turn_id)
        posted = before.fact if before is not None and before.at == recorded.at else None
        return (
            isinstance(posted, ActionTaken)
            and (posted.kind, posted.cause) == (ActionKind.BRING_IN, ActionCause.ABSENT)
            and (fact.kind, fact.cause, fact.seat) == (ActionKind.FOLD, ActionCause.ABSENT, posted.seat)
        )

    def _moves_chips(self, fact: object) -> None:
        match fact:
            case AntePosted():
                self._paid_in[fact.seat] += fact.chips
            case UncalledBetReturned():
                self._paid_in[fact.seat] -= fact.chips
            case PotAwarded():
                for share in fact.award.shares:
                    self._paid_out[share.seat] += share.chips
            case PlayerLeft():
                seat = self.table.seat(fact.seat) if self.table is not None else None
                assert seat is not None, "somebody left who was not there"
                assert seat.player_id == fact.player_id, "another player left"
            case _:
                pass

    def _ends(self, fact: HandEnded) -> None:
        paid_in, paid_out = sum(self._paid_in.values()), sum(self._paid_out.values())
        assert paid_in == paid_out + fact.rake_chips, f"{paid_in} chips went in, {paid_out} came out"
        for each in fact.results:
            wanted = each.before_chips - self._paid_in[each.seat] + self._paid_out[each.seat]
            assert each.after_chips == wanted, f"seat {each.seat} has {each.after_chips}, {wanted} is right"
        self.rake_chips += fact.rake_chips

    def _after(self, recorded: Recorded) -> None:
        """What must be so after every event: no chip made or lost within the hand."""
        table = self.table
        assert table is not None
        assert all(seat.stack_chips >= 0 for seat in table.seats), "a stack is below zero"
        hand = table.hand
        if hand is None or not hand.in_play or not recorded.hand_id:
            return
        for seat in hand.seats:
            assert seat.stack_chips + seat.hand_chips == seat.start_chips, f"chips of seat {seat.seat} do not add up"
        for player, number in self.seat_of[hand.hand_id].items():
            assert hand.seat(number).player_id == player

    def check_betting(self, betting: BettingState | None) -> None:
        """The betting state that was saved beside the log says the same as the log."""
        hand = self._hand_in_play()
        if hand is None:
            return
        assert betting is not None, "the betting state of a hand in play is lost"
        for each in betting.seats:
            seat = hand.seat(each.seat)
            assert (each.stack_chips, each.hand_chips) == (seat.stack_chips, seat.hand_chips), (
                f"betting and log disagree about seat {each.seat}"
            )

    def _hand_in_play(self) -> Hand | None:
        return self.table.hand if self.table is not None and self.table.in_hand else None

    @property
    def quiet(self) -> bool:
        """Between two hands, with nothing to be told to anybody."""
        table = self.table
        return table is not None and (table.hand is None or (table.hand.booked and table.hand.proved))

    @property
    def server_is_to_act(self) -> bool:
        """A hand is not over and no player is asked."""
        table = self.table
        if table is None or table.hand is None or table.closed or table.stopped:
            return False
        hand = table.hand
        if not hand.in_play:
            return not self.quiet
        return hand.turn is None and not hand.undecided_seats

    @property
    def cash(self) -> bool:
        """A cash table."""
        return self.table is not None and self.table.mode is Mode.CASH
