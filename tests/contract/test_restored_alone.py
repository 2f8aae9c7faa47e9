"""Restored alone: whichever of the three services has an older database than the others is named before anybody plays.

Also where no table is open any more: wallets, tables that were closed, tournaments that are over.
"""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.histories import RemoteHistories
from services.orchestrator.adapters.stored_marks import StoredMarks
from services.orchestrator.adapters.system_clock import SystemClock
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application.apart import HistoriesApart
from services.orchestrator.application.histories import compare_all
from services.orchestrator.application.ledger_marks import keep_marks, keep_new
from shared.storage.sqlite import open_store
from tests.support.dealer_calls import dealer
from tests.support.ledger_house import OPERATOR, SERVICE, euro, fresh, ledger
from tests.support.servers import calling
from tests.support.table_suite import card_room, open_table
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

DATABASES = ("dealer", "ledger", "orchestrator")
PATIENCE_SECONDS = 60.0
EARLY, PAID, PLAYED, SAT, LEFT, BACK, PASSED = "early", "paid", "played", "sat", "left", "back", "passed"


def copy(source: Path, target: Path, names: tuple[str, ...] = DATABASES) -> None:
    """Backups of these databases, as of one moment."""
    target.mkdir(exist_ok=True)
    for name in names:
        (target / f"{name}.sqlite").unlink(missing_ok=True)
        with sqlite3.connect(source / f"{name}.sqlite") as one, sqlite3.connect(target / f"{name}.sqlite") as other:
            one.backup(other)
        one.close()
        other.close()


class House(TournamentSuite):
    """The suite, and what has happened at it."""

    async def seen(self, folder: Path) -> None:
        """The orchestrator looks at the heads of the ledger's books, as it does every few seconds."""
        await self.stop_orchestrator()
        async with _log_and_marks(folder) as (_, marks), _others(self.dealer_address, self.ledger_address) as others:
            await keep_new({}, marks, others)
        await self.start_orchestrator()

    async def evening(self, *players: str) -> None:
        """A table is opened, a hand is played, the table is closed."""
        async with calling(self.address, OPERATOR) as channel:
            self.house = TableServiceStub(channel)
            table = await open_table(self, card_room(), hands_max=1)
            await table.sit(*players)
            await table.resume()
            turn = await table.turn()
            await table.act(turn.seat, "bring_in")
            while not (await self.tables.ListHands(pb.ListHandsRequest(table_id=table.table_id))).hands:
                view = await table.view()
                if view.HasField("turn"):
                    await table.act(view.turn.seat, "fold")
            await table.hand(1)
            await self.house.PauseTable(pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id))
            await self.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id))

    async def tournament(self) -> None:
        """Four players at two tables, to the end."""
        players = ["dan", "eve", "fay", "gus"]
        rules = quick(option.FORMULA_MULTI_TABLE)
        tournament_id = await self.announce(rules, players, seats_per_table=2, entrants_max=4)
        await self.start(tournament_id)
        await self.play(tournament_id, seconds=240.0)

    async def called_off(self) -> None:
        """A tournament is called off in the middle of a hand, which is played to its end and counts for nothing."""
        tournament_id = await self.announce(quick(), ["dan", "eve"])
        (table_id,) = (await self.start(tournament_id)).table_ids
        async with asyncio.timeout(PATIENCE_SECONDS):
            looking = pb.GetTableRequest(table_id=table_id)
            while not (await self.tables.GetTable(looking)).table.HasField("turn"):  # noqa: ASYNC110  # as a client looks
                await asyncio.sleep(0.02)
        request = ledger_pb.CancelTournamentRequest(request_id=fresh(), tournament_id=tournament_id, cause="rain")
        async with calling(self.ledger_address, OPERATOR) as channel:
            await TournamentLedgerServiceStub(channel).CancelTournament(request)
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self.act_at(table_id)

    async def deposit(self, player_id: str) -> None:
        """Money comes into a wallet, and nothing else happens."""
        request = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(77))
        await self.ledger.Deposit(request)


async def _seven_moments(root: Path) -> None:
    live = root / "live"
    live.mkdir()
    async with House(live) as house:
        await house.evening("ann", "bob")
        await house.tournament()
        await house.seen(live)
        copy(live, root / EARLY)
        await house.deposit("ann")
        await house.seen(live)
        copy(live, root / PAID)
        await house.evening("cid", "hal")
        await house.seen(live)
        copy(live, root / PLAYED)
        async with calling(house.address, OPERATOR) as channel:
            house.house = TableServiceStub(channel)
            table = await open_table(house, card_room())
            await table.sit("ivy", "jon")
            copy(live, root / SAT)
            await house.tables.Leave(pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id="ivy"))
            await table.sit("kim")
            copy(live, root / LEFT)
            await house.tables.Leave(pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id="jon"))
            again = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="jon", buy_in_chips=100)
            await house.tables.Sit(again)
            copy(live, root / BACK)
            await table.sit("leo")
            await house.tables.Leave(pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id="leo"))
            copy(live, root / PASSED)


@pytest.fixture(scope="module")
def backups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Backups of seven moments: after a table and a tournament, after a deposit, after one more table, and at a table
    without a hand: before somebody left it and another one sat down, after it, when somebody has gone and come again,
    and when one more has come and gone."""
    root = tmp_path_factory.mktemp("restored")
    asyncio.run(_seven_moments(root))
    return root


@asynccontextmanager
async def _log_and_marks(folder: Path) -> AsyncGenerator[tuple[StoredTableLog, StoredMarks]]:
    store = await open_store(str(folder / "orchestrator.sqlite"), "orchestrator", migrations)
    try:
        yield StoredTableLog(store), StoredMarks(store)
    finally:
        await store.close()


@asynccontextmanager
async def _others(dealer_address: str, ledger_address: str) -> AsyncGenerator[RemoteHistories]:
    async with calling(dealer_address, SERVICE) as dealers, calling(ledger_address, SERVICE) as ledgers:
        yield RemoteHistories(dealers, ledgers)


async def said_at_start(folder: Path) -> str:
    """What an orchestrator over these three databases says; nothing where all is well."""
    async with AsyncExitStack() as stack:
        opened = stack.enter_async_context
        dealing = await opened(dealer(folder))
        booking = await opened(ledger(folder))
        log, marks = await opened(_log_and_marks(folder))
        others = await opened(_others(dealing.address, booking.server.address))
        try:
            await compare_all(log, marks, others)
        except HistoriesApart as fault:
            return str(fault)
        return ""


def restored(backups: Path, folder: Path, newest: str, older: str, moment: str) -> None:
    """All three as of one moment, one of them as of an earlier one."""
    copy(backups / newest, folder)
    copy(backups / moment, folder, (older,))


@pytest.mark.parametrize("moment", [EARLY, PAID, PLAYED, SAT, LEFT, BACK, PASSED])
async def test_three_backups_of_one_moment_go_on(moment: str, backups: Path, tmp_path: Path) -> None:
    copy(backups / moment, tmp_path)
    assert await said_at_start(tmp_path) == ""


@pytest.mark.parametrize(
    ("older", "said"),
    [
        ("dealer", "the dealer is older"),
        ("ledger", "the ledger is older"),
        ("orchestrator", "the orchestrator is older"),
    ],
)
async def test_whoever_lacks_a_table_that_was_opened_and_closed_is_named(
    older: str, said: str, backups: Path, tmp_path: Path
) -> None:
    restored(backups, tmp_path, PLAYED, older, EARLY)
    found = await said_at_start(tmp_path)
    assert said in found
    assert "restore orchestrator, ledger and dealer from backups of one time" in found


async def test_a_ledger_that_lacks_nothing_but_a_deposit_is_named(backups: Path, tmp_path: Path) -> None:
    restored(backups, tmp_path, PAID, "ledger", EARLY)
    assert "the ledger is older: its book wallets ends at entry" in await said_at_start(tmp_path)


@pytest.mark.parametrize(
    ("older", "said"),
    [
        ("ledger", "the orchestrator or the ledger is older: table"),
        ("orchestrator", "the orchestrator is older: chips were bought at table"),
    ],
)
async def test_whoever_has_other_players_at_a_table_is_named_though_no_hand_was_played(
    older: str, said: str, backups: Path, tmp_path: Path
) -> None:
    restored(backups, tmp_path, LEFT, older, SAT)
    assert said in await said_at_start(tmp_path)


@pytest.mark.parametrize(("newest", "older"), [(BACK, LEFT), (PASSED, BACK), (PASSED, LEFT)])
async def test_an_orchestrator_that_lacks_who_left_and_came_again_is_named_though_the_same_players_sit_there(
    newest: str, older: str, backups: Path, tmp_path: Path
) -> None:
    """It would have asked for the cash-out of the first time once more, and chips of the second been left behind."""
    restored(backups, tmp_path, newest, "orchestrator", older)
    assert "the orchestrator is older: chips were bought at table" in await said_at_start(tmp_path)


async def test_a_ledger_that_was_restored_and_gone_on_with_is_another_one(backups: Path, tmp_path: Path) -> None:
    restored(backups, tmp_path, PAID, "ledger", EARLY)
    async with ledger(tmp_path) as gone_on:
        for _ in range(3):
            await gone_on.deposit("bob", 5)
    found = await said_at_start(tmp_path)
    assert "the ledger is another one: entry" in found
    assert "of its book wallets is not as seen" in found


async def test_what_the_ledger_did_while_nobody_looked_is_no_difference(backups: Path, tmp_path: Path) -> None:
    restored(backups, tmp_path, EARLY, "ledger", PAID)
    assert await said_at_start(tmp_path) == ""


async def test_the_hand_that_was_played_while_its_tournament_was_called_off_is_no_difference(tmp_path: Path) -> None:
    """No ledger books it: an orchestrator that took that for a ledger restored alone could never be started again."""
    async with House(tmp_path) as house:
        await house.called_off()
    assert await said_at_start(tmp_path) == ""


async def test_marks_are_kept_while_the_orchestrator_runs_and_once_more_at_its_end(
    backups: Path, tmp_path: Path
) -> None:
    copy(backups / EARLY, tmp_path)
    async with AsyncExitStack() as stack:
        booking = await stack.enter_async_context(ledger(tmp_path))
        _, marks = await stack.enter_async_context(_log_and_marks(tmp_path))
        others = await stack.enter_async_context(_others(booking.server.address, booking.server.address))
        before = {each.book: each for each in await marks.all()}
        looking = asyncio.create_task(keep_marks(marks, others, SystemClock()))
        await asyncio.sleep(0)
        await booking.deposit("ann", 5)
        looking.cancel()
        await asyncio.gather(looking, return_exceptions=True)
        after = {each.book: each for each in await marks.all()}
    assert after["wallets"].number == before["wallets"].number + 1


@pytest.mark.parametrize(
    ("deposits", "said"),
    [(0, "the ledger is older"), (1, "the ledger is another one"), (3, "the ledger is another one")],
)
async def test_a_ledger_that_goes_back_while_the_orchestrator_runs_is_named_and_its_marks_stay(
    deposits: int, said: str, backups: Path, tmp_path: Path
) -> None:
    """Its new entries would cover those that are lost, and the next start would find nothing."""
    restored(backups, tmp_path, PAID, "ledger", EARLY)
    async with AsyncExitStack() as stack:
        booking = await stack.enter_async_context(ledger(tmp_path))
        _, marks = await stack.enter_async_context(_log_and_marks(tmp_path))
        others = await stack.enter_async_context(_others(booking.server.address, booking.server.address))
        for _ in range(deposits):
            await booking.deposit("bob", 5)
        before = await marks.all()
        with pytest.raises(HistoriesApart, match=said):
            await keep_marks(marks, others, SystemClock())
        assert await marks.all() == before
