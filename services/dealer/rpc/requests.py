"""Requests that are no command of the domain by themselves."""

from dataclasses import dataclass

from shared.kernel.game import Street


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetAsked:
    """Of DealStreet: the street, and who is live."""

    street: Street
    live_seats: tuple[int, ...]
