"""To which keys down cards were sealed: what a record may say of it."""

from dataclasses import replace

import pytest

from services.console.domain.fair_record import DealerRecord, Evidence, Mismatch, SealedSeats, SeatKey
from services.console.domain.fair_seals import check_seals
from tests.fairness.published import dealer_record
from tests.fairness.records import a_random_hand

OWN, ANOTHER = bytes([9]) + bytes(31), bytes([10]) + bytes(31)


@pytest.fixture(scope="module")
def record() -> DealerRecord:
    return dealer_record(a_random_hand(1)[0])


def with_keys(record: DealerRecord, *keys: tuple[int, bytes]) -> DealerRecord:
    sealed = SealedSeats(keys=tuple(SeatKey(seat=seat, public_key=key) for seat, key in keys))
    return replace(record, sealed_seats=sealed)


def test_the_players_own_key_at_the_players_own_seat_is_proved(record: DealerRecord) -> None:
    seat, other = record.seats[:2]
    sealed = with_keys(record, (seat, OWN), (other, ANOTHER))
    assert check_seals(Evidence(record=sealed, seat=seat, seat_key=OWN)) == (
        [f"the down cards of seat {seat} left the dealer sealed to the player's own key"],
        [],
    )
    for asked, key in ((seat, ANOTHER), (other, OWN)):
        with pytest.raises(Mismatch, match="not sealed to the player's key"):
            check_seals(Evidence(record=sealed, seat=asked, seat_key=key))


def test_a_seat_with_two_keys_or_one_that_was_not_dealt_in_is_refused(record: DealerRecord) -> None:
    """Whoever looks at one of two keys might find the own one, and the cards were sealed to the other."""
    seat = record.seats[0]
    stranger = next(each for each in range(1, 10) if each not in record.seats)
    for keys in (((seat, ANOTHER), (seat, OWN)), ((stranger, OWN),)):
        with pytest.raises(Mismatch, match="has two keys, or was not dealt in"):
            check_seals(Evidence(record=with_keys(record, *keys), seat=seat, seat_key=OWN))


def test_a_key_without_a_record_or_without_a_player_proves_nothing(record: DealerRecord) -> None:
    with pytest.raises(Mismatch, match="needs the dealer's record"):
        check_seals(Evidence(record=record if record.sealed_seats is None else None, seat_key=OWN))
    with pytest.raises(Mismatch, match="whose key this is says nobody"):
        check_seals(Evidence(record=with_keys(record), seat_key=OWN))
