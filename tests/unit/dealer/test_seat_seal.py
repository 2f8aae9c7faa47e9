"""Sealed seats: the holder of the key alone reads the cards, the same question has the same bytes."""

from dataclasses import replace

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey

from services.dealer.domain.advance import advance
from services.dealer.domain.answers import hands_shown, street_dealt
from services.dealer.domain.hand import STREETS, Question, SeatKey, StepName
from services.dealer.domain.opening import OpenHand, check_open
from services.dealer.domain.seat_seal import Place, sealed_cards
from shared.kernel.cards import parse_cards
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.kernel.seat_keys import SMALL_ORDER
from tests.support.dealer_hands import AT, a_command, deal, deal_profile, open_hand
from tests.support.seat_keys import SeatHolder

ANN = SeatHolder()
SEED = b"s" * 32
PLACE = Place(hand_id="hand-1", seat=2, street=Street.THIRD)
ACES = parse_cards("AsAd")
SEAL_BYTES = 32 + 12 + 16


def keyed(seats: int, *sealed: int) -> OpenHand:
    """A hand whose seats named are sealed to ann's key."""
    keys = tuple(SeatKey(seat=seat, public_key=ANN.public_key) for seat in sealed)
    return replace(a_command(seats), seat_keys=keys)


def test_the_holder_of_the_key_reads_the_cards() -> None:
    sealed = sealed_cards(ACES, ANN.public_key, SEED, PLACE)
    assert ANN.unsealed(sealed, "hand-1", 2, "THIRD") == list(ACES)
    assert len(sealed) == SEAL_BYTES + len(ACES)


def test_the_same_question_has_the_same_bytes_and_any_other_has_others() -> None:
    sealed = sealed_cards(ACES, ANN.public_key, SEED, PLACE)
    assert sealed == sealed_cards(ACES, ANN.public_key, SEED, PLACE)
    others = [
        sealed_cards(parse_cards("AsAc"), ANN.public_key, SEED, PLACE),
        sealed_cards(ACES, SeatHolder().public_key, SEED, PLACE),
        sealed_cards(ACES, ANN.public_key, b"t" * 32, PLACE),
        sealed_cards(ACES, ANN.public_key, SEED, replace(PLACE, hand_id="hand-2")),
        sealed_cards(ACES, ANN.public_key, SEED, replace(PLACE, seat=3)),
    ]
    assert len({each[:44] for each in (sealed, *others)}) == len(others) + 1


@pytest.mark.parametrize(
    ("hand_id", "seat", "street"), [("hand-2", 2, "THIRD"), ("hand-1", 3, "THIRD"), ("hand-1", 2, "SEVENTH")]
)
def test_a_seal_opens_for_no_other_hand_seat_or_street(hand_id: str, seat: int, street: str) -> None:
    sealed = sealed_cards(ACES, ANN.public_key, SEED, PLACE)
    with pytest.raises(InvalidTag):
        ANN.unsealed(sealed, hand_id, seat, street)


def test_another_key_opens_nothing_and_a_changed_byte_is_noticed() -> None:
    sealed = sealed_cards(ACES, ANN.public_key, SEED, PLACE)
    with pytest.raises(InvalidTag):
        SeatHolder().unsealed(sealed, "hand-1", 2, "THIRD")
    for at in range(32, len(sealed)):
        changed = bytes(byte ^ (place == at) for place, byte in enumerate(sealed))
        with pytest.raises(InvalidTag):
            ANN.unsealed(changed, "hand-1", 2, "THIRD")


def test_a_hand_seals_the_seats_with_a_key_and_no_others_and_its_deck_does_not_change() -> None:
    plain, with_key = open_hand(a_command(3)), open_hand(keyed(3, 2))
    assert with_key[0].deck_root == plain[0].deck_root
    _, sealed = deal_profile(with_key, (3, 3, 3, 3))
    _, clear = deal_profile(plain, (3, 3, 3, 3))
    for street, there, here in zip(STREETS, clear, sealed, strict=True):
        for in_clear, dealt in zip(there.dealt, here.dealt, strict=True):
            if dealt.seat != 2 or not in_clear.down_cards:
                assert dealt == in_clear
                continue
            assert dealt == replace(in_clear, down_cards=(), sealed_down_cards=dealt.sealed_down_cards)
            assert ANN.unsealed(dealt.sealed_down_cards, "hand-1", 2, street) == list(in_clear.down_cards)


def test_a_street_asked_again_is_sealed_the_same() -> None:
    (record, secrets), dealt = deal(open_hand(keyed(3, 2)), 3)
    assert street_dealt(record, secrets, record.version - 1) == dealt
    assert dealt.dealt[1].sealed_down_cards


def test_revealing_for_the_ranking_gives_sealed_seats_in_clear() -> None:
    (record, secrets), dealt = deal_profile(open_hand(keyed(2, 1)), (2, 2, 2, 2))
    record = advance(record, secrets, Question(step=StepName.REVEAL_FOR_RANKING, seats=(1, 2)), AT)
    cards = hands_shown(record, secrets, record.version - 1)[0].cards
    first = ANN.unsealed(dealt[0].dealt[0].sealed_down_cards, "hand-1", 1, "THIRD")
    last = ANN.unsealed(dealt[-1].dealt[0].sealed_down_cards, "hand-1", 1, "SEVENTH")
    assert [*cards[:2], cards[-1]] == [*first, *last]


@pytest.mark.parametrize("point", sorted(SMALL_ORDER))
def test_a_key_that_gives_everybody_the_same_secret_is_refused(point: int) -> None:
    for encoded in (point, point + 2**255):
        public_key = encoded.to_bytes(32, "little")
        command = replace(a_command(2), seat_keys=(SeatKey(seat=1, public_key=public_key),))
        with pytest.raises(DomainError, match="make a new key pair") as refusal:
            check_open(command)
        assert refusal.value.reason is Reason.REQUEST_INVALID
        with pytest.raises(ValueError, match="shared key"):
            ANN.private.exchange(X25519PublicKey.from_public_bytes(public_key))


@pytest.mark.parametrize("sealed", [(3,), (1, 1)])
def test_keys_are_for_seats_dealt_in_and_one_a_seat(sealed: tuple[int, ...]) -> None:
    with pytest.raises(DomainError, match="seat_keys"):
        check_open(keyed(2, *sealed))
