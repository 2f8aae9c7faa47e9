"""Replicas go by the clock of the database that they share, however wrong those of their machines are."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from tests.support.dealer_calls import Table
from tests.support.ledger_house import BACKEND, announcement, fresh
from tests.support.postgres_server import PostgresServer
from tests.support.servers import calling, running


@pytest.mark.process
async def test_what_two_ledgers_do_one_after_the_other_is_so_in_their_book_though_one_machine_is_an_hour_ahead(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    settings = {"DATABASE": await postgres.new_database()}
    told = []
    for module in ("tests.support.hour_ahead", None):
        async with (
            running("tournament_ledger", tmp_path, settings, module) as process,
            calling(process.address, BACKEND) as channel,
        ):
            request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement())
            announced = await TournamentLedgerServiceStub(channel).AnnounceTournament(request)
            told.append(announced.tournament.announced_at.ToDatetime(UTC))
    assert timedelta() < told[1] - told[0] < timedelta(minutes=30)


@pytest.mark.process
async def test_the_steps_of_a_hand_are_told_by_the_clock_of_the_tables_though_the_dealers_machine_is_an_hour_ahead(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """Else `sevenstud verify` would say of every hand that its streets were dealt too soon, or too late."""
    settings = {"DATABASE": await postgres.new_database(), "KEYS": f"one:{'a1' * 32}"}
    async with (
        running("dealer", tmp_path, settings, "tests.support.hour_ahead") as process,
        calling(process.address) as channel,
    ):
        hand = await Table(DealerServiceStub(channel)).open(2)
        (opened,) = (await hand.proof()).steps
    assert abs(opened.at.ToDatetime(UTC) - datetime.now(UTC)) < timedelta(minutes=30)
