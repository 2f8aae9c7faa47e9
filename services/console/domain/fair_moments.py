"""When each street was dealt and hands were told: not before their time, and none that the table never had.

The dealer cannot know whether a betting round is over; an orchestrator that was bought could ask too soon for a street,
or for hands to be compared or opened, to see cards. Each step and its time are in the dealer's record, so that here it
shows.
"""

from services.console.domain.fair_deal import ROUNDS_ON_THIRD
from services.console.domain.fair_record import DealerRecord, RecordedStep, TableRecord, require
from shared.kernel.game import Street

DEAL_STREET, REVEAL, OPEN_CARDS = "deal_street", "reveal_for_ranking", "open_cards"
CLOSE_HAND, VOID_HAND = "close_hand", "void_hand"
CLOCKS_APART_SECONDS = 5
"""So far the clocks of dealer and table may be apart, who may run on two machines."""


def check_moments(record: DealerRecord, table: TableRecord) -> tuple[str, ...]:
    """What is proved of the moments of the deal; Mismatch names a street that was dealt too soon, or for nobody."""
    dealt = [step for step in record.steps if step.step == DEAL_STREET]
    _check_streets(dealt, table)
    for step, seen in zip(dealt, table.streets, strict=False):
        shown = (seen.street, seen.source, seen.burned_count)
        what = f"the table told of {seen.street} otherwise than the dealer dealt {step.street}"
        require(shown == (step.street, step.source, _burned(step)), what)
    for step, seen in zip(dealt, table.streets, strict=False):
        early = (seen.before - step.at).total_seconds()
        what = (
            f"{step.street} was dealt {early:.0f} s before the table had come to it: somebody may have seen its cards"
        )
        require(early <= CLOCKS_APART_SECONDS, what)
        what = f"{step.street} was dealt to seats {_listed(step.seats)}, in the hand were {_listed(seen.live)}"
        require(step.seats == seen.live, what)
        late = (step.at - seen.at).total_seconds()
        require(late <= CLOCKS_APART_SECONDS, f"the table showed {step.street} {late:.0f} s before it was dealt")
    _check_told(record, table)
    if not table.streets:
        return ()
    told = "nor was a hand told to anybody before the last action"
    return (
        f"no street was dealt before the table had come to it, {told} (clocks {CLOCKS_APART_SECONDS} s apart at most)",
    )


def _check_told(record: DealerRecord, table: TableRecord) -> None:
    """Hands are compared or opened when nobody can act any more, and those alone that the table compared or showed.

    Nor does a hand end before: the dealer tells cards that are sealed to a seat as soon as it is over.
    """
    shown = {seat for seat, _ in table.shown}
    allowed = {REVEAL: shown | set(table.compared_seats), OPEN_CARDS: shown}
    compared = {seat for step in record.steps if step.step == REVEAL for seat in step.seats}
    unasked = sorted(set(table.compared_seats) - compared)
    what = f"the table compared the hands of seats {_listed(tuple(unasked))}, which the dealer never told it for that"
    require(table.voided or not unasked, what)
    for step in record.steps:
        seats = _listed(step.seats)
        if table.last_action_at is not None and step.step in {*allowed, CLOSE_HAND, VOID_HAND}:
            early = (table.last_action_at - step.at).total_seconds()
            happened = f"cards of seats {seats} were told" if step.seats else "the dealer ended the hand"
            what = f"{happened} {early:.0f} s before the last action: somebody may have seen cards"
            require(early <= CLOCKS_APART_SECONDS, what)
        if step.step not in allowed:
            continue
        what = f"the dealer told cards of seats {seats}, which the table never compared or showed"
        require(table.voided or set(step.seats) <= allowed[step.step], what)
        folded = _listed(tuple(seat for seat in step.seats if seat in table.folded_seats))
        require(not folded, f"the dealer told cards of seats {folded}, which had folded")


def check_end(record: DealerRecord, table: TableRecord) -> None:
    """A hand was voided for both or for neither: of a void one the table need not have shown what the dealer told."""
    closed = any(step.step == CLOSE_HAND for step in record.steps)
    require(not (table.voided and closed), "the table says that the hand was voided, the dealer that it was closed")
    require(table.voided or not record.void_reason, "the dealer says that the hand was voided, the table does not")


def told_before_void(record: DealerRecord, table: TableRecord) -> tuple[str, ...]:
    """Whose hands were told before the hand was voided, and never shown: somebody may have voided it for them."""
    shown = {seat for seat, _ in table.shown}
    told = {seat for step in record.steps if step.step in {REVEAL, OPEN_CARDS} for seat in step.seats}
    unseen = tuple(sorted(told - shown))
    return (f"why it was voided after the dealer told the cards of seats {_listed(unseen)}",) if unseen else ()


def _check_streets(dealt: list[RecordedStep], table: TableRecord) -> None:
    """A hand that was voided may end between the deal of a street and its event."""
    ahead = [str(step.street) for step in dealt[len(table.streets) :]]
    allowed = 1 if table.voided else 0
    what = f"the dealer dealt {', '.join(ahead)}, which the table never had: somebody may have seen its cards"
    require(len(ahead) <= allowed, what)
    missing = [str(seen.street) for seen in table.streets[len(dealt) :]]
    require(not missing, f"the table had {', '.join(missing)}, which the dealer never dealt")


def _burned(step: RecordedStep) -> int:
    """How many of the positions of a street were burned."""
    if step.source is not None and step.source.common:
        return len(step.positions) - 1
    rounds = ROUNDS_ON_THIRD if step.street is Street.THIRD else 1
    return len(step.positions) - rounds * len(step.seats)


def _listed(seats: tuple[int, ...]) -> str:
    return ", ".join(str(seat) for seat in seats)
