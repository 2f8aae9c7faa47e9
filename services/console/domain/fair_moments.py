"""When each street was dealt: not before its time, and none that the table never had.

The dealer cannot know whether a betting round is over; an orchestrator that was bought could ask for a street too soon,
to see its cards. Street and time are in the dealer's record, so that here it shows.
"""

from datetime import timedelta

from services.console.domain.fair_record import DealerRecord, RecordedStep, TableRecord, require

DEAL_STREET = "deal_street"
CLOCKS_APART_SECONDS = 5
"""So far the clocks of dealer and table may be apart, who may run on two machines."""


def check_moments(record: DealerRecord, table: TableRecord) -> tuple[str, ...]:
    """What is proved of the moments of the deal; Mismatch names a street that was dealt too soon, or for nobody."""
    dealt = [step for step in record.steps if step.step == DEAL_STREET]
    _check_streets(dealt, table)
    apart = timedelta(seconds=CLOCKS_APART_SECONDS)
    for step, seen in zip(dealt, table.streets, strict=False):
        early = (seen.before - step.at).total_seconds()
        what = (
            f"{step.street} was dealt {early:.0f} s before the table had come to it: somebody may have seen its cards"
        )
        require(step.at + apart >= seen.before, what)
        late = (step.at - seen.at).total_seconds()
        require(step.at <= seen.at + apart, f"the table showed {step.street} {late:.0f} s before it was dealt")
    if not table.streets:
        return ()
    return (f"no street was dealt before the table had come to it (clocks {CLOCKS_APART_SECONDS} s apart at most)",)


def _check_streets(dealt: list[RecordedStep], table: TableRecord) -> None:
    """A hand that was voided may end between the deal of a street and its event."""
    ahead = [str(step.street) for step in dealt[len(table.streets) :]]
    allowed = 1 if table.voided else 0
    what = f"the dealer dealt {', '.join(ahead)}, which the table never had: somebody may have seen its cards"
    require(len(ahead) <= allowed, what)
    missing = [str(seen.street) for seen in table.streets[len(dealt) :]]
    require(not missing, f"the table had {', '.join(missing)}, which the dealer never dealt")
