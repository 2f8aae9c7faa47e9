"""A pause opens the way to a deal, whatever answer of the ledger was lost before it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1 import tournament_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.domain.booking import LedgerSheet
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.support.ledger_house import fresh
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

PATIENCE_SECONDS = 30.0


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def _pause(tournament_id: str) -> pb.PauseTournamentRequest:
    return pb.PauseTournamentRequest(request_id=fresh(), tournament_id=tournament_id)


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_deal_is_made_in_a_pause_though_the_answer_of_the_last_sheet_was_lost(
    suite: TournamentSuite, monkeypatch: pytest.MonkeyPatch, *, restarted: bool
) -> None:
    real, lost = LedgerClient.open_sheet, asyncio.Event()

    async def open_sheet(*args: Any) -> LedgerSheet:
        await real(*args)
        lost.set()
        raise ServiceAway("tournament_ledger")

    monkeypatch.setattr(LedgerClient, "open_sheet", open_sheet)
    rules = quick()
    rules.overrides.tournament.deal = option.DEAL_KIND_CHIP_COUNT
    rules.overrides.tournament.top_prize_above_fee = False
    tournament_id = await suite.announce(rules, ["ann", "bob", "cid", "dan"])
    await suite.start(tournament_id)
    await asyncio.wait_for(lost.wait(), PATIENCE_SECONDS)
    await suite.tournaments.PauseTournament(_pause(tournament_id))
    if restarted:
        await suite.stop_orchestrator()
    monkeypatch.setattr(LedgerClient, "open_sheet", real)
    if restarted:
        await suite.start_orchestrator()
    await _proposed(suite, tournament_id)
    for player_id in ("bob", "cid", "dan"):
        accept = ledger_pb.AcceptDealRequest(
            request_id=fresh(), tournament_id=tournament_id, player_id=player_id, deal_number=1
        )
        await suite.ledger.AcceptDeal(accept)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await suite.is_over(tournament_id):  # noqa: ASYNC110  # as a client would look
            await asyncio.sleep(0.02)


async def _proposed(suite: TournamentSuite, tournament_id: str) -> None:
    """Soon: the table has to hear of the pause first. Asked anew each time, as a refusal stays one."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            request = ledger_pb.ProposeDealRequest(request_id=fresh(), tournament_id=tournament_id, player_id="ann")
            try:
                await suite.ledger.ProposeDeal(request)
            except grpc.aio.AioRpcError as error:
                if unpack_error(error).reason is not Reason.DEAL_NOT_ALLOWED:
                    raise
                await asyncio.sleep(0.1)
            else:
                return
