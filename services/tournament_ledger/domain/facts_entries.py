"""Facts of entering: seats chosen before play, places that late entries move, the end of late registration."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SeatChosen:
    """A player chose the seat of the first hand, or left it to the lots again (rule 187)."""

    player_id: str
    table: int
    """By its number, from 1; 0 = lots decide."""
    seat: int


@dataclass(frozen=True, slots=True)
class PlaceNow:
    """A player's place as it is now."""

    player_id: str
    place: int


@dataclass(frozen=True, slots=True)
class PlacesChanged:
    """Places given before moved down, for somebody entered late, or again (rules 200, 201)."""

    places: tuple[PlaceNow, ...]


@dataclass(frozen=True, slots=True)
class LateRegistrationClosed:
    """Few places remain before the prizes: nobody can enter any more (rule 200)."""

    players_left: int
    paid_places: int
