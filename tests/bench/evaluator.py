"""Hands valued: single hands and batches in process beside other libraries, and batches over gRPC beside in process.

Peers that are not installed are named and left out: ``make bench`` installs them from their own lock.
Equity in process is measured in ``equity.py``, the service's start in ``starting.py``.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Final

import numpy as np
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb

from services.evaluator.adapters.engines import COMPILED, NUMPY
from services.evaluator.domain.strength import strength_of, strengths_of
from shared.kernel.cards import parse_cards
from tests.bench.calls import PlainFloor, add_rates, rate
from tests.bench.equity import DEALS, SEED, UP_CARDS, ours
from tests.bench.house import House
from tests.bench.measuring import Findings, Options, Row, alternating, rate_of
from tests.bench.peers import peer
from tests.support.evaluator_engines import engines

SECTION: Final = "evaluator"
SINGLES: Final = 20_000
BATCH: Final = 400_000
STREAMED_DEALS: Final = 1_000_000
RANKS, SUITS = "23456789TJQKA", "cdhs"
Run = Callable[[], int]


def random_hands(count: int) -> list[list[int]]:
    """Seven cards each, 0 to 51."""
    rng, deck = Random(1), range(52)
    return [rng.sample(deck, 7) for _ in range(count)]


def text(card: int) -> str:
    """A card as peers write it."""
    return RANKS[card // 4] + SUITS[card % 4]


def mask(cards: Sequence[int]) -> int:
    """Cards as a mask."""
    return sum(1 << card for card in cards)


def bench_values(findings: Findings, options: Options) -> None:
    """In process."""
    hands = random_hands(SINGLES)
    masks = [mask(hand) for hand in hands]

    def plain() -> int:
        for each in masks:
            strength_of(each)
        return SINGLES

    _beside_treys(findings, options, hands, plain)
    _beside_eval7(findings, options, hands, plain)
    _batches(findings, options, hands)


def _add(findings: Findings, options: Options, row: Row, ours: Run, theirs: Run) -> None:
    mine, floor = alternating(
        (lambda: rate_of(ours, options.seconds), lambda: rate_of(theirs, options.seconds)), options.rounds
    )
    findings.add(
        Row(
            section=SECTION,
            name=row.name,
            unit="hands a second",
            ours=mine,
            beside=row.beside,
            floor=floor,
            target=row.target,
        )
    )


def _beside_treys(findings: Findings, options: Options, hands: list[list[int]], plain: Run) -> None:
    treys = peer("treys", findings)
    if treys is None:
        return
    evaluate, prepared = treys.Evaluator().evaluate, [[treys.Card.new(text(each)) for each in hand] for hand in hands]

    def theirs() -> int:
        for hand in prepared:
            evaluate(hand[:5], hand[5:])
        return SINGLES

    row = Row(section=SECTION, name="single hands, plain Python", unit="", ours=(), beside="treys", target=10.0)
    _add(findings, options, row, plain, theirs)


def _beside_eval7(findings: Findings, options: Options, hands: list[list[int]], plain: Run) -> None:
    eval7 = peer("eval7", findings)
    if eval7 is None:
        return
    prepared = [[eval7.Card(text(each)) for each in hand] for hand in hands]

    def theirs() -> int:
        for hand in prepared:
            eval7.evaluate(hand)
        return SINGLES

    row = Row(section=SECTION, name="single hands, plain Python again", unit="", ours=(), beside="eval7 (compiled)")
    _add(findings, options, row, plain, theirs)


def _batches(findings: Findings, options: Options, hands: list[list[int]]) -> None:
    masks = np.array([mask(hand) for hand in hands] * (BATCH // SINGLES), "<u8").tobytes()
    arrays, compiled = _bytes_to_bytes(NUMPY, masks), _bytes_to_bytes(COMPILED, masks)
    listed = [mask(hand) for hand in hands]

    def plain() -> int:
        strengths_of(listed)
        return SINGLES

    plain_row = Row(section=SECTION, name="batches, arrays", unit="", ours=(), beside="batches, plain Python")
    _add(findings, options, plain_row, arrays, plain)
    library = peer("poker_equity", findings)
    if library is None:
        return
    written = ["".join(text(card) for card in hand) for hand in hands]

    def theirs() -> int:
        library.score_batch("high", written)
        return SINGLES

    for name, run, target in (("arrays", arrays, 15.0), ("compiled", compiled, 35.0)):
        row = Row(
            section=SECTION,
            name=f"batches, {name}, bytes to bytes",
            unit="",
            ours=(),
            beside="poker-equity",
            target=target,
        )
        _add(findings, options, row, run, theirs)


def _bytes_to_bytes(name: str, masks: bytes) -> Run:
    """As EvaluateBatch does it: slices read, checked, valued."""
    engine = engines(name).batch

    def run() -> int:
        size = engine.slice_hands * 8
        for start in range(0, len(masks), size):
            read = engine.read_masks(masks[start : start + size])
            engine.check(read, "masks", 0)
            engine.strengths(read)
        return BATCH

    return run


async def bench_evaluator(findings: Findings, options: Options, house: House, floor: PlainFloor) -> None:
    """Over gRPC."""
    hands = 200_000
    content = np.array([mask(hand) for hand in random_hands(SINGLES)] * (hands // SINGLES), "<u8").tobytes()
    engine = engines(NUMPY).batch

    async def in_process() -> object:
        size = engine.slice_hands * 8
        for start in range(0, len(content), size):
            engine.strengths(engine.read_masks(content[start : start + size]))
        return hands

    async def ours() -> object:
        return await house.evaluator.EvaluateBatch(pb.EvaluateBatchRequest(masks=content))

    mine: list[float] = []
    here: list[float] = []
    for _ in range(options.rounds):
        mine.append(hands * await rate(ours, 2, options.seconds))
        here.append(hands * await rate(in_process, 1, options.seconds))  # by the clock, as the calls are
    findings.add(
        Row(
            section=SECTION,
            name=f"batches of {hands:,} over gRPC",
            unit="hands a second",
            ours=tuple(mine),
            beside="arrays in process",
            floor=tuple(here),
            target=0.4,
        )
    )
    request = pb.EvaluateRequest(cards=[1, 5, 9, 13, 17, 22, 30])  # type: ignore[list-item]  # numbers of the wire

    async def single() -> object:
        return await house.evaluator.Evaluate(request)

    answered = (await house.evaluator.Evaluate(request)).ByteSize()
    asks = single, floor.call(request.ByteSize(), answered)
    for in_flight in (1, 16):
        row = Row(
            section=SECTION,
            name=f"single calls, {in_flight} in flight",
            unit="calls a second",
            ours=(),
            beside="plain calls",
            target=0.5,
        )
        await add_rates(findings, options, row, asks, in_flight)
    await _equity(findings, options, house)


async def _equity(findings: Findings, options: Options, house: House) -> None:
    """A question over gRPC, estimates streamed as they narrow, beside the same deals in process."""
    request = pb.EstimateEquityRequest(error_millionths=1, deals_max=STREAMED_DEALS, seed=SEED)
    for hand in UP_CARDS.hands:
        request.hands.add().cards.extend(parse_cards(hand))  # type: ignore[arg-type]  # numbers of the wire
    request.dead_cards.extend(parse_cards(UP_CARDS.dead))  # type: ignore[arg-type]  # the same
    in_process = ours(NUMPY, UP_CARDS)

    async def asked() -> object:
        return [estimate async for estimate in house.evaluator.EstimateEquity(request)][-1]

    async def here() -> object:
        return in_process()

    mine: list[float] = []
    floor: list[float] = []
    for _ in range(options.rounds):
        mine.append(STREAMED_DEALS * await rate(asked, 1, options.seconds))
        floor.append(DEALS * await rate(here, 1, options.seconds))
    name, beside = f"{STREAMED_DEALS:,} deals over gRPC, arrays", "arrays in process"
    findings.add(
        Row(
            section=SECTION,
            name=name,
            unit="deals a second",
            ours=tuple(mine),
            beside=beside,
            floor=tuple(floor),
            target=0.5,
        )
    )
