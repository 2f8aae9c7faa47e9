"""What somebody announces or proposes makes no list too large to be sent, and keeps no tournament from its start."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1.rules_pb2 import PrizeRow, RuleSet, TournamentRules
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_SCHEDULED, Announcement

from services.console.adapters.calls import connect
from services.console.adapters.ledger import Ledger as LedgerLine
from shared.kernel.caller import Role
from shared.rpc import paging
from shared.rpc.server import RESPONSE_BYTES_MAX
from tests.support.ledger_house import Ledger, announcement, fresh, ledger
from tests.support.tournament_suite import TournamentSuite
from tests.support.waiting import until

LARGE = 45
WEIGHT_MOST = 2**32 - 1
LISTED_AT_ONCE = 500


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def as_large_as_it_can_be() -> Announcement:
    """A table of prizes that almost fills the request."""
    few = PrizeRow(entrants_min=2, weights=[1])
    many = [PrizeRow(entrants_min=100 + row, weights=[WEIGHT_MOST] * 100) for row in range(99)]
    return announcement(RuleSet(tournament=TournamentRules(prize_rows=[few, *many])))


async def announce(ledger: TournamentLedgerServiceStub, terms: Announcement) -> str:
    request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=terms)
    return (await ledger.AnnounceTournament(request)).tournament.tournament_id


async def everything(
    ask: Callable[[Any], Awaitable[Any]], request: pb.ListTournamentsRequest | pb.ExportJournalRequest, items: str
) -> list[Any]:
    """All pages, as large as they may be."""
    found: list[Any] = []
    request.page_size = LISTED_AT_ONCE
    while True:
        page = await ask(request)
        assert page.ByteSize() < RESPONSE_BYTES_MAX / 2
        found += getattr(page, items)
        if not page.next_page_token:
            return found
        request.page_token = page.next_page_token


async def test_however_large_announcements_are_they_can_be_listed(house: Ledger) -> None:
    announced = [await announce(house.backend, as_large_as_it_can_be()) for _ in range(LARGE)]
    listed = await everything(house.auditor.ListTournaments, pb.ListTournamentsRequest(), "tournaments")
    assert sorted(each.tournament_id for each in listed) == sorted(announced)
    assert sum(each.ByteSize() for each in listed) > RESPONSE_BYTES_MAX, "or nothing is shown"


async def test_no_announcement_keeps_the_tournaments_of_others_from_their_start(suite: TournamentSuite) -> None:
    for _ in range(LARGE):
        await announce(suite.ledger, as_large_as_it_can_be())
    terms = announcement(start=START_KIND_SCHEDULED)
    terms.starts_at.FromDatetime(datetime.now(UTC) + timedelta(seconds=3))
    tournament_id = await announce(suite.ledger, terms)
    for player_id in ("ann", "bob"):
        await suite.register(tournament_id, player_id)
    await until(lambda: tournament_id in suite.orchestrator.tournaments.follow.in_play())


async def test_books_without_number_are_verified_by_an_answer_that_can_be_sent(
    house: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each tournament has a book and a unit; they are told as far as there is room, and the auditor lists the rest."""
    for first, second in (("ann", "bob"), ("cid", "dan"), ("eve", "fay")):
        await house.event([first, second])
    monkeypatch.setattr(paging, "BYTES_MAX", 100)
    verdict = await house.verify()
    assert verdict.sound
    assert (verdict.units_count, verdict.books_count) == (4, 4)
    assert 0 < len(verdict.sums) < 4
    assert 0 < len(verdict.heads) < 4
    async with connect(house.server.address, Role.AUDITOR, "console", 5) as line:
        check = await LedgerLine(line).verify()
    assert len({each.book for each in check.heads}) == len(check.heads) == 4
