"""Equity in process beside other libraries, on the same cards: deals a second, sampled and counted one by one.

Times are what this process computes, whatever threads a peer may start. Peers that are not installed are named.
"""

import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from services.evaluator.adapters.engines import COMPILED, NUMPY
from services.evaluator.domain.equity_question import EquityHand, lay_out
from services.evaluator.domain.equity_tally import Tally
from services.evaluator.ports.equity_engine import EquityEngine
from shared.kernel.cards import FULL_DECK, cards_text, parse_cards
from tests.bench.measuring import Findings, Options, Row, alternating
from tests.bench.peers import peer
from tests.support.evaluator_engines import engines

SECTION: Final = "equity"
DEALS: Final = 200_000
LOOP_DEALS: Final = 5_000
SEED: Final = 3
AGREE: Final = 0.01
Run = Callable[[], tuple[int, float]]
"""Deals played out, and the share of the first hand."""


class Spot(NamedTuple):
    """Cards of a question."""

    name: str
    hands: tuple[str, ...]
    dead: str


KNOWN: Final = Spot("fourth street, all cards known", ("AhAdKc2s", "7c7d7hQs", "TsJs9s3d"), "4c4d")
UP_CARDS: Final = Spot("fourth street, two by their up cards", ("AhAdKc2s", "7hQs", "9s3d"), "4c4d")
SIXTH: Final = Spot("sixth street, all deals counted", ("AhAdKc2s9d5c", "7c7d8hQsJc2d", "TsJs9s3dKh6h"), "4c4d")


def bench_equity(findings: Findings, options: Options) -> None:
    """Arrays and the compiled core beside poker-equity, the compiled core beside a loop over eval7."""
    poker_equity, eval7 = peer("poker_equity", findings), peer("eval7", findings)
    for spot in (KNOWN, UP_CARDS, SIXTH):
        if poker_equity is not None:
            theirs = _poker_equity(poker_equity, spot)
            _add(findings, options, spot, (NUMPY, theirs, "poker-equity", 1.0))
            _add(findings, options, spot, (COMPILED, theirs, "poker-equity", 5.0))
        if eval7 is not None:
            _add(findings, options, spot, (COMPILED, _loop(eval7, spot), "a loop over eval7", 50.0))


def ours(name: str, spot: Spot) -> Run:
    """One of our engines."""
    engine: EquityEngine = engines(name).equity
    layout = lay_out([EquityHand(cards=parse_cards(hand)) for hand in spot.hands], parse_cards(spot.dead))
    exact = layout.deals_count <= DEALS

    def run() -> tuple[int, float]:
        counter = engine.all_counted(layout) if exact else engine.sampled(layout, SEED)
        return _share(_in_slices(counter, engine.slice_cards // layout.drawn, layout.deals_count if exact else DEALS))

    return run


def _in_slices(counter: Callable[[int], Tally], size: int, deals: int) -> Tally:
    tally = counter(min(size, deals))
    while tally.deals < deals:
        tally = tally.plus(counter(min(size, deals - tally.deals)))
    return tally


def _share(tally: Tally) -> tuple[int, float]:
    return tally.deals, tally.equities(exact=True)[0].share_millionths / 1_000_000


def _poker_equity(library: Any, spot: Spot) -> Run:
    longest = max(len(hand) for hand in spot.hands)
    hands = [hand + "*" * ((longest - len(hand)) // 2) for hand in spot.hands]

    def run() -> tuple[int, float]:
        if spot is SIXTH:
            found = library.exact_from_text("stud", hands, "", spot.dead)
        else:
            found = library.chunk_from_text("stud", hands, "", spot.dead, DEALS, SEED, 1)
        return int(found["samples"]), float(found["players"][0]["equity"])

    return run


def _loop(library: Any, spot: Spot) -> Run:
    """What a Python program does with a library that values one hand at a time."""
    held = [[library.Card(_text(card)) for card in parse_cards(hand)] for hand in spot.hands]
    gone = {card for text in (*spot.hands, spot.dead) for card in parse_cards(text)}
    deck = [library.Card(_text(card)) for card in FULL_DECK if card not in gone]
    needs, rng = [7 - len(hand) for hand in held], Random(SEED)

    def run() -> tuple[int, float]:
        won = 0.0
        for _ in range(LOOP_DEALS):
            drawn, values, place = rng.sample(deck, sum(needs)), list[int](), 0
            for hand, need in zip(held, needs, strict=True):
                values.append(library.evaluate(hand + drawn[place : place + need]))
                place += need
            best = max(values)
            won += 1 / values.count(best) if values[0] == best else 0
        return LOOP_DEALS, won / LOOP_DEALS

    return run


def _text(card: int) -> str:
    return cards_text([card])  # type: ignore[list-item]  # numbers of the deck are its cards


def _add(findings: Findings, options: Options, spot: Spot, beside: tuple[str, Run, str, float]) -> None:
    engine, theirs, name, target = beside
    mine = ours(engine, spot)
    shares = mine()[1], theirs()[1]
    if abs(shares[0] - shares[1]) > (AGREE if theirs()[0] > LOOP_DEALS else 5 * AGREE):
        findings.broken.append(f"equity, {spot.name}: {engine} says {shares[0]:.4f}, {name} says {shares[1]:.4f}")
    samples: Sequence[tuple[float, ...]] = alternating(
        (lambda: _rate(mine, options.seconds), lambda: _rate(theirs, options.seconds)), options.rounds
    )
    findings.add(
        Row(
            section=SECTION,
            name=f"{spot.name}, {'arrays' if engine == NUMPY else 'compiled'}" + (", beside eval7" * (target > 5)),
            unit="deals a second",
            ours=samples[0],
            beside=name,
            floor=samples[1],
            target=target,
        )
    )


def _rate(run: Run, seconds: float) -> float:
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += run()[0]
    return done / spent
