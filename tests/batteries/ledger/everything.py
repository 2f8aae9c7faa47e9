"""Every request that books something, asked once when it can be granted: what a random walk seldom comes to."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, cast

from google.protobuf.message import Message
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import AddOnTerms, DoubleChanceTerms, RebuyTerms, RuleSet
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from tests.batteries.ledger.in_process import InProcessLedger
from tests.support.ledger_house import TABLE, LedgerHouse, card_room_cash, euro, fresh, tournament_rules

STACK = 1_000


class _Stub:
    """RPCs by name, without a network."""

    def __init__(self, ledger: InProcessLedger) -> None:
        self._ledger = ledger

    def __getattr__(self, method: str) -> Callable[[Message], Awaitable[Any]]:
        return lambda request: self._ledger.call(method, request)


def house_of(ledger: InProcessLedger) -> LedgerHouse:
    """The same requests as of a ledger that is served."""
    stub = cast("TournamentLedgerServiceStub", _Stub(ledger))
    return LedgerHouse(stub, stub, stub, stub)


async def ask_for_everything(house: LedgerHouse) -> None:
    """A wallet's life, a cash table's, and tournaments with all that can be bought, drawn, agreed and called off."""
    for life in (_wallet, _cash_table, _seats_and_a_deal, _late_and_again, _purchases, _rounds, _hand_for_hand):
        await life(house)


async def _wallet(house: LedgerHouse) -> None:
    await house.player("wanda", 10_000)
    money: dict[str, Any] = {"player_id": "wanda", "amount": euro(500)}
    await house.backend.Withdraw(pb.WithdrawRequest(request_id=fresh(), **money))
    for end in (pb.PostHoldRequest, pb.VoidHoldRequest):
        request = pb.PlaceHoldRequest(request_id=fresh(), **money)
        request.lasts.FromSeconds(60)
        hold = (await house.backend.PlaceHold(request)).hold_id
        method = end.DESCRIPTOR.name.removesuffix("Request")
        await getattr(house.backend, method)(end(request_id=fresh(), hold_id=hold))


async def _cash_table(house: LedgerHouse) -> None:
    rules = card_room_cash()
    await house.player("cora", 100 * rules.buy_in_min_chips)
    opened = pb.OpenCashTableRequest(request_id=fresh(), table_id="cash-1", chip_value=euro(10), rules=rules)
    await house.service.OpenCashTable(opened)
    table_id, player_id, chips = "cash-1", "cora", rules.buy_in_min_chips
    bought = pb.BuyInRequest(request_id=fresh(), table_id=table_id, player_id=player_id, chips=chips, seat=1)
    await house.service.BuyIn(bought)
    await house.service.CashOut(pb.CashOutRequest(request_id=fresh(), table_id=table_id, player_id=player_id))


async def _seats_and_a_deal(house: LedgerHouse) -> None:
    rules = tournament_rules(
        start_seats=option.START_SEATS_CHOSEN, deal=option.DEAL_KIND_CHIP_COUNT, starting_stack_chips=STACK
    )
    players = ["dan", "dora", "dean", "dirk"]
    for player_id in players:
        await house.player(player_id, 5_000)
    event = (await house.announce(rules)).tournament_id
    await house.register(event, *players)
    ids = {"tournament_id": event, "player_id": "dirk"}
    await house.backend.ChooseSeat(pb.ChooseSeatRequest(request_id=fresh(), table=1, seat=3, **ids))
    await house.backend.Unregister(pb.UnregisterRequest(request_id=fresh(), **ids))
    await house.start(event, players[:3])
    await house.sheet(event, 1)
    version = (await house.tournament(event)).version
    taken_back: dict[str, Any] = {"table_id": TABLE, "hand_number": 1, "expected_version": version}
    taken_back["tournament_id"] = event
    await house.service.WithdrawSheet(pb.WithdrawSheetRequest(request_id=fresh(), **taken_back))
    await house.hand(event, {"dan": STACK // 2, "dora": -STACK // 2})
    await house.backend.ProposeDeal(pb.ProposeDealRequest(request_id=fresh(), tournament_id=event, player_id="dan"))
    for player_id in players[:3]:
        accept: dict[str, Any] = {"tournament_id": event, "player_id": player_id, "deal_number": 1}
        await house.backend.AcceptDeal(pb.AcceptDealRequest(request_id=fresh(), **accept))


async def _late_and_again(house: LedgerHouse) -> None:
    rules = tournament_rules(late_registration_last_level=2, re_entry_max_count=1, starting_stack_chips=STACK)
    event = await house.event(["leo", "lea", "liv"], rules)
    await house.hand(event, {"leo": -STACK, "lea": STACK})
    await house.backend.ReEnter(pb.ReEnterRequest(request_id=fresh(), tournament_id=event, player_id="leo"))
    to = pb.SeatAssignment(player_id="leo", table_id=TABLE, seat=1)
    await house.service.RecordMove(pb.RecordMoveRequest(request_id=fresh(), tournament_id=event, to=to))
    await house.level(event, 2)
    directs: dict[str, Any] = {"tournament_id": event, "director_id": "orchestrator-a.1"}
    await house.service.RecordDirector(pb.RecordDirectorRequest(request_id=fresh(), **directs))
    await house.cancel(event)


async def _purchases(house: LedgerHouse) -> None:
    release = option.DOUBLE_CHANCE_RELEASE_ON_REQUEST_OR_BUST_OR_DEADLINE
    rules = tournament_rules(
        rebuy=RebuyTerms(max_count=1, last_level=2),
        add_on=AddOnTerms(offered=True, price_max_minor=1_000, last_level=2),
        double_chance=DoubleChanceTerms(offered=True, release=release, last_level=2),
        starting_stack_chips=STACK,
    )
    event = await house.event(["pam", "pia"], rules)
    request = pb.ReleaseSecondChanceRequest(request_id=fresh(), tournament_id=event, player_id="pam")
    await house.backend.ReleaseSecondChance(request)
    await house.hand(event, {"pam": -STACK // 2, "pia": STACK // 2})
    await house.rebuy(event, "pam")
    await house.add_on(event, "pia", 1_000)


async def _rounds(house: LedgerHouse) -> None:
    rules = tournament_rules(formula=option.FORMULA_ROUNDS, qualifiers=2, starting_stack_chips=STACK)
    event = await _at_two_tables(house, ["ron", "ria", "rob", "rey"], ["ruth", "russ"], rules)
    await house.hand(event, {"ron": 3 * STACK, "ria": -STACK, "rob": -STACK, "rey": -STACK})
    lots: dict[str, Any] = {"table_id": TABLE, "player_ids": ["ria", "rob", "rey"]}
    await house.service.RecordLots(pb.RecordLotsRequest(request_id=fresh(), tournament_id=event, **lots))
    final = _at("final", ["ron", "ria", "ruth", "russ"])
    await house.service.StartRound(pb.StartRoundRequest(request_id=fresh(), tournament_id=event, round=2, seats=final))


async def _hand_for_hand(house: LedgerHouse) -> None:
    rules = tournament_rules(formula=option.FORMULA_MULTI_TABLE, starting_stack_chips=STACK)
    event = await _at_two_tables(house, ["hal", "hans"], ["hope", "hedy"], rules)
    await house.hand(event, {"hal": STACK, "hans": -STACK}, hand_for_hand_round=1)
    request = pb.EndHandForHandRoundRequest(request_id=fresh(), tournament_id=event, round=1)
    await house.service.EndHandForHandRound(request)


async def _at_two_tables(house: LedgerHouse, one: Sequence[str], two: Sequence[str], rules: RuleSet) -> str:
    for player_id in (*one, *two):
        await house.player(player_id, 5_000)
    event = (await house.announce(rules, seats_per_table=len(one))).tournament_id
    await house.register(event, *one, *two)
    seats = [*_at(TABLE, one), *_at("table-2", two)]
    await house.service.StartPlay(pb.StartPlayRequest(request_id=fresh(), tournament_id=event, seats=seats))
    return event


def _at(table_id: str, players: Sequence[str]) -> list[pb.SeatAssignment]:
    return [pb.SeatAssignment(player_id=each, table_id=table_id, seat=at) for at, each in enumerate(players, 1)]
