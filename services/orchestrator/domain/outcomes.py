"""What the betting service answered, as facts of the table; and the check that no chip came or went (rule 106)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from services.orchestrator.domain import hand_facts as fact
from services.orchestrator.domain import wagering
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.table import Table
from shared.kernel.game import Street


class ChipsAdrift(Exception):  # noqa: N818  # read as a sentence: chips are adrift
    """Chips do not add up; the hand cannot go on (rule 106)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnAnswered:
    """The turn that an outcome answers; none for antes and openings of streets."""

    turn_id: int = 0
    time_bank_used_seconds: int = 0


@dataclass(slots=True)
class _Reading:
    """Facts read so far, with what each seat has left."""

    answered: TurnAnswered
    street: Street
    stacks: dict[int, int]
    facts: list[Fact] = field(default_factory=list)


def outcome_facts(
    table: Table, hand: Hand, outcome: wagering.BettingOutcome, now: datetime, answered: TurnAnswered | None = None
) -> tuple[Fact, ...]:
    """The facts that a betting outcome means, the next turn included; ChipsAdrift where it does not add up.

    ``hand`` is the hand as it stood before; ``now`` starts the clock of the next turn (rule 128).
    """
    stacks = {seat.seat: seat.stack_chips for seat in hand.seats}
    reading = _Reading(answered or TurnAnswered(), hand.street or Street.THIRD, stacks)
    for happened in outcome.facts:
        _read(reading, happened)
    check_chips(hand, outcome, reading.stacks)
    return (*reading.facts, *_turn(table, hand, outcome, now))


def check_chips(hand: Hand, outcome: wagering.BettingOutcome, stacks: dict[int, int], rake_chips: int = 0) -> None:
    """Stacks and pots together are what the hand began with, and both sides hold the same stacks."""
    answered = {seat.seat: seat.stack_chips for seat in outcome.state.seats}
    if answered != stacks:
        raise ChipsAdrift("the stacks that the betting service answered are not those of its facts")
    started = sum(seat.start_chips for seat in hand.seats)
    total = sum(answered.values()) + outcome.pot_total_chips + rake_chips
    if total != started:
        raise ChipsAdrift(f"{started} chips at the start of the hand are {total} now")


def _read(reading: _Reading, happened: wagering.BettingFact) -> None:
    match happened:
        case wagering.AntePosted():
            left = _pay(reading, happened.seat, happened.chips)
            reading.facts.append(
                fact.AntePosted(
                    seat=happened.seat, chips=happened.chips, all_in=happened.all_in, stack_chips=left
                )
            )
        case wagering.ActionTaken():
            reading.facts.append(_action(reading, happened))
        case wagering.SeatFrozen():
            reading.facts.append(_frozen(reading, happened))
        case wagering.UncalledBetReturned():
            left = _pay(reading, happened.seat, -happened.chips)
            reading.facts.append(fact.UncalledBetReturned(seat=happened.seat, chips=happened.chips, stack_chips=left))
        case wagering.StreetClosed():
            street = happened.street or reading.street
            reading.facts.append(fact.StreetClosed(street=street, pots=happened.pots))


def _pay(reading: _Reading, seat: int, chips: int) -> int:
    reading.stacks[seat] -= chips
    return reading.stacks[seat]


def _action(reading: _Reading, taken: wagering.ActionTaken) -> fact.ActionTaken:
    return fact.ActionTaken(
        turn_id=reading.answered.turn_id,
        seat=taken.seat,
        kind=taken.kind,
        paid_chips=taken.paid_chips,
        to_chips=taken.to_chips,
        all_in=taken.all_in,
        cause=taken.cause,
        stack_chips=_pay(reading, taken.seat, taken.paid_chips),
        time_bank_used_seconds=reading.answered.time_bank_used_seconds,
    )


def _frozen(reading: _Reading, frozen: wagering.SeatFrozen) -> fact.SeatFrozen:
    return fact.SeatFrozen(
        seat=frozen.seat,
        cause=frozen.cause,
        turn_id=reading.answered.turn_id,
        time_bank_used_seconds=reading.answered.time_bank_used_seconds,
    )


def _turn(table: Table, hand: Hand, outcome: wagering.BettingOutcome, now: datetime) -> Iterable[Fact]:
    if outcome.next is not wagering.NextStep.ACT or outcome.turn is None:
        return
    yield fact.TurnStarted(
        turn_id=table.turn_id + 1,
        seat=outcome.turn.seat,
        player_id=hand.seat(outcome.turn.seat).player_id,
        deadline=now + timedelta(seconds=table.turn_seconds),
        legal=outcome.turn,
    )
