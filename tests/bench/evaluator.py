"""Hands valued: single hands and batches in process beside other libraries, and batches over gRPC beside in process.

Peers that are not installed are named and left out: ``make bench`` installs them from their own lock.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from random import Random
from typing import Any, Final

import numpy as np
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb

from services.evaluator.adapters.numpy_engine import NumpyEngine
from services.evaluator.domain.strength import strength_of, strengths_of
from tests.bench.calls import PlainFloor, add_rates, rate
from tests.bench.house import House
from tests.bench.measuring import Findings, Options, Row, alternating, rate_of

SECTION: Final = "evaluator"
SINGLES: Final = 20_000
BATCH: Final = 400_000
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


def _peer(name: str, findings: Findings) -> Any:
    try:
        return import_module(name)
    except ImportError:
        findings.remarks.append(f"evaluator: the peer {name} is not installed, its row is left out")
        return None


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
    treys = _peer("treys", findings)
    if treys is None:
        return
    evaluate, prepared = treys.Evaluator().evaluate, [[treys.Card.new(text(each)) for each in hand] for hand in hands]

    def peer() -> int:
        for hand in prepared:
            evaluate(hand[:5], hand[5:])
        return SINGLES

    row = Row(section=SECTION, name="single hands, plain Python", unit="", ours=(), beside="treys", target=10.0)
    _add(findings, options, row, plain, peer)


def _beside_eval7(findings: Findings, options: Options, hands: list[list[int]], plain: Run) -> None:
    eval7 = _peer("eval7", findings)
    if eval7 is None:
        return
    prepared = [[eval7.Card(text(each)) for each in hand] for hand in hands]

    def peer() -> int:
        for hand in prepared:
            eval7.evaluate(hand)
        return SINGLES

    row = Row(section=SECTION, name="single hands, plain Python again", unit="", ours=(), beside="eval7 (compiled)")
    _add(findings, options, row, plain, peer)


def _batches(findings: Findings, options: Options, hands: list[list[int]]) -> None:
    engine, masks = NumpyEngine(), np.array([mask(hand) for hand in hands] * (BATCH // SINGLES), "<u8").tobytes()

    def arrays() -> int:
        size = engine.slice_hands * 8
        for start in range(0, len(masks), size):
            read = engine.read_masks(masks[start : start + size])
            engine.check(read, "masks", 0)
            engine.strengths(read)
        return BATCH

    listed = [mask(hand) for hand in hands]

    def plain() -> int:
        strengths_of(listed)
        return SINGLES

    plain_row = Row(section=SECTION, name="batches, arrays", unit="", ours=(), beside="batches, plain Python")
    _add(findings, options, plain_row, arrays, plain)
    peer = _peer("poker_equity", findings)
    if peer is None:
        return
    written = ["".join(text(card) for card in hand) for hand in hands]

    def theirs() -> int:
        peer.score_batch("high", written)
        return SINGLES

    row = Row(
        section=SECTION, name="batches, arrays, bytes to bytes", unit="", ours=(), beside="poker-equity", target=15.0
    )
    _add(findings, options, row, arrays, theirs)


async def bench_evaluator(findings: Findings, options: Options, house: House, floor: PlainFloor) -> None:
    """Over gRPC."""
    hands = 200_000
    content = np.array([mask(hand) for hand in random_hands(SINGLES)] * (hands // SINGLES), "<u8").tobytes()
    engine = NumpyEngine()

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
    row = Row(section=SECTION, name="single calls, 16 in flight", unit="calls a second", ours=(), beside="plain calls")
    await add_rates(findings, options, row, (single, floor.call(request.ByteSize(), answered)), 16)
