"""Page tokens that callers write themselves: every list of every service refuses them like any wrong request."""

import base64
import hashlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.account_pb2 import BookHead

from shared.kernel.errors import Reason
from tests.support.ledger_house import Ledger, ledger, refused

KEYS = (["x"], [-1], [2**70], [1, 2, 3], ["1", 2, "3", 4], ["\0"], [1, "\0"], [1.5], [None], [[1]], ["9" * 40])


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


def forged(scope: str, key: list[Any]) -> str:
    """A token as the service writes it, with a key of our own."""
    content = json.dumps([hashlib.sha256(scope.encode()).hexdigest()[:16], *key])
    return base64.urlsafe_b64encode(content.encode()).decode().rstrip("=")


@pytest.mark.parametrize("key", KEYS, ids=str)
async def test_a_token_that_somebody_wrote_is_refused_and_no_fault_of_the_service(
    house: Ledger, key: list[Any]
) -> None:
    event = await house.event(("ann", "bob"))
    lists: list[tuple[Any, Any, str]] = [
        (house.auditor.ExportJournal, pb.ExportJournalRequest(book="wallets"), "journal wallets"),
        (house.backend.ListTournaments, pb.ListTournamentsRequest(), "tournaments None"),
        (house.backend.GetStandings, pb.GetStandingsRequest(tournament_id=event), f"standings {event}"),
        (house.backend.ListPostings, pb.ListPostingsRequest(player_id="ann", currency="EUR"), "postings ann EUR"),
    ]
    for call, request, scope in lists:
        request.page_token = forged(scope, key)
        await refused(call(request), Reason.PAGE_TOKEN_INVALID)


@pytest.mark.parametrize("book", ["\0", "tournament:\x1b[31m", "\u202e"], ids=ascii)
async def test_a_book_that_no_store_can_be_asked_for_is_refused_like_any_wrong_request(
    house: Ledger, book: str
) -> None:
    """PostgreSQL knows no text with a zero in it: what was asked with one was a fault of the service, or timed out."""
    ask = house.auditor
    await refused(ask.ExportJournal(pb.ExportJournalRequest(book=book)), Reason.REQUEST_INVALID)
    await refused(ask.VerifyJournal(pb.VerifyJournalRequest(book=book)), Reason.REQUEST_INVALID)
    await refused(ask.ListBooks(pb.ListBooksRequest(known=[BookHead(book=book)])), Reason.REQUEST_INVALID)
    anchors = pb.VerifyJournalRequest(anchors=[BookHead(book=book)])
    await refused(ask.VerifyJournal(anchors), Reason.REQUEST_INVALID)
