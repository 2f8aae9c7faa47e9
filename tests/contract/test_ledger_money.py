"""Wallets, holds, cash tables and request ids of the ledger, over gRPC: rows L2, L8 and L12, cases O-46, O-51, O-52."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.json_format import MessageToDict, Parse
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.common.v1.rules_pb2 import CashRules
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.account_pb2 import EntryKind
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_SCHEDULED

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from tests.support.ledger_house import (
    TABLE,
    Ledger,
    announcement,
    card_room_cash,
    euro,
    fresh,
    ledger,
    refusal,
    refused,
)
from tests.support.servers import calling

MOST = 2**63 - 1


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


# --- wallets --------------------------------------------------------------------------------


async def test_a_wallet_is_opened_once_filled_and_emptied(house: Ledger) -> None:
    await house.player("ann", 500)
    await house.player("ann")
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(200), reference="bank")
    assert (await house.backend.Withdraw(out)).balance.available.amount_minor == 300
    statement = await house.backend.ListPostings(pb.ListPostingsRequest(player_id="ann", currency="EUR"))
    told = [(EntryKind.Name(each.kind), each.change.amount_minor, each.subject) for each in statement.lines]
    assert told == [("ENTRY_KIND_DEPOSITED", 500, "card"), ("ENTRY_KIND_WITHDRAWN", -200, "bank")]
    await house.sound()


async def test_a_statement_comes_in_pages_without_gap_or_repetition(house: Ledger) -> None:
    await house.player("ann")
    for amount in range(1, 8):
        await house.deposit("ann", amount)
    request = pb.ListPostingsRequest(player_id="ann", currency="EUR", page_size=3)
    amounts: list[int] = []
    while True:
        page = await house.backend.ListPostings(request)
        amounts += [each.change.amount_minor for each in page.lines]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert amounts == [1, 2, 3, 4, 5, 6, 7]
    request.player_id = "bob"
    await house.player("bob")
    await refused(house.backend.ListPostings(request), Reason.PAGE_TOKEN_INVALID)


async def test_what_was_never_opened_is_not_found(house: Ledger) -> None:
    assert await refused(house.deposit("nobody", 1), Reason.NOT_FOUND) == {"kind": "wallet", "id": "nobody/EUR"}
    ask = pb.GetBalanceRequest(player_id="nobody", currency="EUR")
    await refused(house.backend.GetBalance(ask), Reason.NOT_FOUND)


async def test_nobody_withdraws_more_than_there_is(house: Ledger) -> None:
    await house.player("ann", 100)
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(101))
    metadata = await refused(house.backend.Withdraw(out), Reason.FUNDS_INSUFFICIENT)
    assert metadata == {"available_minor": "100", "needed_minor": "101"}
    assert await house.wallet("ann") == 100


@pytest.mark.parametrize("amount", [0, -1, -(2**63)])
async def test_amounts_that_move_nothing_or_backwards_are_refused(house: Ledger, amount: int) -> None:
    await house.player("ann", 100)
    error = await refusal(house.deposit("ann", amount))
    assert error.reason is Reason.REQUEST_INVALID
    assert [each.field for each in error.violations] == ["amount.amount_minor"]
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(amount))
    await refused(house.backend.Withdraw(out), Reason.REQUEST_INVALID)
    assert await house.wallet("ann") == 100


async def test_the_largest_amount_fits_and_one_more_is_refused(house: Ledger) -> None:
    await house.player("ann", MOST)
    assert await house.wallet("ann") == MOST
    await refused(house.deposit("ann", 1), Reason.REQUEST_INVALID)
    await house.player("bob")
    await refused(house.deposit("bob", 1), Reason.REQUEST_INVALID)
    assert await house.wallet("ann") == MOST
    await house.sound()


async def test_an_amount_above_two_to_the_53_survives_json(house: Ledger) -> None:
    amount = 9_007_199_254_740_993
    sent = Parse(f'{{"amountMinor": "{amount}", "currency": "EUR"}}', Money())
    await house.player("ann")
    request = pb.DepositRequest(request_id=fresh(), player_id="ann", amount=sent)
    answer = await house.backend.Deposit(request)
    assert MessageToDict(answer.balance.available)["amountMinor"] == str(amount)


# --- exactly once ---------------------------------------------------------------------------


async def test_a_request_sent_again_gets_the_first_answer_and_moves_nothing(house: Ledger) -> None:
    await house.player("ann")
    request_id = fresh()
    first = await house.deposit("ann", 100, request_id)
    await house.deposit("ann", 50)
    assert await house.deposit("ann", 100, request_id) == first
    assert await house.wallet("ann") == 150


async def test_a_request_id_used_again_with_other_content_is_refused(house: Ledger) -> None:
    await house.player("ann", 100)
    request_id = fresh()
    await house.deposit("ann", 100, request_id)
    await refused(house.deposit("ann", 101, request_id), Reason.REQUEST_ID_REUSED)
    other = pb.WithdrawRequest(request_id=request_id, player_id="ann", amount=euro(100))
    await refused(house.backend.Withdraw(other), Reason.REQUEST_ID_REUSED)
    assert await house.wallet("ann") == 200


async def test_a_refusal_for_lack_of_funds_stays_a_refusal(house: Ledger) -> None:
    await house.player("ann")
    out = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(100))
    first = await refused(house.backend.Withdraw(out), Reason.FUNDS_INSUFFICIENT)
    await house.deposit("ann", 500)
    assert await refused(house.backend.Withdraw(out), Reason.FUNDS_INSUFFICIENT) == first
    assert await house.wallet("ann") == 500


async def test_duplicates_from_many_clients_at_once_are_one_entry_each_and_answered_alike(house: Ledger) -> None:
    await house.player("ann")
    ids = [fresh() for _ in range(20)]
    answers = await asyncio.gather(*(house.deposit("ann", 10 + at, ids[at]) for at in range(20) for _ in range(5)))
    for at in range(20):
        alike = {each.SerializeToString(deterministic=True) for each in answers[at * 5 : at * 5 + 5]}
        assert len(alike) == 1
    assert await house.wallet("ann") == sum(range(10, 30))
    await house.sound()


async def test_purchases_and_payments_that_race_never_overdraw_a_wallet(house: Ledger) -> None:
    await house.player("ann", 1000)
    outs = [pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(300)) for _ in range(10)]
    done = await asyncio.gather(*(house.backend.Withdraw(each) for each in outs), return_exceptions=True)
    assert sum(isinstance(each, pb.WithdrawResponse) for each in done) == 3
    assert await house.wallet("ann") == 100


# --- holds ----------------------------------------------------------------------------------


async def hold(house: Ledger, player_id: str, amount: int, seconds: int = 60) -> str:
    request = pb.PlaceHoldRequest(
        request_id=fresh(), player_id=player_id, amount=euro(amount), lasts=Duration(seconds=seconds)
    )
    return (await house.backend.PlaceHold(request)).hold_id


async def post(house: Ledger, hold_id: str) -> pb.PostHoldResponse:
    return await house.backend.PostHold(pb.PostHoldRequest(request_id=fresh(), hold_id=hold_id))


async def void(house: Ledger, hold_id: str) -> pb.VoidHoldResponse:
    return await house.backend.VoidHold(pb.VoidHoldRequest(request_id=fresh(), hold_id=hold_id))


async def test_a_hold_is_posted_or_voided_once(house: Ledger) -> None:
    await house.player("ann", 1000)
    first, second = await hold(house, "ann", 400), await hold(house, "ann", 500)
    assert await house.wallet("ann") == 100
    posted = await post(house, first)
    assert (posted.balance.available.amount_minor, posted.balance.held.amount_minor) == (100, 500)
    voided = await void(house, second)
    assert (voided.balance.available.amount_minor, voided.balance.held.amount_minor) == (600, 0)
    assert (await refused(void(house, first), Reason.HOLD_RESOLVED))["state"] == "POSTED"
    assert (await refused(post(house, second), Reason.HOLD_RESOLVED))["state"] == "VOIDED"
    await refused(post(house, "none"), Reason.NOT_FOUND)
    await house.sound()


async def test_a_hold_whose_time_is_over_gives_the_money_back_and_nothing_else(house: Ledger) -> None:
    await house.player("ann", 1000)
    hold_id = await hold(house, "ann", 400, seconds=10)
    house.clock.pass_seconds(11)
    assert (await refused(post(house, hold_id), Reason.HOLD_RESOLVED))["state"] == "EXPIRED"
    assert await house.chores.expire_holds() == 1
    assert await house.chores.expire_holds() == 0
    assert await house.wallet("ann") == 1000
    await house.sound()


async def test_a_hold_lasts_as_long_as_was_asked_for_though_a_clock_was_ahead_once(house: Ledger) -> None:
    """By months, when the book of wallets got its last entry: the money would have been kept back for as long."""
    house.clock.pass_seconds(9_000_000)
    await house.player("ann", 1000)
    house.clock.pass_seconds(-9_000_000)
    kept, posted = await hold(house, "ann", 400, seconds=10), await hold(house, "ann", 500, seconds=10)
    await post(house, posted)
    house.clock.pass_seconds(11)
    assert (await refused(post(house, kept), Reason.HOLD_RESOLVED))["state"] == "EXPIRED"
    assert await house.chores.expire_holds() == 1
    assert await house.wallet("ann") == 500
    await house.sound()


async def test_posting_voiding_and_expiring_that_race_have_one_winner(house: Ledger) -> None:
    await house.player("ann", 1000)
    for _ in range(20):
        hold_id = await hold(house, "ann", 10, seconds=1)
        house.clock.pass_seconds(0.999_99)
        racing = (post(house, hold_id), void(house, hold_id), post(house, hold_id), void(house, hold_id))
        done = await asyncio.gather(*racing, return_exceptions=True)
        assert sum(not isinstance(each, BaseException) for each in done) <= 1
        house.clock.pass_seconds(1)
        await house.chores.expire_holds()
        ask = pb.GetBalanceRequest(player_id="ann", currency="EUR")
        assert (await house.backend.GetBalance(ask)).balance.held.amount_minor == 0
    await house.sound()


@pytest.mark.parametrize("seconds", [0, -1, 31 * 86_400])
async def test_a_hold_lasts_up_to_thirty_days(house: Ledger, seconds: int) -> None:
    await house.player("ann", 1000)
    await refused(hold(house, "ann", 1, seconds), Reason.REQUEST_INVALID)
    await refused(hold(house, "ann", 1001), Reason.FUNDS_INSUFFICIENT)


# --- cash tables ----------------------------------------------------------------------------


async def cash_table(house: Ledger, rules: CashRules | None = None, value: int = 100, table_id: str = TABLE) -> None:
    request = pb.OpenCashTableRequest(
        request_id=fresh(), table_id=table_id, chip_value=euro(value), rules=rules or card_room_cash()
    )
    await house.service.OpenCashTable(request)


async def buy(house: Ledger, player_id: str, chips: int, seat: int = 1) -> pb.BuyInResponse:
    request = pb.BuyInRequest(request_id=fresh(), table_id=TABLE, player_id=player_id, chips=chips, seat=seat)
    return await house.service.BuyIn(request)


async def test_opening_a_cash_table_again_is_no_error_with_the_same_rules_and_one_with_others(house: Ledger) -> None:
    await cash_table(house)
    await cash_table(house)
    with_other_value = cash_table(house, value=200)
    await refused(with_other_value, Reason.ALREADY_EXISTS)


async def test_a_fixed_buy_in_is_neither_smaller_nor_larger(house: Ledger) -> None:
    rules = card_room_cash()
    await cash_table(house, rules)
    await house.player("ann", 1_000_000)
    for chips in (rules.buy_in_min_chips - 1, rules.buy_in_min_chips + 1):
        metadata = await refused(buy(house, "ann", chips), Reason.BUY_IN_NOT_ALLOWED)
        assert str(rules.buy_in_min_chips) in metadata["allowed"]
    await buy(house, "ann", rules.buy_in_min_chips)
    await refused(buy(house, "ann", rules.buy_in_min_chips), Reason.BUY_IN_NOT_ALLOWED)


async def test_a_seat_has_one_player_and_a_player_one_seat(house: Ledger) -> None:
    chips = card_room_cash().buy_in_min_chips
    await cash_table(house)
    for player_id in ("ann", "bob"):
        await house.player(player_id, 1_000_000)
    await buy(house, "ann", chips, seat=1)
    await refused(buy(house, "bob", chips, seat=1), Reason.SEAT_TAKEN)
    await refused(buy(house, "ann", chips, seat=2), Reason.ALREADY_SEATED)


async def test_the_stake_of_a_session_is_capped(house: Ledger) -> None:
    rules = card_room_cash()
    rules.cash_stake_cap_minor = 100 * rules.buy_in_min_chips
    await cash_table(house, rules)
    for seat, player_id in enumerate(("ann", "bob"), start=1):
        await house.player(player_id, 1_000_000)
        await buy(house, player_id, rules.buy_in_min_chips, seat)
    sheet = await house.sheet("", 1)
    await house.record("", 1, sheet, {"ann": -rules.buy_in_min_chips, "bob": rules.buy_in_min_chips})
    await refused(buy(house, "ann", rules.buy_in_min_chips), Reason.SPEND_CAP_REACHED)


async def test_chips_bought_during_a_hand_are_in_play_with_the_next_one(house: Ledger) -> None:
    chips = card_room_cash().buy_in_min_chips
    await cash_table(house)
    for seat, player_id in enumerate(("ann", "bob", "cid"), start=1):
        await house.player(player_id, 1_000_000)
        if player_id != "cid":
            await buy(house, player_id, chips, seat)
    sheet = await house.sheet("", 1)
    await buy(house, "cid", chips, seat=3)
    again = await house.sheet("", 1)
    assert [each.chips for each in again.seats] == [chips, chips, chips], "who joins cannot be in the hand under way"
    await house.record("", 1, sheet, {"ann": 5, "bob": -5})
    following = await house.sheet("", 2)
    assert [each.chips for each in following.seats] == [chips + 5, chips - 5, chips]
    await house.sound()


async def test_a_hand_of_a_cash_table_keeps_every_chip_and_its_rake(house: Ledger) -> None:
    chips = card_room_cash().buy_in_min_chips
    await cash_table(house)
    for seat, player_id in enumerate(("ann", "bob"), start=1):
        await house.player(player_id, 1_000_000)
        await buy(house, player_id, chips, seat)
    sheet = await house.sheet("", 1)
    metadata = await refused(
        house.record("", 1, sheet, {"ann": 10, "bob": -10}, rake_chips=1), Reason.CHIPS_NOT_CONSERVED
    )
    assert metadata == {"before_chips": str(2 * chips), "after_chips": str(2 * chips + 1)}
    await house.record("", 1, sheet, {"ann": 9, "bob": -10}, rake_chips=1)
    await house.sound()


# --- rights ---------------------------------------------------------------------------------


async def test_a_player_reads_and_acts_for_itself_only(house: Ledger) -> None:
    await house.player("ann", 100)
    await house.player("bob", 100)
    async with calling(house.server.address, Caller(Role.PLAYER, "ann")) as channel:
        ann = TournamentLedgerServiceStub(channel)
        own = await ann.GetBalance(pb.GetBalanceRequest(player_id="ann", currency="EUR"))
        assert own.balance.available.amount_minor == 100
        others = pb.GetBalanceRequest(player_id="bob", currency="EUR")
        await refused(ann.GetBalance(others), Reason.NOT_PERMITTED)
        deposit = pb.DepositRequest(request_id=fresh(), player_id="ann", amount=euro(1))
        await refused(ann.Deposit(deposit), Reason.NOT_PERMITTED)


async def test_only_the_orchestrator_books_play_and_only_auditors_read_the_journal(house: Ledger) -> None:
    sheet = pb.OpenSheetRequest(request_id=fresh(), table_id=TABLE, hand_number=1)
    await refused(house.backend.OpenSheet(sheet), Reason.NOT_PERMITTED)
    await refused(house.backend.VerifyJournal(pb.VerifyJournalRequest()), Reason.NOT_PERMITTED)


async def test_the_service_says_who_it_is_and_its_limits(house: Ledger) -> None:
    info = (await house.backend.GetServiceInfo(pb.GetServiceInfoRequest())).info
    assert info.service == "tournament_ledger"
    assert {"page_size_max", "watchers_max", "answers_kept_days"} <= {each.name for each in info.limits}
    assert "regulated_tournament" in info.presets


async def test_a_wallet_is_read_at_one_moment_while_holds_come_and_go(house: Ledger) -> None:
    await house.player("ann", 1000)

    async def hold_and_let_go() -> None:
        for _ in range(40):
            request = pb.PlaceHoldRequest(
                request_id=fresh(), player_id="ann", amount=euro(300), lasts=Duration(seconds=9)
            )
            placed = await house.backend.PlaceHold(request)
            await house.backend.VoidHold(pb.VoidHoldRequest(request_id=fresh(), hold_id=placed.hold_id))

    async def read() -> None:
        ask = pb.GetBalanceRequest(player_id="ann", currency="EUR")
        while not work.done():
            balance = (await house.backend.GetBalance(ask)).balance
            assert balance.available.amount_minor + balance.held.amount_minor == 1000

    work = asyncio.ensure_future(hold_and_let_go())
    await asyncio.gather(work, *(read() for _ in range(4)))


@pytest.mark.parametrize(("seconds", "nanos"), [(2**53, 0), (2**63 - 1, 0), (-(2**63), 0), (0, -1), (0, 2**31 - 1)])
async def test_a_start_at_no_moment_of_any_calendar_is_refused(house: Ledger, seconds: int, nanos: int) -> None:
    wanted = announcement(start=START_KIND_SCHEDULED)
    wanted.starts_at.seconds, wanted.starts_at.nanos = seconds, nanos
    error = await refusal(
        house.backend.AnnounceTournament(pb.AnnounceTournamentRequest(request_id=fresh(), announcement=wanted))
    )
    assert error.reason is Reason.REQUEST_INVALID
    assert [each.field for each in error.violations] == ["announcement.starts_at"]
