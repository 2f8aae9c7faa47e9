"""Whole hands of the pure dealer for its tests: opened, dealt, with seats folding on the way."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from services.dealer.domain.advance import advance
from services.dealer.domain.answers import StreetDealt, street_dealt
from services.dealer.domain.hand import STREETS, HandRecord, Question, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.opening import OpenHand, check_open, opened
from services.dealer.domain.script import Script, ScriptedSeat
from services.dealer.domain.shuffle import SHUFFLE_VERSION
from shared.kernel.cards import FACE_DOWN, Card, parse_card
from shared.kernel.rules.presets import PRESETS

AT = datetime(2026, 1, 1, tzinfo=UTC)
Hand = tuple[HandRecord, HandSecrets]
Profile = tuple[int, int, int, int]


def seed_of(number: int) -> bytes:
    """A made-up seed."""
    return number.to_bytes(32, "big")


def a_command(seats: int = 8, preset: str = "card_room", script: Script | None = None) -> OpenHand:
    """A hand of so many seats under a preset."""
    rules = replace(PRESETS[preset].hand)
    numbers = tuple(range(1, seats + 1))
    return OpenHand(hand_id="hand-1", table_id="table-1", hand_number=1, seats=numbers, rules=rules, script=script)


def open_hand(command: OpenHand, seed: int = 1) -> Hand:
    """The hand opened with a made-up seed."""
    check_open(command)
    return opened(command, seed_of(seed), SHUFFLE_VERSION, AT)


def deal(hand: Hand, live: int | tuple[int, ...]) -> tuple[Hand, StreetDealt]:
    """The next street dealt to the first seats, or to those named."""
    record, secrets = hand
    dealt = sum(step.step == StepName.DEAL_STREET for step in record.steps)
    seats = record.terms.seats[:live] if isinstance(live, int) else live
    record = advance(record, secrets, Question(step=StepName.DEAL_STREET, street=STREETS[dealt], seats=seats), AT)
    return (record, secrets), street_dealt(record, secrets, record.version - 1)


def deal_profile(hand: Hand, profile: Sequence[int]) -> tuple[Hand, tuple[StreetDealt, ...]]:
    """A hand dealt to its river, so many seats getting a card on each street after the third."""
    streets: list[StreetDealt] = []
    for live in (len(hand[0].terms.seats), *profile):
        hand, dealt = deal(hand, live)
        streets.append(dealt)
    return hand, tuple(streets)


def profiles(seats: int) -> Iterator[Profile]:
    """Every way that seats can drop out from fourth to seventh street, two at least staying."""
    for fourth in range(2, seats + 1):
        for fifth in range(2, fourth + 1):
            for sixth in range(2, fifth + 1):
                for seventh in range(2, sixth + 1):
                    yield fourth, fifth, sixth, seventh


def cards_of(text: str) -> tuple[Card, ...]:
    """Cards as written in a script, ``?`` for any card."""
    return tuple(FACE_DOWN if word == "?" else parse_card(word) for word in text.split())


def script_of(common: str | None = None, **seats: str) -> Script:
    """A script, seats as ``s1="As Ks ?"``."""
    scripted = tuple(ScriptedSeat(seat=int(name[1:]), cards=cards_of(text)) for name, text in seats.items())
    return Script(seats=scripted, common_card=parse_card(common) if common else None)
