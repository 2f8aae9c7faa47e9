"""Who sees what: the only place where facts become what leaves the service (rule 9, document 000, views).

Two doors, both closed by default. A viewer's :class:`Sight` holds no card but those the viewer may see, so that nothing
below can show another. And a kind of fact, or a field of one, that is not named here is not sent: an unknown kind
raises, a view class has only the fields that are meant to be seen.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from services.orchestrator.domain import event_views as view
from services.orchestrator.domain import hand_facts, table_facts
from services.orchestrator.domain.event_views import EventView, TableEvent
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.views import Turn
from shared.kernel.cards import FACE_DOWN, Card
from shared.kernel.game import Street
from shared.kernel.rules import MuckedInHistory

DownCards = Mapping[tuple[int, Street], tuple[Card, ...] | bytes]
"""Down cards of one hand by seat and street, in bytes where they are sealed to the seat's key; all of them, so never to
be handed to anybody."""


def no_cards() -> DownCards:
    """None at all."""
    return {}


@dataclass(frozen=True, slots=True)
class Viewer:
    """For whom a view is made."""

    player_id: str = ""
    """Empty for whoever sees what spectators see: observers, operators, auditors."""


@dataclass(frozen=True, slots=True)
class Sight:
    """The down cards of one hand that one viewer may see, and no others."""

    down_cards: DownCards = field(default_factory=no_cards)

    def down(self, seat: int, street: Street, count: int) -> tuple[Card, ...]:
        """The down cards of a seat on a street, face down where they are hidden."""
        known = self.down_cards.get((seat, street))
        return known if isinstance(known, tuple) else (FACE_DOWN,) * count

    def sealed(self, seat: int, street: Street) -> bytes:
        """The down cards of a seat on a street as they were sealed to its key; empty where they are not, or hidden."""
        known = self.down_cards.get((seat, street))
        return known if isinstance(known, bytes) else b""

    def all_down(self, seat: int, count: int) -> tuple[Card, ...]:
        """All down cards of a seat so far, face down where they are hidden."""
        known = (*self.down(seat, Street.THIRD, 0), *self.down(seat, Street.SEVENTH, 0))
        return known[:count] if len(known) >= count else (FACE_DOWN,) * count

    def all_sealed(self, seat: int) -> tuple[bytes, ...]:
        """All down cards of a seat so far as they were sealed, street by street."""
        return tuple(filter(None, (self.sealed(seat, street) for street in (Street.THIRD, Street.SEVENTH))))


BLIND = Sight()


def sight_of(viewer: Viewer, hand: Hand | None, down_cards: DownCards) -> Sight:
    """What a viewer sees of a hand: the own down cards, nobody else's."""
    if hand is None or not viewer.player_id:
        return BLIND
    own = {seat.seat for seat in hand.seats if seat.player_id == viewer.player_id}
    return Sight({place: cards for place, cards in down_cards.items() if place[0] in own})


def history_sight(viewer: Viewer, hand: Hand, down_cards: DownCards) -> Sight:
    """What a viewer finds in the history of a finished hand: mucked hands too where the rules give them (rule 114)."""
    if hand.rules.mucked_in_history is not MuckedInHistory.PLAYERS_OF_HAND or not hand.has(viewer.player_id):
        return sight_of(viewer, hand, down_cards)
    open_seats = {seat.seat for seat in hand.seats if seat.mucked or seat.player_id == viewer.player_id}
    return Sight({place: cards for place, cards in down_cards.items() if place[0] in open_seats})


def view_event(recorded: Recorded, sight: Sight) -> TableEvent:
    """An event as whoever has this sight may see it. KeyError for a kind that has no rule here."""
    return TableEvent(
        table_id=recorded.table_id,
        version=recorded.version,
        at=recorded.at,
        hand_id=recorded.hand_id,
        event=_RULES[type(recorded.fact)](recorded.fact, sight),
    )


def _street_dealt(dealt: hand_facts.StreetDealt, sight: Sight) -> view.StreetDealt:
    return view.StreetDealt(
        street=dealt.street,
        seats=tuple(
            view.SeatCards(
                seat=each.seat,
                down_cards=sight.down(each.seat, dealt.street, each.down_count) if each.down_count else (),
                up_cards=each.up_cards,
                sealed_down_cards=sight.sealed(each.seat, dealt.street),
            )
            for each in dealt.seats
        ),
        common_card=dealt.common_card,
        burned_count=dealt.burned_count,
        source=dealt.source,
    )


def _seat_key_registered(registered: table_facts.SeatKeyRegistered, _: Sight) -> view.SeatKeyRegistered:
    return view.SeatKeyRegistered(seat=registered.seat, sealed=bool(registered.public_key))


def _hand_started(started: hand_facts.HandStarted, _: Sight) -> view.HandStarted:
    return view.HandStarted(
        hand_number=started.hand_number,
        seats=tuple(
            view.HandSeat(seat=each.seat, player_id=each.player_id, stack_chips=each.stack_chips)
            for each in started.seats
        ),
        stakes=started.stakes,
        rules=started.rules,
        level=started.level,
        seed_commitment=started.seed_commitment,
        deck_root=started.deck_root,
        shuffle_version=started.shuffle_version,
        scripted=started.scripted,
        entropy=started.entropy,
    )


def _turn_started(started: hand_facts.TurnStarted, _: Sight) -> view.TurnStarted:
    return view.TurnStarted(
        turn=Turn(
            turn_id=started.turn_id,
            seat=started.seat,
            player_id=started.player_id,
            deadline=started.deadline,
            legal=started.legal,
            in_time_bank=False,
        )
    )


Rule = Callable[[Any, Sight], EventView]


def _narrowed(view_class: Callable[..., EventView]) -> Rule:
    """Only the fields that the view class names."""
    names = tuple(each.name for each in fields(view_class))  # type: ignore[arg-type]  # view classes are dataclasses

    def show(happened: Any, _: Sight) -> EventView:
        return view_class(**{name: getattr(happened, name) for name in names})

    return show


def _whole(*names: str) -> Rule:
    """The fact as it stands; it has these fields and no others, else it is not shown at all."""

    def show(happened: Any, _: Sight) -> EventView:
        if tuple(each.name for each in fields(happened)) != names:
            raise KeyError(f"{type(happened).__name__} has fields that nobody decided to show")
        shown: EventView = happened
        return shown

    return show


_RULES: Mapping[type, Rule] = {
    table_facts.TableOpened: _narrowed(view.TableOpened),
    table_facts.PlayerSeated: _narrowed(view.PlayerSeated),
    table_facts.PlayerLeft: _whole("seat", "player_id", "stack_chips", "cause"),
    table_facts.ChipsAdded: _whole("seat", "added_chips", "stack_chips"),
    table_facts.PresenceChanged: _narrowed(view.PresenceChanged),
    table_facts.ConnectionChanged: _whole("seat", "connected", "deadline"),
    table_facts.AutoAnteChanged: _whole("seat", "auto_ante"),
    table_facts.SeatKeyRegistered: _seat_key_registered,
    table_facts.EntropyAsked: _whole("hand_number", "hand_id", "seats", "asked_seats", "seed_commitment", "deadline"),
    table_facts.EntropyAdded: _whole("seat", "entropy"),
    table_facts.EntropyClosed: _whole(),
    table_facts.TablePaused: _narrowed(view.TablePaused),
    table_facts.TableResumed: _narrowed(view.TableResumed),
    table_facts.TableStalled: _whole("waiting_for"),
    table_facts.TableClosed: _whole(),
    table_facts.StakesChanged: _narrowed(view.StakesChanged),
    table_facts.PlayerEliminated: _whole("seat", "player_id", "place", "prize_minor"),
    table_facts.BreakStarted: _whole("until"),
    hand_facts.HandStarted: _hand_started,
    hand_facts.AntePosted: _whole("seat", "chips", "all_in", "stack_chips"),
    hand_facts.StreetDealt: _street_dealt,
    hand_facts.StreetOpened: _whole("street", "opening_order", "open_pair_seats"),
    hand_facts.TurnStarted: _turn_started,
    hand_facts.TimeBankStarted: _narrowed(view.TimeBankStarted),
    hand_facts.ActionTaken: _whole(
        "turn_id",
        "seat",
        "kind",
        "paid_chips",
        "to_chips",
        "all_in",
        "cause",
        "stack_chips",
        "time_bank_used_seconds",
    ),
    hand_facts.SeatFrozen: _narrowed(view.SeatFrozen),
    hand_facts.UncalledBetReturned: _whole("seat", "chips", "stack_chips"),
    hand_facts.StreetClosed: _whole("street", "pots"),
    hand_facts.ShowdownStarted: _narrowed(view.ShowdownStarted),
    hand_facts.HandShown: _narrowed(view.HandShown),
    hand_facts.HandMucked: _whole("seat"),
    hand_facts.PotAwarded: _whole("award"),
    hand_facts.HandEnded: _whole("hand_number", "results", "rake_chips", "street_reached"),
    hand_facts.HandVoided: _whole("hand_number", "cause", "results"),
    hand_facts.HandBooked: _whole("hand_number"),
    hand_facts.OpeningsPublished: _whole("openings"),
}
