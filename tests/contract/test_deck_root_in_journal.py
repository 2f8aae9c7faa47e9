"""The root of every deck stands in two places that do not trust each other: the log of the table and the journal."""

from pathlib import Path

import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.errors import Reason
from tests.contract.test_verify_command import played_hand
from tests.support.ledger_house import AUDITOR, ledger, refused
from tests.support.servers import calling
from tests.support.table_suite import TableSuite

ROOT, OTHER = bytes(range(32)), bytes(32)


async def roots_in(journal: TournamentLedgerServiceStub) -> list[str]:
    """The roots that the journal has, in hexadecimal."""
    books = [head.book for head in (await journal.ListBooks(pb.ListBooksRequest(page_size=500))).heads]
    pages = [await journal.ExportJournal(pb.ExportJournalRequest(book=book, page_size=500)) for book in books]
    lines = [line for page in pages for entry in page.entries for line in entry.subject.split("\n")]
    return [line.removeprefix("deck_root=") for line in lines if line.startswith("deck_root=")]


async def test_the_root_of_a_played_deck_is_in_the_first_event_of_its_hand_and_in_the_journal(tmp_path: Path) -> None:
    async with TableSuite(tmp_path) as suite, calling(suite.ledger_address, AUDITOR) as channel:
        hand_id = await played_hand(suite)
        events = (await suite.tables.GetHand(table_pb.GetHandRequest(hand_id=hand_id))).events
        first = next(event for event in events if event.hand_id == hand_id)
        assert first.hand_started.deck_root
        assert first.hand_started.deck_root.hex() in await roots_in(TournamentLedgerServiceStub(channel))


async def test_what_the_journal_has_is_what_was_told_first(tmp_path: Path) -> None:
    async with ledger(tmp_path) as house:
        event = await house.event(("ann", "bob", "cid"))
        sheet = await house.sheet(event, 1)
        told = await house.record(event, 1, sheet, {"ann": 5, "bob": -5}, deck_root=ROOT)
        assert await house.record(event, 1, sheet, {"ann": 5, "bob": -5}, deck_root=OTHER) == told
        await house.record(event, 2, await house.sheet(event, 2), {})
        assert await roots_in(house.auditor) == [ROOT.hex()]
        await house.sound()


@pytest.mark.parametrize("length", [33, 64])
async def test_what_is_no_root_is_refused(tmp_path: Path, length: int) -> None:
    async with ledger(tmp_path) as house:
        event = await house.event(("ann", "bob", "cid"))
        sheet = await house.sheet(event, 1)
        await refused(house.record(event, 1, sheet, {}, deck_root=bytes(length)), Reason.REQUEST_INVALID)
