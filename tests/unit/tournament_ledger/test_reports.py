"""Sums over the books, with amounts of which two do not fit into 64 bits together."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.storage.database import Statement
from tests.support.ledger_house import Ledger, euro, fresh, ledger

MOST = 2**63 - 1


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


async def test_a_wallet_that_was_filled_to_the_brim_twice_is_still_added_up(house: Ledger) -> None:
    await house.player("ann", MOST)
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(MOST))
    await house.backend.Withdraw(out)
    await house.deposit("ann", MOST)
    await house.sound()


async def test_a_balance_that_is_wrong_by_any_amount_is_found(house: Ledger) -> None:
    await house.player("ann", MOST)
    for wrong in (0, 1, MOST - 1, MOST - 2**32, 2**32):
        change = Statement("UPDATE ledger_accounts SET balance = ? WHERE account_id = 'wallet/ann/EUR'", (wrong,))
        await house.store.write([change])
        verdict = await house.verify()
        assert not verdict.sound
        assert [each.fault for each in verdict.faults] == [
            f"account wallet/ann/EUR holds {wrong}, its postings make {MOST}"
        ]
        assert [each.sum for each in verdict.sums] == [wrong - MOST]
