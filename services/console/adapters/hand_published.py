"""A hand as its table published it: the events of GetHand, read for what concerns the deck."""

from collections.abc import Iterable, Iterator
from datetime import UTC

from sevenstud.common.v1.betting_pb2 import ACTION_KIND_FOLD
from sevenstud.common.v1.card_pb2 import CARD_UNSPECIFIED
from sevenstud.orchestrator.v1 import table_event_pb2 as wire
from sevenstud.orchestrator.v1.table_service_pb2 import GetHandResponse

from services.console.domain.fair_record import (
    CardSource,
    Commitment,
    Mismatch,
    Opening,
    OwnOpenings,
    SeatEntropy,
    StreetSeen,
    TableRecord,
)
from shared.kernel.cards import FACE_DOWN, Card
from shared.kernel.game import Street
from shared.kernel.rules.hand import HandRules
from shared.rpc.mirror import from_proto

STREETS = tuple(Street)
DOWN_CARDS = {Street.THIRD: 2, Street.SEVENTH: 1}
"""How many each seat gets (rule 5)."""
FIVE_OR_NONE = (5, 0)
PLAY = frozenset(
    ("hand_started", "ante_posted", "action_taken", "seat_frozen", "uncalled_bet_returned", "street_closed")
)
"""What a street has to wait for. Not that somebody sits out, nor that the table waits for a service and goes on: a
street that was dealt when another service went away is told when that is back, long after the dealer dealt it."""


def table_record(hand: GetHandResponse) -> TableRecord:
    """The facts about the deck; Mismatch where the hand has no beginning, or two."""
    beginnings = [event for event in hand.events if event.HasField("hand_started")]
    if len(beginnings) != 1:
        raise Mismatch("the table published no beginning of this hand, or more than one")
    (begun,) = beginnings
    started = begun.hand_started
    _check_events(hand, started)
    return TableRecord(
        hand_id=hand.hand_id,
        table_id=hand.table_id,
        hand_number=started.hand_number,
        seats=tuple(seat.seat for seat in started.seats),
        rules=from_proto(started.rules, HandRules, "hand_started.rules"),
        shuffle_version=started.shuffle_version,
        seed_commitment=started.seed_commitment,
        deck_root=started.deck_root,
        scripted=started.scripted,
        entropy=tuple(from_proto(each, SeatEntropy, "hand_started.entropy") for each in started.entropy),
        started_version=begun.version,
        first_card_version=_first(hand.events, "street_dealt"),
        first_action_version=_first(hand.events, "action_taken"),
        streets=tuple(_streets(hand.events, [seat.seat for seat in started.seats])),
        shown=_shown(hand.events),
        openings=tuple(
            from_proto(each, Opening, "openings_published")
            for event in hand.events
            if event.HasField("openings_published")
            for each in event.openings_published.openings
        ),
        voided=any(event.HasField("hand_voided") for event in hand.events),
        last_action_at=max(
            (event.at.ToDatetime(UTC) for event in hand.events if event.HasField("action_taken")), default=None
        ),
        compared_seats=tuple(seat for event in hand.events for seat in event.showdown_started.show_order),
        folded_seats=tuple(event.action_taken.seat for event in hand.events if _folds(event)),
        sealed_seats=_sealed_seats(hand.events),
        viewer_seats=_viewer_seats(hand.events),
    )


def _check_events(hand: GetHandResponse, started: wire.HandStarted) -> None:
    """Mismatch where the events are not those of one hand, each told once and in its order."""
    versions = [event.version for event in hand.events]
    if versions != sorted(set(versions)):
        raise Mismatch("the table told events twice, or not in their order")
    if any((event.hand_id, event.table_id) != (hand.hand_id, hand.table_id) for event in hand.events):
        raise Mismatch("events of another hand are told with those of this one")
    if hand.hand_number != started.hand_number:
        raise Mismatch(f"the table says that this is hand number {hand.hand_number} and {started.hand_number}")
    common = {event.street_dealt.common_card for event in hand.events} - {CARD_UNSPECIFIED}
    for shown in (event.hand_shown for event in hand.events):
        five = set(shown.best_five)
        if not five <= {*shown.cards, *common} or len(five) != len(shown.best_five) or len(five) not in FIVE_OR_NONE:
            raise Mismatch(f"seat {shown.seat} is said to play cards that it did not show")


def own_openings(hand: GetHandResponse, table: TableRecord) -> OwnOpenings | None:
    """The proofs of the player's own cards, where the player asked for them."""
    if not hand.own_openings:
        return None
    bound = Commitment(
        shuffle_version=table.shuffle_version,
        seed_commitment=table.seed_commitment,
        deck_root=table.deck_root,
        reshuffle_commitment=b"",
        scripted=table.scripted,
    )
    return OwnOpenings(openings=tuple(from_proto(each, Opening) for each in hand.own_openings), commitment=bound)


def _first(events: Iterable[wire.TableEvent], name: str) -> int:
    """The version of the first event of a kind; 0: there is none."""
    return next((event.version for event in events if event.WhichOneof("event") == name), 0)


def _streets(events: Iterable[wire.TableEvent], live: list[int]) -> Iterator[StreetSeen]:
    """The streets in their order, each with who was still in the hand; nothing is dealt before the hand begins."""
    before: wire.TableEvent | None = None
    for event in events:
        if _folds(event):
            live = [seat for seat in live if seat != event.action_taken.seat]
        if event.HasField("street_dealt") and before is not None:
            yield _street(before, event, tuple(live))
        if event.WhichOneof("event") in PLAY:
            before = event


def _folds(event: wire.TableEvent) -> bool:
    return event.HasField("action_taken") and event.action_taken.kind == ACTION_KIND_FOLD


def _sealed_seats(events: Iterable[wire.TableEvent]) -> tuple[int, ...]:
    """The seats whose down cards the viewer was given sealed."""
    return tuple(sorted({each.seat for event in events for each in event.street_dealt.seats if each.sealed_down_cards}))


def _viewer_seats(events: Iterable[wire.TableEvent]) -> tuple[int, ...]:
    """The seat whose down cards the viewer was given, sealed or in clear; all of them, where every one of them mucked.

    Mismatch where more than one did not muck: nobody sees the cards of two.
    """
    mucked = {event.hand_mucked.seat for event in events if event.HasField("hand_mucked")}
    dealt = [seat for event in events for seat in event.street_dealt.seats]
    clear = {each.seat for each in dealt if set(each.down_cards) - {FACE_DOWN}}
    own = clear - mucked | set(_sealed_seats(events))
    if len(own) > 1:
        raise Mismatch(f"the table gave one player the down cards of seats {', '.join(map(str, sorted(own)))}")
    return tuple(sorted(own or clear))


def _street(before: wire.TableEvent, event: wire.TableEvent, live: tuple[int, ...]) -> StreetSeen:
    """A street with its up cards, and the down cards that the viewer may see; and the event before it."""
    dealt = event.street_dealt
    if not dealt.street:
        raise Mismatch("the table does not say which street it dealt")
    down_count = DOWN_CARDS.get(STREETS[dealt.street - 1], 0)
    for each in dealt.seats:
        if len(each.down_cards) != down_count:
            raise Mismatch(f"seat {each.seat} is said to have {len(each.down_cards)} down cards, not {down_count}")
    cards = [(seat.seat, Card(card)) for seat in dealt.seats for card in seat.up_cards]
    if dealt.common_card:
        cards.append((0, Card(dealt.common_card)))
    return StreetSeen(
        street=STREETS[dealt.street - 1],
        seats=tuple(seat.seat for seat in dealt.seats) if not dealt.common_card else (),
        cards=tuple(cards),
        down_cards=tuple(
            (seat.seat, Card(card)) for seat in dealt.seats for card in map(Card, seat.down_cards) if card != FACE_DOWN
        ),
        burned_count=dealt.burned_count,
        source=CardSource(wire.CardSource.Name(dealt.source).removeprefix("CARD_SOURCE_")),
        before=before.at.ToDatetime(UTC),
        at=event.at.ToDatetime(UTC),
        live=live,
    )


def _shown(events: Iterable[wire.TableEvent]) -> tuple[tuple[int, tuple[Card, ...]], ...]:
    """Hands that were shown, each once, as they were last shown: at an exposed all-in there are fewer cards first.

    Mismatch where a seat showed one hand and then another.
    """
    shown: dict[int, tuple[Card, ...]] = {}
    for event in events:
        if event.HasField("hand_shown"):
            seat, before = event.hand_shown.seat, shown.get(event.hand_shown.seat, ())
            known = tuple(card for card in map(Card, event.hand_shown.cards) if card != FACE_DOWN)
            if not (set(before) <= set(known) or set(known) <= set(before)):
                raise Mismatch(f"seat {seat} showed one hand, and then another")
            shown[seat] = max(known, before, key=len)
    return tuple(shown.items())
