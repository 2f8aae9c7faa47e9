"""The log of a table: what is read back is what was written, and makes the same table."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.stored_tables import new_event, recorded_event
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application.table_log import (
    BEGUN,
    SEAT_KEPT,
    CommandAnswer,
    FinishedHand,
    TableExists,
    TableRow,
    TableWrite,
    begun,
)
from services.orchestrator.domain import table_facts as fact
from services.orchestrator.domain.dealing import Script, ScriptedSeat
from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand_facts import (
    CardOpening,
    HandBooked,
    HandMucked,
    HandVoided,
    OpeningsPublished,
    SeatFrozen,
    SeatResult,
    TimeBankStarted,
    UncalledBetReturned,
)
from services.orchestrator.domain.table import bare, unbared
from services.orchestrator.domain.table_views import summarise
from services.orchestrator.domain.views import HandSummary
from services.orchestrator.domain.wagering import ActionCause, ActionKind
from shared.kernel.cards import FACE_DOWN, Card
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.storage.database import WriteConflict
from shared.storage.event_log import StoredEvent
from shared.storage.requests import REQUEST_LABEL, RequestKey
from shared.storage.sqlite import open_store
from tests.support.table_facts import (
    STAKES,
    START,
    acted,
    ended,
    opened,
    present,
    recorded,
    seconds,
    showdown,
    shown,
    started,
    to_the_river,
    turn,
)

SCRIPT = Script(seats=(ScriptedSeat(seat=1, cards=(Card(1), FACE_DOWN)),), common_card=Card(52))
WHOLE_HAND = recorded(
    (
        *opened(scripted_hands=(SCRIPT,)),
        *started(),
        *to_the_river()[:2],
        turn(1, 2),
        acted(1, 2, ActionKind.BRING_IN, paid=2, to=2, left=97),
        *to_the_river()[2:],
        showdown(deadline=START + seconds(5)),
        shown(1),
        HandMucked(seat=2),
        *ended(101, 99),
    )
)
OTHERS: list[Fact] = [
    fact.PlayerLeft(seat=1, player_id="ann", stack_chips=5, cause=fact.LeaveCause.MOVED),
    fact.ChipsAdded(seat=1, added_chips=-5, stack_chips=5),
    present(1, fact.Presence.TIMED_OUT, at_once=True),
    fact.AutoAnteChanged(seat=1, auto_ante=False),
    fact.TablePaused(cause="fire alarm", clocks_too=True, remaining_millis=4200, by_director=False),
    fact.TableResumed(after=fact.Halt.OUTAGE, deadline=START),
    fact.TableResumed(after=fact.Halt.STALL, deadline=None),
    fact.TableStalled(waiting_for="dealer"),
    fact.TableClosed(),
    fact.StakesChanged(stakes=STAKES, level=2, decision_seconds=15),
    fact.PlayerEliminated(seat=1, player_id="ann", place=7, prize_minor=250),
    fact.BreakStarted(until=START),
    TimeBankStarted(turn_id=1, seat=1, deadline=START, bank_seconds=30),
    SeatFrozen(seat=1, cause=ActionCause.CLOCK, turn_id=3, time_bank_used_seconds=0),
    UncalledBetReturned(seat=1, chips=3, stack_chips=8),
    HandVoided(
        hand_number=1, cause="lost", results=(SeatResult(seat=1, player_id="a", before_chips=1, after_chips=1),)
    ),
    HandBooked(hand_number=1),
    OpeningsPublished(openings=(CardOpening(position=3, card=Card(9), salt=b"s", path=(b"a", b"b"), seat=0),)),
]


def read_back(event: Recorded) -> Recorded:
    new = new_event(event)
    micros = int(event.at.timestamp() * 1_000_000)
    return recorded_event(event.table_id, StoredEvent("table/t", event.version, new.kind, new.payload, micros))


def test_a_hand_that_was_read_back_makes_the_same_table() -> None:
    again = tuple(read_back(event) for event in WHOLE_HAND)
    assert again == WHOLE_HAND
    assert fold(None, again) == fold(None, WHOLE_HAND)


@pytest.mark.parametrize("happened", OTHERS, ids=lambda happened: type(happened).__name__)
def test_every_other_fact_reads_back_as_it_was(happened: Fact) -> None:
    event = Recorded(table_id="t", version=9, at=START, hand_id="t.1", fact=happened)
    assert read_back(event) == event


# --- one write, all or nothing ------------------------------------------------------------------


@pytest.fixture
async def log(tmp_path: Path) -> AsyncIterator[StoredTableLog]:
    store = await open_store(str(tmp_path / "orchestrator.sqlite"), "orchestrator", migrations)
    yield StoredTableLog(store)
    await store.close()


KEY = RequestKey("TableService", "00000000-0000-4000-8000-000000000001", b"digest")
FULL = DomainError(Reason.TABLE_FULL, "all seats are taken", {"seats_max": "8"})


def write(length: int = len(WHOLE_HAND), after: int = 0, table_id: str = "t") -> TableWrite:
    """The events after a version up to another, as one step of the table."""
    table = fold(None, WHOLE_HAND[:length])
    return TableWrite(
        table_id=table_id,
        expected_version=after,
        at=START,
        row=TableRow(summary=replace(summarise(table), table_id=table_id), closed=False, due_at=START, betting=b"b"),
        events=WHOLE_HAND[after:length],
    )


async def test_a_table_is_loaded_as_it_was_written(log: StoredTableLog) -> None:
    await log.write(write(3))
    await log.write(write(after=3))
    saved = await log.load("t")
    assert saved is not None
    assert (saved.events, saved.betting, saved.purchases) == (WHOLE_HAND, b"b", ())
    assert await log.events("t", 3, 2) == WHOLE_HAND[3:5]


async def test_a_restart_reads_no_further_back_than_the_last_hand(log: StoredTableLog) -> None:
    kept = fold(None, WHOLE_HAND[:3])
    await log.write(write(3))
    begins = write(after=3)
    await log.write(replace(begins, row=replace(begins.row, kept=bare(kept))))
    saved = await log.load("t")
    assert saved is not None
    assert saved.events == WHOLE_HAND[3:]
    assert saved.kept is not None
    assert fold(unbared(saved.kept), saved.events) == fold(None, WHOLE_HAND)


async def test_a_step_that_expects_another_version_changes_nothing(log: StoredTableLog) -> None:
    await log.write(write(3))
    with pytest.raises(WriteConflict):
        await log.write(replace(write(5, after=4), answer=(KEY, CommandAnswer(version=5, table_id="t"))))
    assert await log.answer(KEY) is None
    assert await log.events("t", 3, 10) == ()


async def test_an_answer_that_changes_nothing_is_no_way_back_to_an_older_row(log: StoredTableLog) -> None:
    """Another process wrote meanwhile: what it left as the betting state of the hand in play stays."""
    await log.write(write(3))
    behind = write(3)
    await log.write(replace(write(5, after=3), row=replace(write(5).row, betting=b"newer")))
    with pytest.raises(WriteConflict):
        await log.write(
            replace(behind, expected_version=3, events=(), answer=(KEY, CommandAnswer(version=3, table_id="t")))
        )
    assert await log.answer(KEY) is None
    saved = await log.load("t")
    assert saved is not None
    assert saved.betting == b"newer"


async def test_a_new_table_does_not_take_the_place_of_another(log: StoredTableLog) -> None:
    await log.write(write(3))
    with pytest.raises(TableExists):
        await log.write(write(3))


async def test_an_answer_is_remembered_for_the_same_content_only(log: StoredTableLog) -> None:
    answer = CommandAnswer(version=3, table_id="t", seat=2, paid_chips=5, stack_chips=95)
    await log.write(replace(write(3), answer=(KEY, answer)))
    assert await log.answer(KEY) == answer
    with pytest.raises(DomainError) as refused:
        await log.answer(replace(KEY, digest=b"other"))
    assert refused.value.reason is Reason.REQUEST_ID_REUSED


async def test_a_purchase_stays_until_a_step_settles_it(log: StoredTableLog) -> None:
    await log.write(write(3))
    purchase = begun(KEY, "cid", 3, 100)
    await log.begin_purchase("t", 3, purchase)
    await log.begin_purchase("t", 3, purchase)
    saved = await log.load("t")
    assert saved is not None
    assert saved.purchases == (replace(purchase, table_version=3),)
    await log.write(replace(write(4, after=3), settled_purchase=KEY.request_id))
    saved = await log.load("t")
    assert saved is not None
    assert saved.purchases == ()


async def test_a_purchase_begins_at_the_table_as_it_is_and_once_an_id(log: StoredTableLog) -> None:
    await log.write(write(3))
    purchase = begun(KEY, "cid", 3, 100)
    with pytest.raises(WriteConflict):
        await log.begin_purchase("t", 2, purchase)
    await log.begin_purchase("t", 3, purchase)
    other = replace(purchase, key=replace(KEY, digest=b"other"), chips=200)
    with pytest.raises(DomainError) as refused:
        await log.begin_purchase("t", 3, other)
    assert refused.value.reason is Reason.REQUEST_ID_REUSED
    await log.drop_purchase("t", other, FULL, START)
    assert await log.purchases("t") == (replace(purchase, table_version=3),)


async def test_no_hand_begins_with_chips_of_a_purchase_that_is_not_settled(log: StoredTableLog) -> None:
    """They may be in its sheet, and would be added once more afterwards."""
    await log.write(write(3))
    await log.begin_purchase("t", 3, begun(KEY, "cid", 3, 100))
    with pytest.raises(WriteConflict):
        await log.write(replace(write(4, after=3), nobody_buys=("ann", "cid")))
    await log.write(replace(write(4, after=3), nobody_buys=("ann", "bob")))


async def test_a_refusal_is_told_again_in_the_same_words(log: StoredTableLog) -> None:
    await log.write(write(3))
    wrong = (FieldViolation("seat", "1 to 8"), FieldViolation("chips", "at least 1"))
    refusal = DomainError(Reason.REQUEST_INVALID, "seat: 1 to 8", {"field": "seat", "fields": "seat,chips"}, wrong)
    await log.refuse("t", 3, KEY, refusal, START)
    with pytest.raises(DomainError) as told:
        await log.answer(KEY)
    again = told.value
    assert (again.reason, again.message) == (refusal.reason, refusal.message)
    assert (again.metadata, again.violations) == (refusal.metadata, refusal.violations)


async def test_what_is_being_bought_is_not_refused_and_what_was_refused_is_not_bought(log: StoredTableLog) -> None:
    """Two processes may be asked for the same at once: one of them is first, and the other finds out."""
    await log.write(write(3))
    purchase, other = begun(KEY, "cid", 3, 100), replace(KEY, request_id="another id")
    await log.begin_purchase("t", 3, purchase)
    with pytest.raises(WriteConflict) as begun_before:
        await log.refuse("t", 3, KEY, FULL, START)
    assert begun_before.value.label == BEGUN
    assert await log.answer(KEY) is None
    with pytest.raises(WriteConflict):
        await log.refuse("t", 2, other, FULL, START)
    await log.refuse("t", 3, other, FULL, START)
    with pytest.raises(WriteConflict) as answered:
        await log.begin_purchase("t", 3, begun(other, "dot", 4, 100))
    assert answered.value.label == REQUEST_LABEL
    assert await log.purchases("t") == (replace(purchase, table_version=3),)


async def test_a_purchase_that_the_ledger_refused_stays_refused(log: StoredTableLog) -> None:
    await log.write(write(3))
    await log.begin_purchase("t", 3, begun(KEY, "cid", 3, 100))
    await log.drop_purchase("t", begun(KEY, "cid", 3, 100), FULL, START)
    with pytest.raises(DomainError) as told:
        await log.answer(KEY)
    assert told.value.reason is FULL.reason
    assert await log.purchases("t") == ()


async def test_a_purchase_is_settled_once_whoever_else_finishes_it(log: StoredTableLog) -> None:
    await log.write(write(3))
    await log.begin_purchase("t", 3, begun(KEY, "cid", 3, 100))
    await log.write(replace(write(4, after=3), settled_purchase=KEY.request_id))
    with pytest.raises(WriteConflict):
        await log.write(replace(write(5, after=4), settled_purchase=KEY.request_id))


async def test_the_closing_of_a_table_is_known_until_it_is_closed(log: StoredTableLog) -> None:
    await log.write(write(3))
    assert await log.closing("t") is None
    with pytest.raises(WriteConflict):
        await log.begin_closing("t", 2, KEY)
    await log.begin_closing("t", 3, KEY)
    other = replace(KEY, request_id="another id")
    await log.begin_closing("t", 3, other)
    assert await log.closing("t") == other
    closing = write(4, after=3)
    events = tuple(replace(each, fact=fact.TableClosed()) for each in closing.events)
    await log.write(replace(closing, events=events))
    assert await log.closing("t") is None


async def test_a_seat_is_kept_for_one_player_though_two_processes_are_asked_at_once(log: StoredTableLog) -> None:
    await log.write(write(3))
    await log.begin_purchase("t", 3, begun(KEY, "cid", 3, 100))
    other = replace(KEY, request_id="another id")
    with pytest.raises(WriteConflict) as kept:
        await log.begin_purchase("t", 3, begun(other, "dot", 3, 100))
    assert kept.value.label == SEAT_KEPT
    await log.begin_purchase("t", 3, begun(other, "dot", 4, 100))
    assert {each.seat for each in await log.purchases("t")} == {3, 4}


async def test_no_table_is_closed_while_money_is_on_its_way_to_it(log: StoredTableLog) -> None:
    await log.write(write(3))
    purchase = begun(KEY, "cid", 3, 100)
    await log.begin_purchase("t", 3, purchase)
    closing = write(4, after=3)
    closing = replace(closing, events=tuple(replace(each, fact=fact.TableClosed()) for each in closing.events))
    with pytest.raises(WriteConflict):
        await log.write(closing)
    await log.drop_purchase("t", purchase, FULL, START)
    await log.write(closing)


async def test_the_most_urgent_tables_are_woken_first_and_closed_ones_not_at_all(log: StoredTableLog) -> None:
    rows = {"idle": None, "soon": START + seconds(9), "now": START, "gone": START}
    for table_id, due_at in rows.items():
        step = write(3, table_id=table_id)
        await log.write(replace(step, row=replace(step.row, due_at=due_at, closed=table_id == "gone")))
    assert await log.open_tables() == ("now", "soon", "idle")


async def test_finished_hands_are_listed_newest_first_and_found_by_id(log: StoredTableLog) -> None:
    await log.write(write(3))
    lines = [
        HandSummary(hand_id=f"t.{number}", hand_number=number, first_version=4, last_version=9, voided=False)
        for number in (1, 2, 3)
    ]
    for line in lines:
        await log.write(replace(write(3, after=3), hand=FinishedHand(table_id="t", summary=line)))
    assert await log.hands("t", 0, 2) == (lines[2], lines[1])
    assert await log.hands("t", 2, 2) == (lines[0],)
    grown = replace(lines[0], last_version=12)
    await log.write(replace(write(3, after=3), hand=FinishedHand(table_id="t", summary=grown)))
    found = await log.hand("t.1")
    assert found is not None
    assert found.summary == grown
