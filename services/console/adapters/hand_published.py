"""A hand as its table published it: the events of GetHand, read for what concerns the deck."""

from collections.abc import Iterable, Iterator
from datetime import UTC
from itertools import pairwise

from sevenstud.common.v1.betting_pb2 import ACTION_KIND_FOLD
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


def table_record(hand: GetHandResponse) -> TableRecord:
    """The facts about the deck; Mismatch where the hand has no beginning."""
    begun = next((event for event in hand.events if event.HasField("hand_started")), None)
    if begun is None:
        raise Mismatch("the table published no beginning of this hand")
    started = begun.hand_started
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
    )


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
    """The streets in their order, each with who was still in the hand."""
    for before, event in pairwise(events):
        if event.HasField("action_taken") and event.action_taken.kind == ACTION_KIND_FOLD:
            live = [seat for seat in live if seat != event.action_taken.seat]
        if event.HasField("street_dealt"):
            yield _street(before, event, tuple(live))


def _street(before: wire.TableEvent, event: wire.TableEvent, live: tuple[int, ...]) -> StreetSeen:
    """A street with its up cards, and the down cards that the viewer may see; and the event before it."""
    dealt = event.street_dealt
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
    """Hands that were shown, each once, as they were last shown: at an exposed all-in there are fewer cards first."""
    shown: dict[int, tuple[Card, ...]] = {}
    for event in events:
        if event.HasField("hand_shown"):
            cards = tuple(Card(card) for card in event.hand_shown.cards)
            known = tuple(card for card in cards if card != FACE_DOWN)
            if len(known) >= len(shown.get(event.hand_shown.seat, ())):
                shown[event.hand_shown.seat] = known
    return tuple(shown.items())
