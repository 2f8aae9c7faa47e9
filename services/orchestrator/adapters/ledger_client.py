"""The tournament ledger over gRPC."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final

import grpc
from sevenstud.common.v1.money_pb2 import Money as MoneyMessage
from sevenstud.common.v1.rules_pb2 import CashRules as CashRulesMessage
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as wire
from sevenstud.tournament_ledger.v1.fact_pb2 import TournamentFact
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import TournamentState

from services.orchestrator.adapters.remote import ask, refusal, request_id
from services.orchestrator.domain.booking import (
    BookedHand,
    BookedRound,
    HandToBook,
    LedgerSheet,
    LedgerState,
    LedgerTournament,
    Match,
    Money,
    NumberedFact,
    Placement,
    SeatAssignment,
    Standing,
)
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import CashRules
from shared.rpc.client import RemoteError
from shared.rpc.mirror import from_proto, to_proto

_NAME = "tournament_ledger"
_PAGE: Final = 200
_PASSES_MAX: Final = 5
_SHEETS_AT_ONCE: Final = 64
"""A large tournament begins with one at each of its tables at the same time: the ledger keeps its places for others."""
_SHEET_TURN_SECONDS: Final = 2.0
_FOLLOWED: Final = {
    "tournament_announced",
    "player_registered",
    "player_placed",
    "chips_purchased",
    "player_entered_late",
    "late_registration_closed",
    "prizes_fixed",
    "tournament_finished",
    "tournament_cancelled",
}


class LedgerClient:
    """Implements ports.Ledger."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Call through this channel."""
        self._stub = TournamentLedgerServiceStub(channel)
        self._sheets = asyncio.Semaphore(_SHEETS_AT_ONCE)

    async def get_tournament(self, tournament_id: str) -> LedgerTournament:
        """See ports.Ledger."""
        request = wire.GetTournamentRequest(tournament_id=tournament_id)
        response = await ask(_NAME, self._stub.GetTournament(request))
        return from_proto(response.tournament, LedgerTournament)

    async def list_tournaments(self, state: LedgerState) -> AsyncIterator[LedgerTournament]:
        """See ports.Ledger."""
        request = wire.ListTournamentsRequest(
            state=TournamentState.Value(f"TOURNAMENT_STATE_{state.name}"), page_size=_PAGE
        )
        while True:
            page = await ask(_NAME, self._stub.ListTournaments(request))
            for tournament in page.tournaments:
                yield from_proto(tournament, LedgerTournament)
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def get_standings(self, tournament_id: str) -> tuple[Standing, ...]:
        """See ports.Ledger.

        Pages of several versions may lack who changed places between two of them: they are read again, and where that
        happens every time each player is taken from the last pages that had it.
        """
        found: dict[str, Standing] = {}
        for _ in range(_PASSES_MAX):
            lines, versions = await self._all_standings(tournament_id)
            if len(versions) == 1:
                return lines
            for line in lines:
                found.pop(line.player_id, None)
                found[line.player_id] = line
        return tuple(found.values())

    async def _all_standings(self, tournament_id: str) -> tuple[tuple[Standing, ...], set[int]]:
        """Every page once, and the versions that they are of."""
        request = wire.GetStandingsRequest(tournament_id=tournament_id, page_size=_PAGE)
        found: list[Standing] = []
        versions: set[int] = set()
        while True:
            page = await ask(_NAME, self._stub.GetStandings(request))
            found += [from_proto(standing, Standing) for standing in page.standings]
            versions.add(page.version)
            if not page.next_page_token:
                return tuple(found), versions
            request.page_token = page.next_page_token

    async def unregister(self, tournament_id: str, player_id: str, version: int) -> None:
        """See ports.Ledger."""
        request = wire.UnregisterRequest(
            request_id=request_id(_NAME, "unregister", tournament_id, player_id, version),
            tournament_id=tournament_id,
            player_id=player_id,
        )
        try:
            await ask(_NAME, self._stub.Unregister(request))
        except DomainError as refused:
            if refused.reason is not Reason.NOT_REGISTERED:
                raise

    async def cancel_tournament(self, tournament_id: str, cause: str, version: int) -> None:
        """See ports.Ledger."""
        request = wire.CancelTournamentRequest(
            request_id=request_id(_NAME, "cancel", tournament_id, version),
            tournament_id=tournament_id,
            cause=cause,
            expected_version=version,
        )
        await ask(_NAME, self._stub.CancelTournament(request))

    async def start_play(self, tournament_id: str, seats: Sequence[SeatAssignment], draw_id: str) -> LedgerState:
        """See ports.Ledger."""
        places = [f"{seat.player_id}/{seat.table_id}/{seat.seat}" for seat in seats]
        request = wire.StartPlayRequest(
            request_id=request_id(_NAME, "start_play", tournament_id, draw_id, *places),
            tournament_id=tournament_id,
            seats=[to_proto(seat, wire.SeatAssignment) for seat in seats],
            draw_id=draw_id,
        )
        response = await ask(_NAME, self._stub.StartPlay(request))
        return from_proto(response.tournament, LedgerTournament).state

    async def record_hand(self, hand: HandToBook) -> BookedHand:
        """See ports.Ledger."""
        request = to_proto(hand, wire.RecordHandRequest)
        request.request_id = request_id(_NAME, "record_hand", hand.hand_id)
        return from_proto(await ask(_NAME, self._stub.RecordHand(request)), BookedHand)

    async def open_sheet(
        self, tournament_id: str, table_id: str, hand_number: int, look: str, director_id: str = ""
    ) -> LedgerSheet:
        """See ports.Ledger."""
        request = wire.OpenSheetRequest(
            request_id=request_id(_NAME, "open_sheet", tournament_id, table_id, hand_number, look),
            tournament_id=tournament_id,
            table_id=table_id,
            hand_number=hand_number,
            director_id=director_id,
        )
        return await self._sheet(request)

    async def open_cash_sheet(self, table_id: str, hand_number: int, table_version: int, look: str) -> LedgerSheet:
        """See ports.Ledger."""
        request = wire.OpenSheetRequest(
            request_id=request_id(_NAME, "open_sheet", "", table_id, hand_number, look),
            table_id=table_id,
            hand_number=hand_number,
            table_version=table_version,
        )
        return await self._sheet(request)

    async def _sheet(self, request: wire.OpenSheetRequest) -> LedgerSheet:
        async with self._one_of_few():
            return from_proto(await ask(_NAME, self._stub.OpenSheet(request)), LedgerSheet)

    @asynccontextmanager
    async def _one_of_few(self) -> AsyncGenerator[None]:
        """Whose turn does not come in time waits visibly, as where the ledger is away."""
        try:
            async with asyncio.timeout(_SHEET_TURN_SECONDS):
                await self._sheets.acquire()
        except TimeoutError:
            raise ServiceAway(_NAME) from None
        try:
            yield
        finally:
            self._sheets.release()

    async def record_director(self, tournament_id: str, director_id: str, look: int) -> None:
        """See ports.Ledger."""
        request = wire.RecordDirectorRequest(
            request_id=request_id(_NAME, "record_director", tournament_id, director_id, look),
            tournament_id=tournament_id,
            director_id=director_id,
        )
        try:
            await ask(_NAME, self._stub.RecordDirector(request))
        except RemoteError as refused:  # a ledger of an earlier release takes steps from anybody
            if refused.code is not grpc.StatusCode.UNIMPLEMENTED:
                raise

    async def withdraw_sheet(
        self, tournament_id: str, table_id: str, hand_number: int, version: int, director_id: str
    ) -> None:
        """See ports.Ledger."""
        request = wire.WithdrawSheetRequest(
            request_id=request_id(_NAME, "withdraw_sheet", tournament_id, table_id, hand_number, version),
            tournament_id=tournament_id,
            table_id=table_id,
            hand_number=hand_number,
            expected_version=version,
            director_id=director_id,
        )
        try:
            await ask(_NAME, self._stub.WithdrawSheet(request))
        except RemoteError as refused:  # a ledger of an earlier release keeps it open until the hand is played
            if refused.code is not grpc.StatusCode.UNIMPLEMENTED:
                raise

    async def end_hand_for_hand_round(self, tournament_id: str, number: int, director_id: str) -> BookedRound:
        """See ports.Ledger."""
        request = wire.EndHandForHandRoundRequest(
            request_id=request_id(_NAME, "end_hand_for_hand_round", tournament_id, number),
            tournament_id=tournament_id,
            round=number,
            director_id=director_id,
        )
        return from_proto(await ask(_NAME, self._stub.EndHandForHandRound(request)), BookedRound)

    async def record_lots(
        self, tournament_id: str, table_id: str, drawn: Sequence[str], draw_id: str, director_id: str
    ) -> tuple[tuple[Placement, ...], Match]:
        """See ports.Ledger."""
        request = wire.RecordLotsRequest(
            request_id=request_id(_NAME, "record_lots", tournament_id, table_id, draw_id, *drawn),
            tournament_id=tournament_id,
            table_id=table_id,
            player_ids=drawn,
            draw_id=draw_id,
            director_id=director_id,
        )
        answer = await ask(_NAME, self._stub.RecordLots(request))
        return tuple(from_proto(each, Placement) for each in answer.placements), from_proto(answer.match, Match)

    async def start_round(
        self, tournament_id: str, number: int, seats: Sequence[SeatAssignment], draw_id: str, director_id: str
    ) -> LedgerTournament:
        """See ports.Ledger."""
        places = [f"{seat.player_id}/{seat.table_id}/{seat.seat}" for seat in seats]
        request = wire.StartRoundRequest(
            request_id=request_id(_NAME, "start_round", tournament_id, number, draw_id, *places),
            tournament_id=tournament_id,
            round=number,
            seats=[to_proto(seat, wire.SeatAssignment) for seat in seats],
            draw_id=draw_id,
            director_id=director_id,
        )
        return from_proto((await ask(_NAME, self._stub.StartRound(request))).tournament, LedgerTournament)

    async def record_level(self, tournament_id: str, level: int, round_number: int, director_id: str) -> None:
        """See ports.Ledger."""
        again = [round_number] if round_number > 1 else []  # levels begin anew with every round
        request = wire.RecordLevelRequest(
            request_id=request_id(_NAME, "record_level", tournament_id, level, *again),
            tournament_id=tournament_id,
            level=level,
            director_id=director_id,
        )
        await ask(_NAME, self._stub.RecordLevel(request))

    async def record_move(
        self, tournament_id: str, to: SeatAssignment, draw_id: str, step: str, director_id: str
    ) -> None:
        """See ports.Ledger."""
        request = wire.RecordMoveRequest(
            request_id=request_id(_NAME, "record_move", tournament_id, to.player_id, to.table_id, to.seat, step),
            tournament_id=tournament_id,
            to=to_proto(to, wire.SeatAssignment),
            draw_id=draw_id,
            director_id=director_id,
        )
        await ask(_NAME, self._stub.RecordMove(request))

    async def open_cash_table(self, table_id: str, chip_value: Money, rules: CashRules) -> None:
        """See ports.Ledger."""
        request = wire.OpenCashTableRequest(
            request_id=request_id(_NAME, "open_cash_table", table_id),
            table_id=table_id,
            chip_value=to_proto(chip_value, MoneyMessage),
            rules=to_proto(rules, CashRulesMessage),
        )
        await ask(_NAME, self._stub.OpenCashTable(request))

    async def buy_in(
        self, table_id: str, player_id: str, seat: int, chips: int, cause_id: str, table_version: int = 0
    ) -> int:
        """See ports.Ledger."""
        request = wire.BuyInRequest(
            request_id=request_id(_NAME, "buy_in", cause_id),
            table_id=table_id,
            player_id=player_id,
            chips=chips,
            seat=seat,
            table_version=table_version,
        )
        response = await ask(_NAME, self._stub.BuyIn(request))
        return response.chips

    async def cash_out(self, table_id: str, player_id: str, cause_id: str) -> int:
        """See ports.Ledger."""
        request = wire.CashOutRequest(
            request_id=request_id(_NAME, "cash_out", table_id, player_id, cause_id),
            table_id=table_id,
            player_id=player_id,
        )
        response = await ask(_NAME, self._stub.CashOut(request))
        return response.chips

    async def watch(self, tournament_id: str, after_version: int) -> AsyncIterator[NumberedFact]:
        """See ports.Ledger."""
        request = wire.WatchRequest(tournament_id=tournament_id, after_version=after_version)
        call = self._stub.Watch(request)
        try:
            async for item in call:
                if item.WhichOneof("item") == "ended":
                    return
                yield _fact(item.fact)
        except grpc.aio.AioRpcError as error:
            raise refusal(error, _NAME) from error
        finally:
            call.cancel()


def _fact(message: TournamentFact) -> NumberedFact:
    """The fact, or its number alone where it changes nothing for the director."""
    if message.WhichOneof("fact") in _FOLLOWED:
        return from_proto(message, NumberedFact)
    return NumberedFact(tournament_id=message.tournament_id, version=message.version, fact=None)
