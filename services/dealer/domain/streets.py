"""Which position of the deck goes to whom, street by street (rules 5-8, 84-91). No card is looked at here."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.dealer.domain.deck_out import River, Supply, decide_river
from services.dealer.domain.hand import COMMON_SOURCES, CardSource, Step, StepName
from services.dealer.domain.rules import DealingRules
from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream
from shared.kernel.cards import DECK_SIZE
from shared.kernel.game import Street
from shared.kernel.rules.hand_options import BurnStreets

COMMON_SEAT = 0
DOWN_CARDS_FIRST = 2
CARDS_ON_THIRD = 3
MIXED_SOURCES = frozenset(CardSource) - {CardSource.STUB, CardSource.COMMON_FROM_STUB}
"""Sources that the river key shuffled."""


@dataclass(frozen=True, slots=True)
class Given:
    """A position that was dealt."""

    position: int
    seat: int
    """0 is the common card."""
    street: Street
    face_up: bool


@dataclass(frozen=True, slots=True)
class Dealing:
    """How far the deal of a hand has come."""

    stub: tuple[int, ...]
    """Positions not dealt yet, the next one first."""
    burned: tuple[int, ...]
    given: tuple[Given, ...]
    live: tuple[int, ...]
    """Seats that got a card on the last street; all seats before the first."""
    street: Street | None
    """The last street dealt."""


@dataclass(frozen=True, slots=True)
class Deal:
    """One street as it will be dealt."""

    street: Street
    source: CardSource
    burned: tuple[int, ...]
    given: tuple[Given, ...]

    @property
    def positions(self) -> tuple[int, ...]:
        """Every position used: burned first, then dealt."""
        return self.burned + tuple(each.position for each in self.given)


def undealt(seats: tuple[int, ...]) -> Dealing:
    """A hand whose deck was fixed and of which nothing was dealt."""
    return Dealing(stub=tuple(range(DECK_SIZE)), burned=(), given=(), live=seats, street=None)


def plan_deal(dealing: Dealing, street: Street, live: tuple[int, ...], rules: DealingRules, river_key: bytes) -> Deal:
    """The next street: burn and deal in order from the stub, or the river as the rules have it when cards are short."""
    if street is Street.THIRD:
        return _deal_third(dealing.stub, live)
    if street is Street.SEVENTH:
        river = decide_river(rules, Supply(len(dealing.stub), len(dealing.burned), len(live)))
        return _deal_river(dealing, live, river, river_key)
    burn_count = int(rules.burn_streets is not BurnStreets.NONE)
    line = dealing.stub[: burn_count + len(live)]
    given = _one_each(line[burn_count:], live, street, face_up=True)
    return Deal(street, CardSource.STUB, line[:burn_count], given)


def _deal_third(stub: Sequence[int], seats: tuple[int, ...]) -> Deal:
    """One card at a time clockwise from dealer's left: down, down, up (rule 5)."""
    given = tuple(
        Given(stub[turn * len(seats) + at], seat, Street.THIRD, turn >= DOWN_CARDS_FIRST)
        for turn in range(CARDS_ON_THIRD)
        for at, seat in enumerate(seats)
    )
    return Deal(Street.THIRD, CardSource.STUB, (), given)


def _one_each(line: Sequence[int], live: tuple[int, ...], street: Street, *, face_up: bool) -> tuple[Given, ...]:
    return tuple(Given(position, seat, street, face_up) for position, seat in zip(line, live, strict=True))


def _deal_river(dealing: Dealing, live: tuple[int, ...], river: River, river_key: bytes) -> Deal:
    line = river_line(dealing.stub, dealing.burned, river, river_key)
    straight, rest = line[: river.straight_count], line[river.straight_count :]
    burned, rest = rest[: river.burn_count], rest[river.burn_count :]
    if river.common:
        given: tuple[Given, ...] = (Given(rest[0], COMMON_SEAT, Street.SEVENTH, face_up=True),)
    else:
        given = _one_each((straight + rest)[: len(live)], live, Street.SEVENTH, face_up=False)
    return Deal(Street.SEVENTH, river.source, burned, given)


def river_line(stub: tuple[int, ...], burned: tuple[int, ...], river: River, river_key: bytes) -> tuple[int, ...]:
    """The positions that the river is dealt from, in order; what is mixed is mixed by the committed river key."""
    straight, rest = stub[: river.straight_count], stub[river.straight_count :]
    match river.source:
        case CardSource.RESHUFFLED_STUB_AND_BURNS:
            return straight + shuffle(rest + burned, byte_stream(river_key, b"reshuffle"))
        case CardSource.COMMON_FROM_BURNS:
            return shuffle(burned, byte_stream(river_key, b"common"))
        case CardSource.COMMON_FROM_STUB_AND_BURNS:
            return shuffle(stub + burned, byte_stream(river_key, b"common"))
        case _:
            return stub


def after_deal(dealing: Dealing, deal: Deal, live: tuple[int, ...]) -> Dealing:
    """The hand with that street dealt. After a reshuffle the burned cards are part of the stub."""
    used = frozenset(deal.positions)
    mixed = deal.source in {CardSource.RESHUFFLED_STUB_AND_BURNS, CardSource.COMMON_FROM_STUB_AND_BURNS}
    stub = dealing.stub + dealing.burned if mixed else dealing.stub
    burned = () if mixed else dealing.burned
    return Dealing(
        stub=tuple(position for position in stub if position not in used),
        burned=tuple(position for position in burned if position not in used) + deal.burned,
        given=dealing.given + deal.given,
        live=live,
        street=deal.street,
    )


def recorded_deal(step: Step) -> Deal:
    """The street as its step recorded it: never computed again, so that no new version can change it."""
    if step.street is None or step.source is None:
        raise ValueError("a recorded deal has a street and a source")
    burn_count = len(step.positions) - _dealt_count(step)
    burned, rest = step.positions[:burn_count], step.positions[burn_count:]
    if step.source in COMMON_SOURCES:
        given: tuple[Given, ...] = (Given(rest[0], COMMON_SEAT, step.street, face_up=True),)
    elif step.street is Street.THIRD:
        given = _deal_third(rest, step.seats).given
    else:
        given = _one_each(rest, step.seats, step.street, face_up=step.street is not Street.SEVENTH)
    return Deal(step.street, step.source, burned, given)


def _dealt_count(step: Step) -> int:
    if step.source in COMMON_SOURCES:
        return 1
    return len(step.seats) * (CARDS_ON_THIRD if step.street is Street.THIRD else 1)


def dealing_after(seats: tuple[int, ...], steps: Sequence[Step]) -> Dealing:
    """How far the deal has come after those steps."""
    dealing = undealt(seats)
    for step in steps:
        if step.step == StepName.DEAL_STREET:
            dealing = after_deal(dealing, recorded_deal(step), step.seats)
    return dealing
