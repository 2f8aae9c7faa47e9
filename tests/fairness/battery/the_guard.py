"""F15: every step asked early, late, twice, for other seats and for another hand: refused, or the same answer again."""

import asyncio
import random
import tempfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import grpc
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.dealer.domain.advance import advance
from services.dealer.domain.guard import answered_by
from services.dealer.domain.hand import STREETS, HandRecord, Question, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.streets import dealing_after
from shared.kernel.errors import DomainError, Reason
from shared.rpc.client import unpack_error
from tests.batteries.progress import Progress
from tests.fairness.battery import guard_model
from tests.fairness.battery.rows import Row, Sizes, row
from tests.support import dealer_calls
from tests.support.dealer_calls import PlayedHand, Table, dealer, fresh, with_id
from tests.support.dealer_hands import AT, a_command, open_hand
from tests.support.servers import calling

HANDS = 1_000
AT_ONCE = 16
PATIENCE_SECONDS = 60.0
"""With a single answer: a battery may run on a busy machine."""
REFUSALS = frozenset({Reason.OUT_OF_STEP, Reason.REQUEST_INVALID, Reason.REQUEST_ID_REUSED, Reason.ALREADY_EXISTS})


class Asker:
    """Asks what must be refused, and what must have the same answer, and counts what came."""

    def __init__(self, stub: DealerServiceStub, tally: Counter[str]) -> None:
        """Count into this tally."""
        self.stub = stub
        self.tally = tally

    async def refuse(self, call: Awaitable[object]) -> None:
        """It must be refused with a typed reason."""
        try:
            await call
        except grpc.aio.AioRpcError as error:
            self.tally["refused" if unpack_error(error).reason in REFUSALS else "wrong"] += 1
        else:
            self.tally["wrong"] += 1

    async def repeat(self, call: Callable[[str], Awaitable[object]], request_id: str, answer: object) -> None:
        """It must have the same answer, under the same id and under a new one."""
        for id_ in (request_id, fresh()):
            self.tally["identical" if await call(id_) == answer else "wrong"] += 1

    def deal(self, hand: PlayedHand, street: int, live: list[int]) -> Callable[[str], Awaitable[Any]]:
        """A street asked for, by its number from 0."""
        return lambda id_: self.stub.DealStreet(
            pb.DealStreetRequest(
                request_id=id_, hand_id=hand.hand_id, street=dealer_calls.STREETS[street], live_seats=live
            )
        )

    def reveal(self, hand: PlayedHand, seats: list[int]) -> Callable[[str], Awaitable[Any]]:
        """Hands asked for to be ranked."""
        return lambda id_: self.stub.RevealForRanking(
            pb.RevealForRankingRequest(request_id=id_, hand_id=hand.hand_id, seats=seats)
        )

    def show(self, hand: PlayedHand, seats: list[int]) -> Callable[[str], Awaitable[Any]]:
        """Hands shown."""
        return lambda id_: self.stub.OpenCards(pb.OpenCardsRequest(request_id=id_, hand_id=hand.hand_id, seats=seats))

    def close(self, hand: PlayedHand) -> Callable[[str], Awaitable[Any]]:
        """The hand closed."""
        return lambda id_: self.stub.CloseHand(pb.CloseHandRequest(request_id=id_, hand_id=hand.hand_id))


async def attack(ask: Asker, table: Table, pick: random.Random) -> None:
    """One hand of random folds, every step of it asked in every wrong way."""
    hand = await table.open(pick.randint(2, 8))
    opened = pb.OpenHandResponse(commitment=hand.commitment)
    await ask.repeat(lambda id_: ask.stub.OpenHand(with_id(hand.opened, id_)), hand.opened.request_id, opened)
    other = with_id(hand.opened, fresh())
    other.seats[:] = [seat for seat in range(1, 9) if seat not in hand.opened.seats][:2] or [2, 1]
    await ask.refuse(ask.stub.OpenHand(other))
    live, folded, done = list(hand.opened.seats), list[int](), list[tuple[Any, str, object]]()
    for street in range(5):
        for wrong in range(street + 1, 5):
            await ask.refuse(ask.deal(hand, wrong, live)(fresh()))
        gone = list(folded)  # who got no card on the street before
        if street:
            await ask.refuse(ask.deal(hand, street - 1, live[::-1])(fresh()))
            if len(live) > 2 and pick.random() < 0.5:
                folded.append(live.pop(pick.randrange(len(live))))
            await ask.refuse(ask.deal(hand, street, live)(done[0][1]))
        if gone:
            await ask.refuse(ask.deal(hand, street, sorted([*live, gone[-1]]))(fresh()))
        await ask.refuse(ask.reveal(hand, live)(fresh()))
        await take(ask, done, ask.deal(hand, street, list(live)))
    await ask.refuse(ask.reveal(hand, [*live, *(folded[:1] or live[:1])])(fresh()))
    await take(ask, done, ask.reveal(hand, live))
    await take(ask, done, ask.show(hand, live[:1]))
    await take(ask, done, ask.close(hand))
    for call, id_, answer in done:
        await ask.repeat(call, id_, answer)
    await ask.refuse(ask.show(hand, live[1:])(fresh()))
    await ask.refuse(hand.void())


async def take(ask: Asker, done: list[tuple[Any, str, object]], call: Callable[[str], Awaitable[Any]]) -> None:
    """The step itself, then again."""
    id_ = fresh()
    answer = await call(id_)
    await ask.repeat(call, id_, answer)
    done.append((call, id_, answer))


async def attack_all(hands: int) -> Counter[str]:
    """Hands at some tables at once, at one dealer over gRPC."""
    tally, progress = Counter[str](), Progress("F15, hands asked in every wrong way", hands)
    with tempfile.TemporaryDirectory() as folder:
        async with dealer(Path(folder)) as server, calling(server.address, unary_seconds=PATIENCE_SECONDS) as channel:
            stub = DealerServiceStub(channel)

            async def at(number: int) -> None:
                table, pick = Table(stub, f"table-{number}"), random.Random(number)
                for _ in range(number, hands, AT_ONCE):
                    await attack(Asker(stub, tally), table, pick)
                    progress.add(1)

            async with asyncio.TaskGroup() as tables:
                for number in range(AT_ONCE):
                    tables.create_task(at(number))
    progress.finish()
    return tally


# --- every state of a small hand -----------------------------------------------------------------

Seats = tuple[int, ...]


def questions(seats: Seats) -> list[Question]:
    """Everything that can be asked of a hand."""
    groups = [group for size in range(1, len(seats) + 1) for group in combinations(seats, size)]
    asked = [Question(step=StepName.DEAL_STREET, street=street, seats=group) for street in STREETS for group in groups]
    asked += [
        Question(step=step, seats=group)
        for step in (StepName.REVEAL_FOR_RANKING, StepName.OPEN_CARDS)
        for group in groups
    ]
    plain = (StepName.FIX_DECK, StepName.CLOSE_HAND, StepName.VOID_HAND)
    asked += [Question(step=step) for step in plain]
    return [*asked, *(Question(step=StepName.CONTRIBUTE_ENTROPY, seats=(seat,), payload=b"x") for seat in seats)]


def explore(seats: int) -> tuple[int, int]:
    """Every state that a hand of so few seats can reach, every question asked in each: states, and laws broken."""
    record, secrets = open_hand(a_command(seats))
    waiting, states, broken = [record], 0, 0
    asked = questions(record.terms.seats)
    while waiting:
        state = waiting.pop()
        states += 1
        for question in asked:
            following, lawful = tried(state, secrets, question)
            broken += not lawful
            if following is not None and _worth_following(following):
                waiting.append(following)
    return states, broken


def tried(state: HandRecord, secrets: HandSecrets, question: Question) -> tuple[HandRecord | None, bool]:
    """The state after a question, None where it changes nothing; and whether the law of the guard holds."""
    if answered_by(state, question) is not None:
        return None, True
    before = dealing_after(state.terms.seats, state.steps)
    try:
        after = advance(state, secrets, question, AT)
    except DomainError as refusal:
        return None, refusal.reason in REFUSALS
    lawful = not (state.closed or state.voided) and after.steps[:-1] == state.steps
    if question.step is StepName.DEAL_STREET:
        due = 0 if before.street is None else STREETS.index(before.street) + 1
        lawful = lawful and question.street is STREETS[due] and set(question.seats) <= set(before.live)
    if question.step in {StepName.REVEAL_FOR_RANKING, StepName.OPEN_CARDS}:
        lawful = lawful and before.street is not None and set(question.seats) <= set(before.live)
    return after, lawful


def _worth_following(state: HandRecord) -> bool:
    """Disclosures do not move the deal: one of each is followed."""
    names = [step.step for step in state.steps]
    return names.count(StepName.OPEN_CARDS) + names.count(StepName.REVEAL_FOR_RANKING) <= 1


def rows(sizes: Sizes) -> Iterator[Row]:
    """One row over the contract, one over every state of a hand of three."""
    hands = sizes.of(HANDS, least=AT_ONCE)
    tally = asyncio.run(attack_all(hands))
    total = tally["refused"] + tally["identical"]
    found = f"{tally['refused']:,} refused, {tally['identical']:,} identical, {tally['wrong']} else"
    name = f"questions early, late, twice, for others, {hands:,} hands over gRPC"
    yield row("F15", name, "all refused or identical", found, holds=tally["wrong"] == 0 < total)
    seats = 3 if sizes.share == 1 else 2
    states, broken = explore(seats)
    name = f"every state of a hand of {seats}, every question in it"
    yield row("F15", name, "0 laws broken", f"{broken} in {states:,} states", holds=broken == 0 < states)
    yield from guard_model.rows(sizes)
