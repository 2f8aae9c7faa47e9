"""The auditor's walk: whatever is changed behind the ledger's back is found; the export alone proves every balance."""

import asyncio
import hashlib
import os
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.account_pb2 import BookHead, EntryKind, JournalEntry
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.tournament_ledger.adapters.statements import booking_statements
from services.tournament_ledger.application.sealing import sealed
from services.tournament_ledger.domain.accounts import Account, AccountKind, outside, wallet
from services.tournament_ledger.domain.facts import MoneyDeposited
from services.tournament_ledger.domain.journal import EntryKind as Kind
from services.tournament_ledger.domain.journal import Head, moment
from services.tournament_ledger.domain.posting import Posting
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.ports import Booking
from shared.kernel.errors import Reason
from shared.storage.database import ConstraintViolated, Statement, WriteConflict
from tests.support.ledger_house import BACKEND, Ledger, euro, fresh, ledger, refused
from tests.support.servers import calling, running

PLAYERS = ("ann", "bob", "cid")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running_ledger:
        yield running_ledger


async def played(house: Ledger) -> str:
    """A finished tournament: about twenty entries in two books."""
    event = await house.event(PLAYERS)
    await house.hand(event, {"ann": 3000, "cid": -3000})
    await house.hand(event, {"ann": 3000, "bob": -3000})
    return event


# --- tampering ------------------------------------------------------------------------------

TAMPERING = [
    "UPDATE ledger_journal SET kind = 'WITHDRAWN' WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_journal SET subject = subject || 'x' WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_journal SET at_micros = at_micros + 1 WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_journal SET request_id = 'x' WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_journal SET previous_hash = hash WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_journal SET hash = previous_hash WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_journal SET number = 99 WHERE book = 'wallets' AND number = 3",
    "UPDATE ledger_journal SET book = 'other' WHERE book = 'wallets' AND number = 3",
    "UPDATE ledger_postings SET amount = amount + 1 WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_postings SET from_account_id = 'wallet/bob/EUR' WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_postings SET to_account_id = 'wallet/bob/EUR' WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_postings SET unit = 'USD' WHERE book = 'wallets' AND number = 2",
    "UPDATE ledger_postings SET number = 1 WHERE book = 'wallets' AND number = 2",
    "DELETE FROM ledger_postings WHERE book = 'wallets' AND number = 2",
    "DELETE FROM ledger_journal WHERE book = 'wallets' AND number = 3",
    "DELETE FROM ledger_journal WHERE book = 'wallets' AND number = 6",
    "UPDATE ledger_books SET number = number - 1 WHERE book = 'wallets'",
    "UPDATE ledger_books SET hash = zeroblob(32) WHERE book = 'wallets'",
    "UPDATE ledger_accounts SET balance = balance + 1 WHERE account_id = 'wallet/ann/EUR'",
]


@pytest.mark.parametrize("sql", TAMPERING)
async def test_what_is_changed_behind_the_ledgers_back_is_found(house: Ledger, tmp_path: Path, sql: str) -> None:
    await played(house)
    await house.sound()
    changed = tamper(tmp_path, sql)
    assert changed, "the test itself must change something"
    verdict = await house.verify()
    assert not verdict.sound
    assert verdict.faults or any(each.sum for each in verdict.sums)


def tamper(folder: Path, *statements: str) -> int:
    """Change rows as an intruder with the file would; says how many."""
    with sqlite3.connect(folder / "ledger.sqlite", timeout=5) as intruder:
        return sum(intruder.execute(sql).rowcount for sql in statements)


HOLDS_CHANGED = [
    "UPDATE ledger_holds SET state = 'OPEN' WHERE hold_id = '{posted}'",
    "UPDATE ledger_holds SET state = 'OPEN', amount_minor = 60 WHERE hold_id = '{posted}'",
    "UPDATE ledger_holds SET state = 'OPEN', player_id = 'bob' WHERE hold_id = '{posted}'",
    "UPDATE ledger_holds SET state = 'OPEN', hold_id = 'new' WHERE hold_id = '{posted}'",
    "UPDATE ledger_holds SET amount_minor = 60 WHERE hold_id = '{open}'",
    "UPDATE ledger_holds SET player_id = 'bob' WHERE hold_id = '{open}'",
]


@pytest.mark.parametrize("sql", HOLDS_CHANGED)
async def test_money_that_a_changed_hold_moves_is_found(house: Ledger, tmp_path: Path, sql: str) -> None:
    """Which holds are open stands beside the journal; what the ledger books from a row that was changed shows in it."""
    ids: list[str] = []
    for player_id in ("ann", "bob"):
        await house.player(player_id, 1000)
        for amount in (100, 100):
            place = pb.PlaceHoldRequest(request_id=fresh(), player_id=player_id, amount=euro(amount))
            place.lasts.FromSeconds(600)
            ids.append((await house.backend.PlaceHold(place)).hold_id)
    posted, still_open = ids[:2]
    await house.backend.PostHold(pb.PostHoldRequest(request_id=fresh(), hold_id=posted))
    await house.sound()
    assert tamper(tmp_path, sql.format(posted=posted, open=still_open)) == 1
    used = "new" if "'new'" in sql else (posted if posted in sql.format(posted=posted, open="") else still_open)
    await house.backend.VoidHold(pb.VoidHoldRequest(request_id=fresh(), hold_id=used))
    verdict = await house.verify()
    assert not verdict.sound
    assert any("resolves hold" in each.fault for each in verdict.faults)


async def test_swapped_entries_are_found(house: Ledger, tmp_path: Path) -> None:
    await played(house)
    move = "UPDATE ledger_journal SET number = {new} WHERE book = 'wallets' AND number = {old}"
    steps = ((2, 999), (4, 2), (999, 4))
    tamper(tmp_path, *(move.format(old=old, new=new) for old, new in steps))
    assert not (await house.verify("wallets")).sound


async def test_a_cut_tail_with_its_head_is_found_by_the_head_kept_outside(house: Ledger, tmp_path: Path) -> None:
    await played(house)
    anchors = (await house.sound()).heads
    await house.player("dan")
    tamper(
        tmp_path,
        "DELETE FROM ledger_journal WHERE book = 'wallets' AND number = 7",
        "UPDATE ledger_books SET number = 6, hash = "
        "(SELECT hash FROM ledger_journal WHERE book = 'wallets' AND number = 6) WHERE book = 'wallets'",
    )
    assert (await house.verify("wallets")).sound, "nothing inside tells of what was cut off whole"
    later = [BookHead(book="wallets", number=7, hash=b"x" * 32)]
    request = pb.VerifyJournalRequest(book="wallets", anchors=later)
    assert [each.fault for each in (await house.auditor.VerifyJournal(request)).faults] == [
        "the entry of an anchor is missing"
    ]
    good = pb.VerifyJournalRequest(anchors=anchors)
    assert (await house.auditor.VerifyJournal(good)).sound
    lost = pb.VerifyJournalRequest(anchors=[BookHead(book="tournament:gone", number=1, hash=b"x" * 32)])
    assert not (await house.auditor.VerifyJournal(lost)).sound


async def test_two_journals_shown_to_two_auditors_are_found_by_the_heads_that_both_kept(house: Ledger) -> None:
    await played(house)
    here = next(each for each in (await house.sound()).heads if each.book == "wallets")
    other = BookHead(book="wallets", number=here.number, hash=b"x" * 32)
    for kept in ([here, other], [other, here], [other, other]):
        for book in ("", "wallets"):
            verdict = await house.auditor.VerifyJournal(pb.VerifyJournalRequest(book=book, anchors=kept))
            assert [each.fault for each in verdict.faults] == ["has another hash than the anchor kept outside"]
    assert (await house.auditor.VerifyJournal(pb.VerifyJournalRequest(anchors=[here, here]))).sound


async def test_a_head_of_a_book_that_is_not_checked_is_refused_and_not_passed_over(house: Ledger) -> None:
    await played(house)
    request = pb.VerifyJournalRequest(book="wallets", anchors=[BookHead(book="other", number=1, hash=b"x" * 32)])
    await refused(house.auditor.VerifyJournal(request), Reason.REQUEST_INVALID)


# --- the database is the last line ----------------------------------------------------------


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE ledger_accounts SET balance = -1 WHERE account_id = 'wallet/ann/EUR'",
        "UPDATE ledger_postings SET amount = 0 WHERE number = 2",
        "INSERT INTO ledger_postings VALUES ('wallets', 1, 0, 'wallet/ann/EUR', 'wallet/bob/EUR', 5, 'USD')",
        "INSERT INTO ledger_postings VALUES ('wallets', 1, 0, 'wallet/ann/EUR', 'wallet/ann/EUR', 5, 'EUR')",
        "INSERT INTO ledger_postings VALUES ('wallets', 77, 0, 'wallet/ann/EUR', 'wallet/bob/EUR', 5, 'EUR')",
    ],
)
async def test_the_database_itself_refuses_what_the_ledger_never_writes(house: Ledger, sql: str) -> None:
    await house.player("ann", 100)
    await house.player("bob", 100)
    with pytest.raises(ConstraintViolated):
        await house.store.write([Statement(sql)])
    await house.sound()


async def test_a_write_that_fails_anywhere_leaves_nothing_behind(house: Ledger) -> None:
    await house.player("ann", 100)
    head = (await house.verify("wallets")).heads[0]
    at = moment(2_000_000_000_000_000)
    posting = Posting(outside("EUR"), wallet("ann", "EUR"), 5)
    drafts = (Draft(Kind.DEPOSITED, (MoneyDeposited("ann", ""),), (posting,)),)
    before = Head(head.book, head.number, head.hash, moment(0))
    stranger = Account("wallet/zoe/EUR", AccountKind.PLAYER_WALLET, "EUR", "zoe")
    booking = Booking(
        head=before,
        entries=sealed(before, at, fresh(), drafts),
        drafts=drafts,
        remembered=(),
        changes=(),
        at=at,
        accounts=(stranger,),
    )
    statements = list(booking_statements(booking))
    broken = Statement("UPDATE ledger_books SET number = number WHERE book = 'none'", rows=1)
    for count in range(1, len(statements) + 1):
        with pytest.raises(WriteConflict):
            await house.store.write([*statements[:count], broken])
    assert await house.wallet("ann") == 100
    await refused(house.wallet("zoe"), Reason.NOT_FOUND)
    await house.sound()


# --- export ---------------------------------------------------------------------------------


async def exported(house: Ledger) -> list[JournalEntry]:
    """Every entry of every book, through the contract alone."""
    books = await house.auditor.ListBooks(pb.ListBooksRequest(page_size=1))
    names = [each.book for each in books.heads]
    while books.next_page_token:
        books = await house.auditor.ListBooks(pb.ListBooksRequest(page_size=1, page_token=books.next_page_token))
        names += [each.book for each in books.heads]
    entries: list[JournalEntry] = []
    for name in names:
        request = pb.ExportJournalRequest(book=name, page_size=3)
        while True:
            page = await house.auditor.ExportJournal(request)
            entries += page.entries
            if not page.next_page_token:
                break
            request.page_token = page.next_page_token
    return entries


def independent_hash(entry: JournalEntry) -> bytes:
    """Written from the contract's comment alone."""
    at = entry.at.seconds * 1_000_000 + entry.at.nanos // 1000
    kind = EntryKind.Name(entry.kind).removeprefix("ENTRY_KIND_")
    parts: list[Any] = [entry.book, entry.number, kind, entry.subject, len(entry.postings)]
    for each in entry.postings:
        parts += [each.from_account_id, each.to_account_id, each.amount, each.unit]
    parts += [at, entry.request_id, entry.previous_hash]
    written = [part if isinstance(part, bytes) else str(part).encode() for part in parts]
    return hashlib.sha256(b"".join(len(part).to_bytes(8, "big") + part for part in written)).digest()


async def test_from_the_export_alone_every_balance_place_and_prize_is_found_again(house: Ledger) -> None:
    event = await played(house)
    balances: dict[str, int] = {}
    places: dict[str, int] = {}
    previous: dict[str, bytes] = {}
    for entry in await exported(house):
        assert entry.previous_hash == previous.get(entry.book, bytes(32))
        assert entry.hash == independent_hash(entry)
        previous[entry.book] = entry.hash
        for each in entry.postings:
            balances[each.from_account_id] = balances.get(each.from_account_id, 0) - each.amount
            balances[each.to_account_id] = balances.get(each.to_account_id, 0) + each.amount
        if entry.kind == EntryKind.ENTRY_KIND_PLAYER_PLACED:
            line = dict(each.split("=", 1) for each in entry.subject.split("\n"))
            places[line["player_id"]] = int(line["place"])
    assert sum(balances.values()) == 0
    for player_id in PLAYERS:
        assert balances[f"wallet/{player_id}/EUR"] == await house.wallet(player_id)
    assert balances[f"tournament/{event}/house"] == 600
    assert balances[f"tournament/{event}/prize_fund"] == 0
    assert balances[f"tournament/{event}/chips/ann"] == 9000
    assert places == {"ann": 1, "bob": 2, "cid": 3}


# --- a crash --------------------------------------------------------------------------------


@pytest.mark.process
async def test_a_ledger_killed_at_work_has_lost_nothing_that_it_answered_and_doubles_nothing(tmp_path: Path) -> None:
    settings = {"DATABASE": str(tmp_path / "ledger.sqlite")}
    answered: dict[str, int] = {}
    unknown: set[str] = set()
    for life in range(3):
        async with (
            running("tournament_ledger", tmp_path, settings) as process,
            calling(process.address, BACKEND) as channel,
        ):
            stub = TournamentLedgerServiceStub(channel)
            await open_wallet(stub)
            for request_id, balance in answered.items():
                assert await deposited(stub, request_id) == balance, "the first answer again, after the crash"
            for request_id in sorted(unknown):
                answered[request_id] = await deposited(stub, request_id)
            unknown.clear()
            ask = pb.GetBalanceRequest(player_id="ann", currency="EUR")
            assert (await stub.GetBalance(ask)).balance.available.amount_minor == len(answered)
            work = [asyncio.create_task(keep_depositing(stub, answered, unknown)) for _ in range(4)]
            await asyncio.sleep(0.2 + 0.05 * life)
            process.kill()
            await asyncio.gather(*work)
    assert sorted(answered.values()) == list(range(1, len(answered) + 1))
    assert len(answered) > 20


async def keep_depositing(stub: TournamentLedgerServiceStub, answered: dict[str, int], unknown: set[str]) -> None:
    """Until the ledger is gone; what was sent last has an unknown outcome."""
    while True:
        request_id = fresh()
        unknown.add(request_id)
        try:
            answered[request_id] = await deposited(stub, request_id, seconds=1)
        except grpc.aio.AioRpcError:
            return
        unknown.discard(request_id)


async def open_wallet(stub: TournamentLedgerServiceStub) -> None:
    await stub.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id="ann", currency="EUR"))


async def deposited(stub: TournamentLedgerServiceStub, request_id: str, seconds: float = 5) -> int:
    request = pb.DepositRequest(request_id=request_id, player_id="ann", amount=euro(1))
    return (await stub.Deposit(request, timeout=seconds)).balance.available.amount_minor


@pytest.mark.process
async def test_a_second_ledger_on_the_same_file_refuses_to_start_and_the_first_stops_cleanly(tmp_path: Path) -> None:
    settings = {"DATABASE": str(tmp_path / "ledger.sqlite")}
    async with running("tournament_ledger", tmp_path, settings) as process:
        with pytest.raises(AssertionError, match=f"in use by another process \\(pid {process.process.pid}\\)"):
            async with running("tournament_ledger", tmp_path, settings):
                pass
        assert process.process.pid != os.getpid()
        assert process.stop() == 0
    async with calling(process.address, BACKEND) as channel:
        ask = pb.GetBalanceRequest(player_id="ann", currency="EUR")
        with pytest.raises(grpc.aio.AioRpcError):
            await TournamentLedgerServiceStub(channel).GetBalance(ask, timeout=1)
