"""A wallet that 64 bits can hold no more of keeps its own money waiting, and nobody else's: over gRPC, issue 5."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.application import chores
from shared.kernel.errors import DomainError, Reason
from shared.storage.database import Statement, WriteConflict
from tests.support.ledger_house import Ledger, euro, fresh, ledger, refusal, refused, tournament_rules

MOST = 2**63 - 1
FEE = 1000


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


async def hold(house: Ledger, player_id: str, amount: int, seconds: int) -> str:
    request = pb.PlaceHoldRequest(
        request_id=fresh(), player_id=player_id, amount=euro(amount), lasts=Duration(seconds=seconds)
    )
    return (await house.backend.PlaceHold(request)).hold_id


async def duel(house: Ledger, winner: str, loser: str, **rules: object) -> str:
    """A tournament whose first hand leaves the loser without chips."""
    event = await house.announce(tournament_rules(**rules), entrants_max=2, seats_per_table=2)
    await house.register(event.tournament_id, winner, loser)
    await house.start(event.tournament_id, [winner, loser])
    stack = (await house.standings(event.tournament_id))[loser].chips
    await house.hand(event.tournament_id, {winner: stack, loser: -stack})
    return event.tournament_id


async def fill(house: Ledger, player_id: str, left: int) -> None:
    """Only so much more fits into the wallet, as in books of a release in which guarantees had no bound as a whole."""
    more = MOST - left - await house.wallet(player_id)
    account = f"wallet/{player_id}/EUR"
    await house.store.write(
        [Statement("UPDATE ledger_accounts SET balance = balance + ? WHERE account_id = ?", (more, account))]
    )


async def test_no_prize_makes_more_money_than_any_wallet_can_hold(house: Ledger) -> None:
    """A guarantee counts among what is brought in as a whole, like a deposit; what is too much waits for room."""
    for player_id in ("ann", "bob", "cid"):
        await house.player(player_id, 100_000)
    room = MOST - 300_000
    terms = {"entrants_max": 2, "seats_per_table": 2}
    too_much = house.announce(tournament_rules(guarantee_minor=room + 1), **terms)
    error = await refusal(too_much)
    assert error.reason is Reason.REQUEST_INVALID
    assert [each.field for each in error.violations] == ["announcement.rules.overrides.tournament.guarantee_minor"]
    rebuys = {"rebuy": {"max_count": 1, "last_level": 1, "window_seconds": 30}}
    second = await duel(house, "cid", "bob", **rebuys, guarantee_minor=10 * FEE)
    await duel(house, "ann", "bob", guarantee_minor=room)
    assert await house.wallet("ann") == 100_000 - FEE + room
    await refused(house.deposit("bob", 2 * FEE + 1), Reason.REQUEST_INVALID)
    house.clock.pass_seconds(31)
    with pytest.raises(WriteConflict):
        await house.chores.close_windows()
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(10 * FEE))
    await house.backend.Withdraw(out)
    assert await house.chores.close_windows() == 1
    assert (await house.standings(second))["cid"].place == 1
    verdict = await house.sound()
    assert {each.sum for each in verdict.sums} == {0}


async def test_a_hold_that_a_full_wallet_cannot_take_back_keeps_no_other_one(
    house: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chores, "BATCH", 2)
    for player_id in ("ann", "bob", "cid"):
        await house.player(player_id, 100_000)
    stuck = [await hold(house, "ann", 500, seconds=10) for _ in range(3)]
    await hold(house, "cid", 700, seconds=11)
    await fill(house, "ann", left=0)
    house.clock.pass_seconds(20)
    for _ in range(2):
        with pytest.raises(DomainError) as full:
            await house.chores.expire_holds()
        assert full.value.reason is Reason.LIMIT_REACHED
    assert await house.chores.expire_holds() == 0, "all that were due were looked at"
    assert await house.wallet("cid") == 100_000
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(10_000))
    await house.backend.Withdraw(out)
    while await house.chores.expire_holds():
        pass
    assert await house.wallet("ann") == MOST - 10_000 + 500 * len(stuck)


async def test_a_hold_is_voided_once_the_wallet_has_room_for_it(house: Ledger) -> None:
    for player_id in ("ann", "bob"):
        await house.player(player_id, 100_000)
    kept = await hold(house, "ann", 500, seconds=1000)
    await fill(house, "ann", left=499)
    voiding = pb.VoidHoldRequest(request_id=fresh(), hold_id=kept)
    await refused(house.backend.VoidHold(voiding), Reason.LIMIT_REACHED)
    await house.backend.Withdraw(pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(1)))
    assert (await house.backend.VoidHold(voiding)).balance.available.amount_minor == MOST


async def test_a_tournament_whose_end_cannot_be_booked_keeps_no_window_of_another_one_open(house: Ledger) -> None:
    """The tournaments announced last are looked at first: whoever announced one held up all before it."""
    for player_id in ("ann", "bob", "cid", "dan"):
        await house.player(player_id, 100_000)
    await fill(house, "ann", left=0)
    rebuys = {"rebuy": {"max_count": 1, "last_level": 1, "window_seconds": 30}}
    older = await duel(house, "cid", "dan", **rebuys)
    newer = await duel(house, "ann", "bob", **rebuys, guarantee_minor=10 * FEE)
    house.clock.pass_seconds(31)
    for _ in range(2):
        with pytest.raises(WriteConflict):
            await house.chores.close_windows()
    assert (await house.standings(older))["cid"].place == 1
    assert not (await house.standings(newer))["ann"].place
    await refused(house.sheet(newer, 2), Reason.VERSION_CONFLICT)
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(10 * FEE))
    await house.backend.Withdraw(out)
    assert await house.chores.close_windows() == 1
    assert (await house.standings(newer))["ann"].place == 1
