"""To whose keys down cards came sealed: whoever carries them could have them sealed to itself, and seal them anew.

The player opens what was sealed anew as if it came from the dealer: anybody can seal to a public key. Only the dealer's
record says which keys it was given.
"""

from services.console.domain.fair_record import Evidence, require

Said = tuple[list[str], list[str]]
"""What is proved, and what is not."""


def check_seals(evidence: Evidence) -> Said:
    """The dealer sealed what the table gave sealed, and to the player's own key where that is known."""
    told = evidence.table.sealed_seats if evidence.table is not None else ()
    sealed = evidence.record.sealed_seats if evidence.record is not None else None
    if sealed is None:
        require(not evidence.seat_key, "to which key the cards were sealed needs the dealer's record")
        return [], [f"to whose key the cards of seat {seat} were sealed: the dealer's record says it" for seat in told]
    keys = {each.seat: each.public_key for each in sealed.keys}
    dealt_in = evidence.record.seats if evidence.record is not None else ()
    require(len(keys) == len(sealed.keys) and set(keys) <= set(dealt_in), "a seat has two keys, or was not dealt in")
    for seat in told:
        what = f"the table gave the down cards of seat {seat} sealed, the dealer gave them in clear: somebody read them"
        require(seat in keys, what)
    limits = [
        f"that nobody but its player read the down cards of seat {seat}, if the key {key.hex()} is not the player's own"
        for seat, key in keys.items()
    ]
    return _to_its_player(evidence, keys) if evidence.seat_key else ([], limits)


def _to_its_player(evidence: Evidence, keys: dict[int, bytes]) -> Said:
    """The player's own seat has the player's own key; of the others nothing is said."""
    own = evidence.own.openings if evidence.own is not None else ()
    seat = evidence.seat or next((each.seat for each in own if each.seat), 0)
    require(seat > 0, "whose key this is says nobody: name the player, or give the own cards")
    what = f"the down cards of seat {seat} were not sealed to the player's key: somebody read them"
    require(keys.get(seat) == evidence.seat_key, what)
    return [f"the down cards of seat {seat} left the dealer sealed to the player's own key"], []
