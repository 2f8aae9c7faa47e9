"""The tournament ledger through its contract: a real server, real calls, a real database."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_pb2

from shared.kernel.errors import Reason
from tests.support.ledger_house import TABLE, Ledger, card_room_cash, euro, fresh, ledger, refused


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


PLAYERS = tuple(f"player-{number}" for number in range(1, 5))


async def test_a_tournament_is_announced_filled_played_and_paid_to_the_cent(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    started = await house.tournament(event)
    assert started.state == tournament_pb2.TOURNAMENT_STATE_RUNNING
    assert (started.level, started.chips_total, started.prize_fund_minor) == (1, 12_000, 3200)
    assert list(started.prizes_minor) == [3200]
    first = await house.hand(event, {"player-1": 3000, "player-2": -3000})
    assert [(each.player_id, each.place) for each in first.placements] == [("player-2", 4)]
    assert first.players_left == 3
    last = await house.hand(event, {"player-1": 6000, "player-3": -3000, "player-4": -3000})
    assert [(each.player_id, each.place, each.prize_minor) for each in last.placements] == [
        ("player-3", 2, 0),
        ("player-4", 2, 0),
        ("player-1", 1, 3200),
    ]
    assert last.state == tournament_pb2.TOURNAMENT_STATE_FINISHED
    assert await house.wallet("player-1") == 100_000 - 1000 + 3200
    assert (await house.standings(event))["player-1"].prize_minor == 3200
    await house.sound()


async def test_a_cash_table_takes_money_gives_chips_and_pays_them_back(house: Ledger) -> None:
    rules = card_room_cash()
    opening = pb.OpenCashTableRequest(request_id=fresh(), table_id=TABLE, chip_value=euro(100), rules=rules)
    await house.service.OpenCashTable(opening)
    chips = rules.buy_in_min_chips
    for seat, player_id in enumerate(("ann", "bob"), start=1):
        await house.player(player_id, 100_000)
        bought = await house.service.BuyIn(
            pb.BuyInRequest(request_id=fresh(), table_id=TABLE, player_id=player_id, chips=chips, seat=seat)
        )
        assert bought.chips == chips
        assert bought.balance.available.amount_minor == 100_000 - 100 * chips
    sheet = await house.sheet("", 1)
    assert [(each.seat, each.player_id, each.chips) for each in sheet.seats] == [(1, "ann", chips), (2, "bob", chips)]
    await house.record("", 1, sheet, {"ann": 8, "bob": -10}, rake_chips=2)
    out = await house.service.CashOut(pb.CashOutRequest(request_id=fresh(), table_id=TABLE, player_id="ann"))
    assert (out.chips, out.balance.available.amount_minor) == (chips + 8, 100_000 + 800)
    again = pb.CashOutRequest(request_id=fresh(), table_id=TABLE, player_id="ann")
    await refused(house.service.CashOut(again), Reason.NOT_SEATED)
    await house.sound()
