"""A table and a heads-up hand as facts, for tests of the pure domain: seat 1 is ann, seat 2 is bob."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from services.orchestrator.domain import hand_facts as hand
from services.orchestrator.domain import table_facts as fact
from services.orchestrator.domain.dealing import CardSource
from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.recording import stamp
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.wagering import (
    ActionCause,
    ActionKind,
    LegalAction,
    LegalActions,
    Pot,
    PotAward,
    PotShare,
)
from shared.kernel.cards import Card, parse_cards
from shared.kernel.game import Mode, Street
from shared.kernel.rules import RuleSet, Stakes
from shared.kernel.rules.presets import PRESETS

START = datetime(2026, 1, 1, 20, tzinfo=UTC)
STAKES = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
CARD_ROOM = PRESETS["card_room"]
PLAYERS = {1: "ann", 2: "bob"}
DOWN_CARDS = {
    (1, Street.THIRD): parse_cards("AsAd"),
    (2, Street.THIRD): parse_cards("9s9d"),
    (1, Street.SEVENTH): parse_cards("3d"),
    (2, Street.SEVENTH): parse_cards("Qs"),
}
UP_CARDS = {Street.THIRD: "Kc2h", Street.FOURTH: "Kd7c", Street.FIFTH: "Kh8d", Street.SIXTH: "2cJh"}
Facts = Sequence[Fact]


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def recorded(facts: Iterable[Fact]) -> tuple[Recorded, ...]:
    """The facts as the log of one table, one write each."""
    events: tuple[Recorded, ...] = ()
    for happened in facts:
        table = fold(None, events) if events else None
        events += stamp("t", table, (happened,), START)
    return events


def table_of(*parts: Facts) -> Table:
    """The table after these facts."""
    return fold(None, recorded(happened for part in parts for happened in part))


def opened(rules: RuleSet = CARD_ROOM, mode: Mode = Mode.CASH, **changes: object) -> Facts:
    """A table with ann and bob at it."""
    opening = fact.TableOpened(
        name="Table",
        mode=mode,
        tournament_id="" if mode is Mode.CASH else "cup",
        stakes=STAKES,
        rules=rules,
        scripted=False,
        level=0,
        decision_seconds=0,
        hands_max=0,
        scripted_hands=(),
    )
    return (replace(opening, **changes), *(seated(seat, rules) for seat in PLAYERS))  # type: ignore[arg-type]


def seated(seat: int, rules: RuleSet = CARD_ROOM, presence: fact.Presence = fact.Presence.PLAYING) -> Fact:
    return fact.PlayerSeated(
        seat=seat,
        player_id=PLAYERS[seat],
        stack_chips=100,
        presence=presence,
        auto_ante=True,
        time_bank_seconds=rules.clock.time_bank_seconds,
        protections_used=0,
    )


def present(seat: int, presence: fact.Presence, *, at_once: bool = False) -> Fact:
    return fact.PresenceChanged(seat=seat, presence=presence, cause=ActionCause.PLAYER, at_once=at_once)


def started(rules: RuleSet = CARD_ROOM, absent: Iterable[int] = ()) -> Facts:
    """The first hand with both antes."""
    seats = tuple(
        hand.SeatDealtIn(seat=seat, player_id=player, stack_chips=100, absent=seat in set(absent))
        for seat, player in PLAYERS.items()
    )
    begun = hand.HandStarted(
        hand_number=1,
        seats=seats,
        stakes=STAKES,
        rules=rules.hand,
        level=0,
        seed_commitment=b"seed",
        deck_root=b"root",
        shuffle_version="test",
        scripted=False,
    )
    return (begun, *(hand.AntePosted(seat=seat, chips=1, all_in=False, stack_chips=99) for seat in PLAYERS))


def dealt(street: Street) -> Facts:
    """A street to both, and its opening by seat 1."""
    ups: tuple[Card, ...] = parse_cards(UP_CARDS.get(street, ""))
    downs = {Street.THIRD: 2, Street.SEVENTH: 1}.get(street, 0)
    seats = tuple(
        hand.StreetCards(seat=seat, down_count=downs, up_cards=ups[seat - 1 : seat] if ups else ()) for seat in PLAYERS
    )
    deal = hand.StreetDealt(street=street, seats=seats, common_card=None, burned_count=1, source=CardSource.STUB)
    return (deal, hand.StreetOpened(street=street, opening_order=(1, 2), open_pair_seats=()))


def turn(turn_id: int, seat: int) -> Fact:
    """Ten seconds to decide."""
    legal = LegalActions(seat=seat, actions=(LegalAction(kind=ActionKind.FOLD),))
    return hand.TurnStarted(
        turn_id=turn_id, seat=seat, player_id=PLAYERS[seat], deadline=START + seconds(10), legal=legal
    )


def acted(turn_id: int, seat: int, kind: ActionKind, *, paid: int = 0, to: int = 0, left: int = 99) -> Fact:
    return hand.ActionTaken(
        turn_id=turn_id,
        seat=seat,
        kind=kind,
        paid_chips=paid,
        to_chips=to,
        all_in=left == 0,
        cause=ActionCause.PLAYER,
        stack_chips=left,
        time_bank_used_seconds=0,
    )


def closed(street: Street, chips: int = 2) -> Fact:
    return hand.StreetClosed(street=street, pots=(Pot(index=0, chips=chips, eligible_seats=(1, 2)),))


def to_the_river() -> Facts:
    """All streets dealt, everything checked through by nobody in particular."""
    return tuple(happened for street in Street for happened in (*dealt(street), closed(street)))


def showdown(must_show: tuple[int, ...] = (1,), deadline: datetime | None = None) -> Fact:
    return hand.ShowdownStarted(show_order=(1, 2), must_show_seats=must_show, deadline=deadline)


def shown(seat: int, text: str = "AsAdKcKdKh2c3d") -> Fact:
    return hand.HandShown(
        seat=seat,
        cards=parse_cards(text),
        best_five=parse_cards("KcKdKhAsAd"),
        description_en="full house",
        description_it="full",
        category=None,
    )


def ended(*after_chips: int) -> Facts:
    """The pot is paid and the hand is over."""
    award = PotAward(
        pot_index=0, chips=2, rake_chips=0, shares=(PotShare(seat=1, chips=2, odd_chips=0),), uncontested=False
    )
    results = tuple(
        hand.SeatResult(seat=seat, player_id=player, before_chips=100, after_chips=after_chips[seat - 1])
        for seat, player in PLAYERS.items()
    )
    over = hand.HandEnded(hand_number=1, results=results, rake_chips=0, street_reached=Street.SEVENTH)
    return (hand.PotAwarded(award=award), over)
