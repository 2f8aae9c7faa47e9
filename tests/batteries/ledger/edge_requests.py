"""A good request of every RPC that has numbers, made anew for each try so that the number is what decides."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests.support.ledger_house import Ledger, announcement, card_room_cash, euro, fresh

_Request = Callable[[Ledger], Awaitable[Message]]


@dataclass(frozen=True, slots=True)
class Asking:
    """An RPC, who may call it, and how a good request is made."""

    method: str
    kind: type[Message]
    role: str
    request: _Request

    def stub(self, house: Ledger) -> Any:
        """The stub of a caller who may."""
        return getattr(house, self.role)


_NAMES = iter(range(1, 10**9))


async def _player(house: Ledger, amount_minor: int = 100_000) -> str:
    player_id = f"edge{next(_NAMES)}"
    await house.player(player_id, amount_minor)
    return player_id


async def _deposit(house: Ledger) -> Message:
    return pb.DepositRequest(player_id=await _player(house, 0), amount=euro(5))


async def _withdraw(house: Ledger) -> Message:
    return pb.WithdrawRequest(player_id=await _player(house), amount=euro(5))


async def _hold(house: Ledger) -> Message:
    request = pb.PlaceHoldRequest(player_id=await _player(house), amount=euro(5))
    request.lasts.FromSeconds(60)
    return request


async def _announce(_: Ledger) -> Message:
    return pb.AnnounceTournamentRequest(announcement=announcement())


async def _event(house: Ledger) -> tuple[str, list[str]]:
    from sevenstud.common.v1.rules_pb2 import RuleSet

    rules = RuleSet()
    rules.tournament.rebuy.max_count = 3
    rules.tournament.add_on.offered = True
    rules.tournament.add_on.price_max_minor = 1_000
    players = [f"edge{next(_NAMES)}" for _ in range(3)]
    return await house.event(players, rules), players


async def _add_on(house: Ledger) -> Message:
    tournament_id, players = await _event(house)
    return pb.BuyAddOnRequest(tournament_id=tournament_id, player_id=players[0], price=euro(500))


async def _cancel(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    return pb.CancelTournamentRequest(tournament_id=tournament_id, cause="rain")


async def _start(house: Ledger) -> Message:
    tournament = await house.announce()
    players = [await _player(house), await _player(house)]
    await house.register(tournament.tournament_id, *players)
    seats = [pb.SeatAssignment(player_id=each, table_id="t", seat=at + 1) for at, each in enumerate(players)]
    return pb.StartPlayRequest(tournament_id=tournament.tournament_id, seats=seats)


async def _hand(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    sheet = await house.sheet(tournament_id, 1)
    results = [
        pb.HandResult(player_id=seat.player_id, before_chips=seat.chips, after_chips=seat.chips) for seat in sheet.seats
    ]
    return pb.RecordHandRequest(
        hand_id=f"edge-hand{next(_NAMES)}",
        tournament_id=tournament_id,
        table_id="table-1",
        hand_number=1,
        results=results,
    )


async def _sheet(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    return pb.OpenSheetRequest(tournament_id=tournament_id, table_id="table-1", hand_number=1)


async def _sheet_taken_back(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    await house.sheet(tournament_id, 1)
    version = (await house.tournament(tournament_id)).version
    return pb.WithdrawSheetRequest(
        tournament_id=tournament_id, table_id="table-1", hand_number=1, expected_version=version
    )


async def _level(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    return pb.RecordLevelRequest(tournament_id=tournament_id, level=2)


async def _move(house: Ledger) -> Message:
    tournament_id, players = await _event(house)
    to = pb.SeatAssignment(player_id=players[0], table_id="table-1", seat=8)
    return pb.RecordMoveRequest(tournament_id=tournament_id, to=to)


async def _director(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    return pb.RecordDirectorRequest(tournament_id=tournament_id, director_id="orchestrator-1")


async def _table(house: Ledger) -> Message:
    del house
    table_id = f"edge-table{next(_NAMES)}"
    return pb.OpenCashTableRequest(table_id=table_id, chip_value=euro(10), rules=card_room_cash())


async def _buy_in(house: Ledger) -> Message:
    table: Any = await _table(house)
    table.request_id = fresh()
    await house.service.OpenCashTable(table)
    chips = table.rules.buy_in_min_chips
    player_id = await _player(house, 10 * chips)
    return pb.BuyInRequest(table_id=table.table_id, player_id=player_id, chips=chips, seat=1)


async def _postings(house: Ledger) -> Message:
    return pb.ListPostingsRequest(player_id=await _player(house), currency="EUR", page_size=5)


async def _verify(_: Ledger) -> Message:
    return pb.VerifyJournalRequest(book="wallets")


async def _export(_: Ledger) -> Message:
    return pb.ExportJournalRequest(book="wallets", page_size=5)


async def _deal(house: Ledger) -> Message:
    from sevenstud.common.v1.rule_options_pb2 import DEAL_KIND_FREE
    from sevenstud.common.v1.rules_pb2 import RuleSet

    rules = RuleSet()
    rules.tournament.deal = DEAL_KIND_FREE
    players = [f"edge{next(_NAMES)}" for _ in range(3)]
    tournament_id = await house.event(players, rules)
    request = pb.ProposeDealRequest(tournament_id=tournament_id, player_id=players[0])
    for player_id in players:
        request.shares.add(player_id=player_id, amount_minor=800)
    return request


async def _accept(house: Ledger) -> Message:
    proposed: Any = await _deal(house)
    proposed.request_id = fresh()
    player_id = proposed.shares[1].player_id
    return pb.AcceptDealRequest(tournament_id=proposed.tournament_id, player_id=player_id, deal_number=1)


async def _end_round(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    return pb.EndHandForHandRoundRequest(tournament_id=tournament_id, round=1)


async def _next_round(house: Ledger) -> Message:
    tournament_id, players = await _event(house)
    seats = [pb.SeatAssignment(player_id=each, table_id="r2", seat=at + 1) for at, each in enumerate(players)]
    return pb.StartRoundRequest(tournament_id=tournament_id, round=2, seats=seats)


async def _tournaments(_: Ledger) -> Message:
    return pb.ListTournamentsRequest(page_size=5)


async def _books(_: Ledger) -> Message:
    return pb.ListBooksRequest(page_size=5)


async def _standings(house: Ledger) -> Message:
    tournament_id, _ = await _event(house)
    return pb.GetStandingsRequest(tournament_id=tournament_id, page_size=5)


async def _choose_seat(house: Ledger) -> Message:
    from sevenstud.common.v1.rule_options_pb2 import START_SEATS_CHOSEN
    from sevenstud.common.v1.rules_pb2 import RuleSet

    rules = RuleSet()
    rules.tournament.start_seats = START_SEATS_CHOSEN
    tournament, player_id = await house.announce(rules), await _player(house)
    await house.register(tournament.tournament_id, player_id)
    return pb.ChooseSeatRequest(tournament_id=tournament.tournament_id, player_id=player_id, table=1, seat=1)


def askings() -> tuple[Asking, ...]:
    """All of them."""
    return (
        Asking("Deposit", pb.DepositRequest, "backend", _deposit),
        Asking("Withdraw", pb.WithdrawRequest, "backend", _withdraw),
        Asking("PlaceHold", pb.PlaceHoldRequest, "backend", _hold),
        Asking("AnnounceTournament", pb.AnnounceTournamentRequest, "backend", _announce),
        Asking("BuyAddOn", pb.BuyAddOnRequest, "backend", _add_on),
        Asking("ChooseSeat", pb.ChooseSeatRequest, "backend", _choose_seat),
        Asking("CancelTournament", pb.CancelTournamentRequest, "operator", _cancel),
        Asking("StartPlay", pb.StartPlayRequest, "service", _start),
        Asking("RecordHand", pb.RecordHandRequest, "service", _hand),
        Asking("OpenSheet", pb.OpenSheetRequest, "service", _sheet),
        Asking("WithdrawSheet", pb.WithdrawSheetRequest, "service", _sheet_taken_back),
        Asking("RecordLevel", pb.RecordLevelRequest, "service", _level),
        Asking("RecordMove", pb.RecordMoveRequest, "service", _move),
        Asking("RecordDirector", pb.RecordDirectorRequest, "service", _director),
        Asking("OpenCashTable", pb.OpenCashTableRequest, "service", _table),
        Asking("BuyIn", pb.BuyInRequest, "service", _buy_in),
        Asking("ListPostings", pb.ListPostingsRequest, "backend", _postings),
        Asking("VerifyJournal", pb.VerifyJournalRequest, "auditor", _verify),
        Asking("ExportJournal", pb.ExportJournalRequest, "auditor", _export),
        Asking("ProposeDeal", pb.ProposeDealRequest, "backend", _deal),
        Asking("AcceptDeal", pb.AcceptDealRequest, "backend", _accept),
        Asking("EndHandForHandRound", pb.EndHandForHandRoundRequest, "service", _end_round),
        Asking("StartRound", pb.StartRoundRequest, "service", _next_round),
        Asking("ListTournaments", pb.ListTournamentsRequest, "backend", _tournaments),
        Asking("ListBooks", pb.ListBooksRequest, "auditor", _books),
        Asking("GetStandings", pb.GetStandingsRequest, "backend", _standings),
    )
