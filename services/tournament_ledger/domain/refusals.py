"""Refusals that several rules share, each a sentence that says how to mend it."""

from shared.kernel.errors import DomainError, Reason


def wrong_state(state: str, *needed: str) -> DomainError:
    """The tournament is not in the state that this needs."""
    possible = " or ".join(f"while {_IN_WORDS[each]}" for each in needed)
    message = f"{_IN_WORDS[state]} ({state}): this is possible only {possible} ({' or '.join(needed)})"
    return DomainError(Reason.TOURNAMENT_STATE, message, {"state": state, "needed": " or ".join(needed)})


_IN_WORDS = {
    "REGISTERING": "the tournament has not started and takes registrations",
    "RUNNING": "the tournament is being played",
    "FINISHED": "the tournament is over and paid out",
    "CANCELLED": "the tournament was cancelled and what was paid is back in the wallets",
}


def not_registered(player_id: str) -> DomainError:
    """The player takes no part in the tournament."""
    message = f"player {player_id} is not registered: register first"
    return DomainError(Reason.NOT_REGISTERED, message, {"player_id": player_id})


def funds_insufficient(available_minor: int, needed_minor: int) -> DomainError:
    """The wallet does not hold enough."""
    message = f"the wallet holds {available_minor}, {needed_minor} are needed (minor units): deposit first"
    metadata = {"available_minor": str(available_minor), "needed_minor": str(needed_minor)}
    return DomainError(Reason.FUNDS_INSUFFICIENT, message, metadata)


def spend_cap_reached(spent_minor: int, price_minor: int, cap_minor: int) -> DomainError:
    """The purchase would pass the most that one player may pay (rule 170)."""
    message = f"{spent_minor} are spent and {price_minor} more would pass the cap of {cap_minor} (minor units)"
    metadata = {"spent_minor": str(spent_minor), "price_minor": str(price_minor), "cap_minor": str(cap_minor)}
    return DomainError(Reason.SPEND_CAP_REACHED, message, metadata)


def chips_not_conserved(before_chips: int, after_chips: int) -> DomainError:
    """The hand would make or lose chips."""
    message = (
        f"{before_chips} chips went into the hand, {after_chips} come out of it, rake included: nothing was booked"
    )
    metadata = {"before_chips": str(before_chips), "after_chips": str(after_chips)}
    return DomainError(Reason.CHIPS_NOT_CONSERVED, message, metadata)


def seat_taken(seat: int) -> DomainError:
    """Somebody sits there."""
    return DomainError(Reason.SEAT_TAKEN, f"seat {seat} is taken: choose another", {"seat": str(seat)})
