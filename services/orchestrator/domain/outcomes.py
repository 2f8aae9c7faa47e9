"""What the betting service answered, as facts of the table; and the check that no chip came or went (rule 106)."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from services.orchestrator.domain import hand_facts as fact
from services.orchestrator.domain import wagering
from services.orchestrator.domain.clocks import extra_time
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.hand import Hand, HandSeat
from services.orchestrator.domain.table import Table
from shared.kernel.frozen import maker
from shared.kernel.game import Street

_action_taken, _turn_started = maker(fact.ActionTaken), maker(fact.TurnStarted)


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
    facts: list[Fact] = field(default_factory=list[Fact])


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
    _check_chips(hand, outcome, reading.stacks)
    return (*reading.facts, *_closing(hand, outcome), *_turn(table, hand, outcome, now))


def settled_facts(hand: Hand, settled: wagering.Settled) -> tuple[Fact, ...]:
    """How the pots were paid, side pots first (rule 102), and what everybody has now."""
    stacks = {seat.seat: seat.stack_chips for seat in hand.seats}
    reading = _Reading(TurnAnswered(), hand.street or Street.THIRD, stacks)
    for happened in settled.outcome.facts:
        _read(reading, happened)
    for award in settled.awards:
        for share in award.shares:
            _pay(reading, share.seat, -share.chips)
    _check_chips(hand, settled.outcome, reading.stacks, settled.rake_chips)
    ended = fact.HandEnded(
        hand_number=hand.hand_number,
        results=tuple(_result(seat, reading.stacks[seat.seat]) for seat in hand.seats),
        rake_chips=settled.rake_chips,
        street_reached=hand.street,
    )
    return (*reading.facts, *(fact.PotAwarded(award=award) for award in reversed(settled.awards)), ended)


def voided_fact(hand: Hand, cause: str) -> fact.HandVoided:
    """The hand cannot go on: every chip is where it was at its start (rule 106)."""
    results = tuple(_result(seat, seat.start_chips) for seat in hand.seats)
    return fact.HandVoided(hand_number=hand.hand_number, cause=cause, results=results)


def _result(seat: HandSeat, after_chips: int) -> fact.SeatResult:
    return fact.SeatResult(
        seat=seat.seat, player_id=seat.player_id, before_chips=seat.start_chips, after_chips=after_chips
    )


def _check_chips(hand: Hand, outcome: wagering.BettingOutcome, stacks: dict[int, int], rake_chips: int = 0) -> None:
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
                fact.AntePosted(seat=happened.seat, chips=happened.chips, all_in=happened.all_in, stack_chips=left)
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
    return _action_taken(
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


def _closing(hand: Hand, outcome: wagering.BettingOutcome) -> Iterable[Fact]:
    """A street on which nobody could bet closes as soon as it is dealt; its pots are said all the same."""
    said = any(isinstance(happened, wagering.StreetClosed) for happened in outcome.facts)
    if outcome.next is not wagering.NextStep.ACT and hand.street is not None and not said:
        yield fact.StreetClosed(street=hand.street, pots=outcome.pots)


def _turn(table: Table, hand: Hand, outcome: wagering.BettingOutcome, now: datetime) -> Iterable[Fact]:
    if outcome.next is not wagering.NextStep.ACT or outcome.turn is None:
        return
    number = outcome.turn.seat
    seat = table.seat(number)
    gone = seat is not None and seat.disconnected and seat.player_id == hand.seat(number).player_id
    extra = extra_time(table, number) if gone else timedelta()
    yield _turn_started(
        turn_id=table.turn_id + 1,
        seat=number,
        player_id=hand.seat(number).player_id,
        deadline=now + timedelta(seconds=table.turn_seconds) + extra,
        legal=outcome.turn,
    )
