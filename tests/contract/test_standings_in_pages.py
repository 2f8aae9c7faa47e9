"""Standings that come in pages are whole, whatever happens to the tournament between two of them."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import pytest

from services.orchestrator.adapters import histories, ledger_client
from services.orchestrator.adapters.histories import RemoteHistories
from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.adapters.remote import ask
from tests.support.ledger_house import SERVICE, TABLE, Ledger, ledger
from tests.support.servers import calling

Answer = TypeVar("Answer")
PLAYERS = ("ann", "bob", "cid", "dan", "eve", "fay")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


class BetweenPages:
    """Something that happens after each first page, so many times; pages of two."""

    def __init__(
        self,
        monkeypatch: pytest.MonkeyPatch,
        happens: Callable[[], Awaitable[object]],
        times: int,
        adapter: ModuleType = ledger_client,
    ) -> None:
        self.happens, self.times, self.asked = happens, times, 0

        async def asked(service: str, call: Awaitable[Answer]) -> Answer:
            answer = await ask(service, call)
            self.asked += 1
            if self.asked % 3 == 1 and self.times:
                self.times -= 1
                await self.happens()
            return answer

        monkeypatch.setattr(adapter, "ask", asked)
        monkeypatch.setattr(adapter, "_PAGE", 2)


@pytest.mark.parametrize("times", [1, 3, 100])
async def test_who_changes_places_between_two_pages_is_in_the_standings_once(
    house: Ledger, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    event = await house.event(PLAYERS)
    order = list(PLAYERS)

    async def the_third_wins_from_the_first() -> None:
        order[:] = sorted(order, key=lambda each: chips.get(each, 0), reverse=True)
        winner, loser = order[2], order[0]
        chips[winner], chips[loser] = chips.get(winner, 0) + 7, chips.get(loser, 0) - 7
        await house.hand(event, {winner: 7, loser: -7})

    chips: dict[str, int] = {}
    BetweenPages(monkeypatch, the_third_wins_from_the_first, times)
    async with calling(house.server.address, SERVICE) as channel:
        found = await LedgerClient(channel).get_standings(event)
    assert sorted(each.player_id for each in found) == sorted(PLAYERS)
    if times < 100:
        assert {each.player_id: each.chips for each in found} == {
            player_id: each.chips for player_id, each in (await house.standings(event)).items()
        }


@pytest.mark.parametrize(("times", "passes"), [(0, 1), (1, 2), (100, 5)])
async def test_tables_are_asked_for_again_where_somebody_may_have_changed_places_between_two_pages(
    house: Ledger, monkeypatch: pytest.MonkeyPatch, times: int, passes: int
) -> None:
    event = await house.event(PLAYERS)
    between = BetweenPages(monkeypatch, lambda: house.hand(event, {"ann": 1, "bob": -1}), times, histories)
    async with calling(house.server.address, SERVICE) as channel:
        assert await RemoteHistories(channel, channel).tables_of(event) == {TABLE}
    assert between.asked == 3 * passes
