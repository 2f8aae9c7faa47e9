"""The dealer: shuffles in process, hands opened (sealed, committed, durable) beside one plain call and one append."""

import random
from itertools import count
from typing import Final

from sevenstud.dealer.v1 import dealer_service_pb2 as pb

from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream
from shared.kernel.cards import FULL_DECK
from shared.rpc.rules import preset_messages
from tests.bench.calls import PlainFloor, add_rates
from tests.bench.house import House
from tests.bench.measuring import Findings, Options, Row, alternating, rate_of
from tests.support.ledger_house import fresh

SECTION: Final = "dealer"
IN_FLIGHT: Final = 16
ROW_BYTES: Final = 700
BATCH: Final = 50


def bench_shuffles(findings: Findings, options: Options) -> None:
    """Decks a second: Fisher-Yates with rejection over a keyed stream, beside the system's generator."""
    system, numbers = random.SystemRandom(), count()

    def ours() -> int:
        for _ in range(BATCH):
            shuffle(FULL_DECK, byte_stream(next(numbers).to_bytes(32, "big"), b"deck"))
        return BATCH

    def theirs() -> int:
        for _ in range(BATCH):
            system.shuffle(list(range(52)))
        return BATCH

    mine, floor = alternating(
        (lambda: rate_of(ours, options.seconds), lambda: rate_of(theirs, options.seconds)), options.rounds
    )
    findings.add(
        Row(
            section=SECTION,
            name="shuffles of a deck, in process",
            unit="decks a second",
            ours=mine,
            beside="random.SystemRandom().shuffle",
            floor=floor,
            target=5.0,
        )
    )


async def bench_dealer(findings: Findings, options: Options, house: House, floor: PlainFloor) -> None:
    """Hands opened a second."""
    numbers, rules = count(), preset_messages()["card_room"].hand

    def request() -> pb.OpenHandRequest:
        name = f"bench-{next(numbers)}"
        return pb.OpenHandRequest(
            request_id=fresh(), hand_id=name, table_id=name, hand_number=1, seats=[1, 2, 3, 4, 5, 6], rules=rules
        )

    async def ours() -> object:
        return await house.dealer.OpenHand(request())

    answered = (await house.dealer.OpenHand(request())).ByteSize()
    plain = floor.call(request().ByteSize(), answered, ROW_BYTES)
    row = Row(
        section=SECTION,
        name=f"hands opened, sealed and committed, {IN_FLIGHT} in flight",
        unit="hands a second",
        ours=(),
        beside="one plain call and append",
        target=0.5,
    )
    await add_rates(findings, options, row, (ours, plain), IN_FLIGHT)
