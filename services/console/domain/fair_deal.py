"""The deal done again by the published rules: which position of the committed deck went to whom (rules 5-8, 84-91)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.console.domain.fair_hashes import shuffled, stream
from services.console.domain.fair_record import CardSource, DealingRules, RecordedStep, StreetSeen, require
from services.console.domain.fair_river import River, river_of
from shared.kernel.cards import DECK_SIZE
from shared.kernel.game import Street
from shared.kernel.rules.hand_options import BurnStreets

STREETS = tuple(Street)
ROUNDS_ON_THIRD = 3
DOWN_ON_THIRD = 2


@dataclass(frozen=True, slots=True)
class Place:
    """What became of a position."""

    seat: int
    """0 is the common card."""
    street: Street
    face_up: bool


@dataclass(slots=True)
class Dealt:
    """The deal so far."""

    stub: list[int] = field(default_factory=lambda: list(range(DECK_SIZE)))
    burned: list[int] = field(default_factory=list[int])
    places: dict[int, Place] = field(default_factory=dict[int, Place])
    unknown: frozenset[int] = frozenset()
    """Positions from which the river was mixed with a key that is not open: any of them may be its cards."""
    unknown_count: int = 0

    def place_of(self, position: int, seat: int) -> Place | None:
        """What became of a position that is said to have gone to a seat."""
        if position in self.unknown:
            return Place(seat, Street.SEVENTH, seat == 0)
        return self.places.get(position)


@dataclass(frozen=True, slots=True)
class StreetDone:
    """A street as it was dealt: from the dealer's record, or from what the table showed."""

    street: Street
    seats: tuple[int, ...]
    """Who got a card; the table names nobody where a common card was turned."""
    source: CardSource
    burned_count: int | None = None
    live: tuple[int, ...] = ()
    """Who had not folded, by the actions that the table published."""
    positions: tuple[int, ...] | None = None
    """What the dealer says it used, burned first; None: not said."""


def of_record(steps: Sequence[RecordedStep]) -> tuple[StreetDone, ...]:
    """The streets in the dealer's record."""
    deals = [step for step in steps if step.step == "deal_street"]
    return tuple(
        StreetDone(step.street, step.seats, step.source, positions=step.positions)
        for step in deals
        if step.street is not None and step.source is not None
    )


def of_table(streets: Sequence[StreetSeen]) -> tuple[StreetDone, ...]:
    """The streets as the table showed them."""
    return tuple(StreetDone(each.street, each.seats, each.source, each.burned_count, each.live) for each in streets)


def deal_again(seats: tuple[int, ...], streets: Sequence[StreetDone], rules: DealingRules, river_key: bytes) -> Dealt:
    """Deal the positions; Mismatch where the streets are not what the rules make of them."""
    require([each.street for each in streets] == list(STREETS[: len(streets)]), "the streets are not in their order")
    dealt, live = Dealt(), seats
    for street in streets:
        ordered = tuple(seat for seat in live if seat in street.seats)
        require(street.seats == ordered, f"on {street.street} a seat got a card that was not live, or out of order")
        require(street.street is not Street.THIRD or street.seats == seats, "a seat was left out on third street")
        if street.street is Street.SEVENTH:
            _deal_river(dealt, street, rules, river_key)
        else:
            _deal_from_stub(dealt, street, int(_burns(rules, street.street)))
        live = street.seats
    return dealt


def _burns(rules: DealingRules, street: Street) -> bool:
    return street is not Street.THIRD and rules.burn_streets is not BurnStreets.NONE


def _deal_from_stub(dealt: Dealt, street: StreetDone, burns: int) -> None:
    rounds = ROUNDS_ON_THIRD if street.street is Street.THIRD else 1
    count = burns + rounds * len(street.seats)
    used, dealt.stub = dealt.stub[:count], dealt.stub[count:]
    _compare(street, used, burns)
    require(street.source is CardSource.STUB, f"{street.street} was not dealt from the stub")
    dealt.burned += used[:burns]
    for at, position in enumerate(used[burns:]):
        up = street.street is not Street.THIRD or at >= DOWN_ON_THIRD * len(street.seats)
        dealt.places[position] = Place(street.seats[at % len(street.seats)], street.street, up)


def _compare(street: StreetDone, used: Sequence[int], burns: int) -> None:
    """What the rules make of a street, against what is said of it."""
    said = street.positions
    require(said is None or said == tuple(used), f"{street.street} was not dealt from the places that the rules name")
    require(street.burned_count in {None, burns}, f"on {street.street} another number of cards was burned")


def _deal_river(dealt: Dealt, street: StreetDone, rules: DealingRules, key: bytes) -> None:
    river = river_of(rules, len(dealt.stub), len(dealt.burned), len(street.seats or street.live))
    require(street.source is river.source, f"by the rules the river comes from {river.source}, not {street.source}")
    if street.source.mixed and not key:
        require(street.positions is None, "the key that mixed the river is not opened")
        require(street.burned_count in {None, river.burns}, "on the river another number of cards was burned")
        dealt.unknown = frozenset(_pile(dealt, river))
        dealt.unknown_count = 1 if river.source.common else len(street.seats)
        return
    line = _river_line(dealt, river, key)
    straight, rest = line[: river.straight], line[river.straight :]
    burned, rest = rest[: river.burns], rest[river.burns :]
    given = [rest[0]] if river.source.common else (straight + rest)[: len(street.seats)]
    _compare(street, [*burned, *given], river.burns)
    receivers = (0,) if river.source.common else street.seats
    for position, seat in zip(given, receivers, strict=True):
        dealt.places[position] = Place(seat, Street.SEVENTH, river.source.common)


def _pile(dealt: Dealt, river: River) -> list[int]:
    return dealt.burned if river.source is CardSource.COMMON_FROM_BURNS else dealt.stub + dealt.burned


def _river_line(dealt: Dealt, river: River, key: bytes) -> list[int]:
    """The positions that the river is dealt from, in order."""
    if not river.source.mixed:
        return dealt.stub
    label = b"common" if river.source.common else b"reshuffle"
    pile = _pile(dealt, river)
    return pile[: river.straight] + list(shuffled(pile[river.straight :], stream(key, label)))
