"""Opening a hand: the checks on its terms, its first record, and what was asked when it was opened."""

from dataclasses import dataclass, replace
from datetime import datetime

from services.dealer.domain.commitment import fix_deck, prove_deck, river_commitment, seed_commitment
from services.dealer.domain.hand import HandRecord, HandTerms, SeatKey, Step, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.rules import dealing_rules, rules_digest
from services.dealer.domain.script import Script, check_script
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.rules.hand import HandRules
from shared.kernel.seat_keys import key_fault

SEATS_MAX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenHand:
    """A hand as it is asked for."""

    hand_id: str
    table_id: str
    hand_number: int
    seats: tuple[int, ...]
    rules: HandRules
    entropy_seats: tuple[int, ...] = ()
    script: Script | None = None
    seat_keys: tuple[SeatKey, ...] = ()

    def terms(self) -> HandTerms:
        """The public terms of the hand."""
        return HandTerms(
            hand_id=self.hand_id,
            table_id=self.table_id,
            hand_number=self.hand_number,
            seats=self.seats,
            entropy_seats=self.entropy_seats,
            rules=dealing_rules(self.rules),
            rules_digest=rules_digest(self.rules),
            scripted=self.script is not None,
            seat_keys=self.seat_keys,
        )


def invalid(field: str, problem: str) -> DomainError:
    """A field of the request that cannot be what it says."""
    violation = FieldViolation(field, problem)
    return DomainError(Reason.REQUEST_INVALID, f"{field}: {problem}", {"field": field}, (violation,))


def check_open(command: OpenHand) -> None:
    """Refuse seats or cards that no hand can have."""
    _check_seats("seats", command.seats)
    if len(command.seats) > command.rules.seats_max:
        raise invalid("seats", f"the rules seat at most {command.rules.seats_max}")
    if command.seats != clockwise_from(command.seats[0], command.seats):
        raise invalid("seats", f"write them clockwise, as in {clockwise_from(command.seats[0], command.seats)}")
    if command.entropy_seats:
        _check_seats("entropy_seats", command.entropy_seats)
    if set(command.entropy_seats) - set(command.seats):
        raise invalid("entropy_seats", f"only seats that are dealt in: {command.seats}")
    if command.script is not None:
        check_script(command.script, command.seats)
    _check_keys(command)


def _check_keys(command: OpenHand) -> None:
    keyed = tuple(each.seat for each in command.seat_keys)
    _check_seats("seat_keys", keyed)
    if set(keyed) - set(command.seats):
        raise invalid("seat_keys", f"only seats that are dealt in: {command.seats}")
    for at, each in enumerate(command.seat_keys):
        fault = key_fault(each.public_key)
        if fault:
            raise invalid(f"seat_keys[{at}].public_key", fault)


def _check_seats(field: str, seats: tuple[int, ...]) -> None:
    if any(not 1 <= seat <= SEATS_MAX for seat in seats):
        raise invalid(field, f"seats are numbered 1 to {SEATS_MAX}")
    if len(set(seats)) != len(seats):
        raise invalid(field, "name each seat once")


def clockwise_from(first: int, seats: tuple[int, ...]) -> tuple[int, ...]:
    """Seats in clockwise order, beginning at one of them or where it would sit."""
    ordered = sorted(seats)
    return tuple([seat for seat in ordered if seat >= first] + [seat for seat in ordered if seat < first])


def opened(command: OpenHand, seed: bytes, shuffle_version: str, at: datetime) -> tuple[HandRecord, HandSecrets]:
    """The record of a hand just opened; without entropy to wait for, its deck is fixed at once."""
    step = Step(step=StepName.OPEN_HAND, seats=command.seats, fixed_deck=not command.entropy_seats, at=at)
    record = HandRecord(
        terms=command.terms(),
        shuffle_version=shuffle_version,
        seed_commitment=seed_commitment(command.hand_id, seed),
        steps=(step,),
    )
    return with_fixed_deck(record, seed) if step.fixed_deck else record, HandSecrets(seed=seed, script=command.script)


def with_fixed_deck(record: HandRecord, seed: bytes) -> HandRecord:
    """The record with the commitments to its deck."""
    deck = fix_deck(record.terms, seed, record.entropy)
    proof = prove_deck(record.terms, seed, record.entropy, deck)
    bound = river_commitment(record.terms.hand_id, deck.river_key)
    return replace(record, deck_root=proof.root, reshuffle_commitment=bound)
