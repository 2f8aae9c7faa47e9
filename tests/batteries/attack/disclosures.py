"""What the dealer wrote down that it gave of a hand, against what the table's public events say was to be given."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sevenstud.common.v1.betting_pb2 import ACTION_KIND_FOLD
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2 import CARD_SOURCE_STUB
from sevenstud.orchestrator.v1 import table_event_pb2

STEPS = frozenset({"open_hand", "fix_deck", "deal_street", "reveal_for_ranking", "open_cards", "close_hand"})


@dataclass
class Expected:
    """What was to be given, by the public events alone."""

    streets: list[table_event_pb2.StreetDealt] = field(default_factory=list[table_event_pb2.StreetDealt])
    live: set[int] = field(default_factory=set[int])
    shown: set[int] = field(default_factory=set[int])
    down: Counter[int] = field(default_factory=Counter[int])
    up: Counter[int] = field(default_factory=Counter[int])


def expected(events: Sequence[table_event_pb2.TableEvent]) -> Expected:
    """Read the events of one hand."""
    found = Expected()
    for event in events:
        kind = event.WhichOneof("event")
        if kind == "hand_started":
            found.live = {each.seat for each in event.hand_started.seats}
        elif kind == "action_taken" and event.action_taken.kind == ACTION_KIND_FOLD:
            found.live.discard(event.action_taken.seat)
        elif kind == "hand_shown":
            found.shown.add(event.hand_shown.seat)
        elif kind == "street_dealt":
            found.streets.append(event.street_dealt)
            for each in event.street_dealt.seats:
                found.down[each.seat] += len(each.down_cards)
                found.up[each.seat] += len(each.up_cards)
    return found


def faults(events: Sequence[table_event_pb2.TableEvent], proof: dealer_pb.GetProofResponse) -> Iterator[str]:
    """What the dealer gave beyond own cards, shown cards and hands that were compared; and what it did not log."""
    want = expected(events)
    steps = {name: [each for each in proof.steps if each.step == name] for name in STEPS}
    if strange := {each.step for each in proof.steps} - STEPS:
        yield f"steps that no hand has: {strange}"
    yield from _streets(want, steps["deal_street"])
    revealed = {seat for step in steps["reveal_for_ranking"] for seat in step.seats}
    if revealed != (want.live if len(want.live) > 1 else set()):
        yield f"revealed for ranking: {sorted(revealed)}, in at the showdown: {sorted(want.live)}"
    opened = {seat for step in steps["open_cards"] for seat in step.seats}
    if opened != want.shown:
        yield f"opened: {sorted(opened)}, shown: {sorted(want.shown)}"
    yield from _openings(want, proof)


def _streets(want: Expected, steps: Sequence[dealer_pb.DealerStep]) -> Iterator[str]:
    if [each.street for each in steps] != [each.street for each in want.streets]:
        yield f"streets dealt: {[each.street for each in steps]}, seen: {[each.street for each in want.streets]}"
        return
    from_stub: list[int] = []
    for step, seen in zip(steps, want.streets, strict=True):
        cards = sum(len(each.down_cards) + len(each.up_cards) for each in seen.seats) + bool(seen.common_card)
        if len(step.positions) != cards + seen.burned_count:
            yield f"street {step.street}: {len(step.positions)} positions used for {cards} cards"
        if not seen.common_card and set(step.seats) != {each.seat for each in seen.seats}:
            yield f"street {step.street}: dealt to {list(step.seats)}"
        from_stub += step.positions if step.source == CARD_SOURCE_STUB else ()
    if len(set(from_stub)) != len(from_stub):
        yield "a position of the deck was used twice"


def _openings(want: Expected, proof: dealer_pb.GetProofResponse) -> Iterator[str]:
    """What the public record opens: up cards and shown hands, nothing else."""
    down = Counter(each.seat for each in proof.openings if not each.face_up)
    up = Counter(each.seat for each in proof.openings if each.face_up and each.seat)
    if down != Counter({seat: count for seat, count in want.down.items() if seat in want.shown and count}):
        yield f"down cards opened by seat: {dict(down)}, shown: {sorted(want.shown)}"
    if up != +want.up:
        yield f"up cards opened by seat: {dict(up)}, dealt: {dict(want.up)}"
