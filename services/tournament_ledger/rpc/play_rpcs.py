"""RPCs of play and of cash tables, for the orchestrator."""

from sevenstud.common.v1 import game_pb2, rule_options_pb2
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.application.cash import ChipsMoved
from services.tournament_ledger.domain.facts import FeatShown, HandRecorded, HandResult
from services.tournament_ledger.domain.standings import HandBooked, LotsBooked, RoundBooked, Sheet, Standing
from services.tournament_ledger.domain.tournament import Tournament
from services.tournament_ledger.rpc.calls import call_of, directed_call, hand_call, response_of
from services.tournament_ledger.rpc.messages import seat_of, tournament_message
from services.tournament_ledger.rpc.tournament_rpcs import standing_message
from services.tournament_ledger.rpc.use_cases import UseCases
from services.tournament_ledger.rpc.wallet_rpcs import money_of
from shared.kernel.game import Street
from shared.kernel.rules import CashRules, Feat
from shared.observability.logging import bind_call
from shared.rpc.context import Context
from shared.rpc.mirror import from_proto, to_proto


class PlayRpcs:
    """Play and cash tables."""

    _use: UseCases

    async def StartPlay(self, request: pb.StartPlayRequest, context: Context) -> pb.StartPlayResponse:
        """Start play."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("StartPlay", request, _started_message)
        seats = tuple(seat_of(each) for each in request.seats)
        answer = await self._use.play.start_play(call, request.tournament_id, seats, request.draw_id)
        return response_of(answer, pb.StartPlayResponse)

    async def OpenSheet(self, request: pb.OpenSheetRequest, context: Context) -> pb.OpenSheetResponse:
        """Freeze what the next hand starts from."""
        bind_call(tournament_id=request.tournament_id, table_id=request.table_id)
        call = directed_call("OpenSheet", request, _sheet_message)
        if request.tournament_id:
            answer = await self._use.play.open_sheet(call, request.tournament_id, request.table_id, request.hand_number)
        else:
            asked = (request.table_id, request.hand_number, request.table_version)
            answer = await self._use.cash.open_sheet(call, *asked)
        return response_of(answer, pb.OpenSheetResponse)

    async def WithdrawSheet(self, request: pb.WithdrawSheetRequest, context: Context) -> pb.WithdrawSheetResponse:
        """Take a sheet back."""
        bind_call(tournament_id=request.tournament_id, table_id=request.table_id)
        call = directed_call("WithdrawSheet", request, lambda _: pb.WithdrawSheetResponse())
        where = (request.tournament_id, request.expected_version)
        answer = await self._use.play.withdraw_sheet(call, *where, request.table_id, request.hand_number)
        return response_of(answer, pb.WithdrawSheetResponse)

    async def RecordHand(self, request: pb.RecordHandRequest, context: Context) -> pb.RecordHandResponse:
        """Book a hand."""
        bind_call(tournament_id=request.tournament_id, table_id=request.table_id, hand_id=request.hand_id)
        call = hand_call(request, _booked_message)
        hand = _hand(request)
        if request.tournament_id:
            answer = await self._use.play.record_hand(call, request.tournament_id, hand)
        else:
            answer = await self._use.cash.record_hand(call, request.table_id, hand)
        return response_of(answer, pb.RecordHandResponse)

    async def EndHandForHandRound(
        self, request: pb.EndHandForHandRoundRequest, context: Context
    ) -> pb.EndHandForHandRoundResponse:
        """End a round of hand for hand."""
        bind_call(tournament_id=request.tournament_id)
        call = directed_call("EndHandForHandRound", request, _round_message)
        answer = await self._use.play.end_hand_for_hand_round(call, request.tournament_id, request.round)
        return response_of(answer, pb.EndHandForHandRoundResponse)

    async def RecordLots(self, request: pb.RecordLotsRequest, context: Context) -> pb.RecordLotsResponse:
        """Record lots among equal players."""
        bind_call(tournament_id=request.tournament_id, table_id=request.table_id)
        call = directed_call("RecordLots", request, _lots_message)
        answer = await self._use.play.record_lots(
            call, request.tournament_id, request.table_id, tuple(request.player_ids), request.draw_id
        )
        return response_of(answer, pb.RecordLotsResponse)

    async def StartRound(self, request: pb.StartRoundRequest, context: Context) -> pb.StartRoundResponse:
        """Begin the next round."""
        bind_call(tournament_id=request.tournament_id)
        call = directed_call("StartRound", request, _round_started_message)
        seats = tuple(seat_of(each) for each in request.seats)
        answer = await self._use.play.start_round(call, request.tournament_id, request.round, seats, request.draw_id)
        return response_of(answer, pb.StartRoundResponse)

    async def RecordLevel(self, request: pb.RecordLevelRequest, context: Context) -> pb.RecordLevelResponse:
        """Begin a level."""
        bind_call(tournament_id=request.tournament_id)
        call = directed_call("RecordLevel", request, _level_message)
        answer = await self._use.play.record_level(call, request.tournament_id, request.level)
        return response_of(answer, pb.RecordLevelResponse)

    async def RecordMove(self, request: pb.RecordMoveRequest, context: Context) -> pb.RecordMoveResponse:
        """Move a player."""
        bind_call(tournament_id=request.tournament_id, table_id=request.to.table_id)
        call = directed_call("RecordMove", request, _moved_message)
        to = seat_of(request.to)
        answer = await self._use.play.record_move(call, request.tournament_id, to, request.draw_id)
        return response_of(answer, pb.RecordMoveResponse)

    async def RecordDirector(self, request: pb.RecordDirectorRequest, context: Context) -> pb.RecordDirectorResponse:
        """Let one process of the orchestrator direct."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("RecordDirector", request, lambda _: pb.RecordDirectorResponse())
        answer = await self._use.play.record_director(call, request.tournament_id, request.director_id)
        return response_of(answer, pb.RecordDirectorResponse)

    async def OpenCashTable(self, request: pb.OpenCashTableRequest, context: Context) -> pb.OpenCashTableResponse:
        """Open the book of a cash table."""
        bind_call(table_id=request.table_id)
        call = call_of("OpenCashTable", request, lambda _: pb.OpenCashTableResponse())
        rules = from_proto(request.rules, CashRules, "rules")
        answer = await self._use.cash.open_table(call, request.table_id, money_of(request.chip_value), rules)
        return response_of(answer, pb.OpenCashTableResponse)

    async def BuyIn(self, request: pb.BuyInRequest, context: Context) -> pb.BuyInResponse:
        """Sell chips."""
        bind_call(table_id=request.table_id)
        call = call_of("BuyIn", request, _bought_message)
        bought = (request.player_id, request.seat, request.chips, request.table_version)
        answer = await self._use.cash.buy_in(call, request.table_id, *bought)
        return response_of(answer, pb.BuyInResponse)

    async def CashOut(self, request: pb.CashOutRequest, context: Context) -> pb.CashOutResponse:
        """Pay chips into the wallet."""
        bind_call(table_id=request.table_id)
        call = call_of("CashOut", request, _cashed_message)
        answer = await self._use.cash.cash_out(call, request.table_id, request.player_id)
        return response_of(answer, pb.CashOutResponse)


def _hand(request: pb.RecordHandRequest) -> HandRecorded:
    street = game_pb2.Street.Name(request.street_reached).removeprefix("STREET_")
    return HandRecorded(
        hand_id=request.hand_id,
        table_id=request.table_id,
        hand_number=request.hand_number,
        results=tuple(HandResult(each.player_id, each.before_chips, each.after_chips) for each in request.results),
        rake_chips=request.rake_chips,
        street_reached=Street[street] if request.street_reached else None,
        feats=tuple(_feat(each) for each in request.feats),
        voided=request.voided,
        hand_for_hand_round=request.hand_for_hand_round or None,
        deck_root=request.deck_root.hex() or None,
    )


def _feat(message: pb.FeatShown) -> FeatShown:
    feat = Feat[rule_options_pb2.Feat.Name(message.feat).removeprefix("FEAT_")]
    return FeatShown(message.player_id, feat, message.uncontested)


def _started_message(tournament: Tournament) -> pb.StartPlayResponse:
    return pb.StartPlayResponse(tournament=tournament_message(tournament))


def _level_message(tournament: Tournament) -> pb.RecordLevelResponse:
    return pb.RecordLevelResponse(tournament=tournament_message(tournament))


def _round_message(booked: RoundBooked) -> pb.EndHandForHandRoundResponse:
    return to_proto(booked, pb.EndHandForHandRoundResponse)


def _lots_message(booked: LotsBooked) -> pb.RecordLotsResponse:
    return to_proto(booked, pb.RecordLotsResponse)


def _round_started_message(tournament: Tournament) -> pb.StartRoundResponse:
    return pb.StartRoundResponse(tournament=tournament_message(tournament))


def _moved_message(standing: Standing) -> pb.RecordMoveResponse:
    return pb.RecordMoveResponse(standing=standing_message(standing))


def _sheet_message(sheet: Sheet) -> pb.OpenSheetResponse:
    return to_proto(sheet, pb.OpenSheetResponse)


def _booked_message(booked: HandBooked) -> pb.RecordHandResponse:
    return to_proto(booked, pb.RecordHandResponse)


def _bought_message(moved: ChipsMoved) -> pb.BuyInResponse:
    return to_proto(moved, pb.BuyInResponse)


def _cashed_message(moved: ChipsMoved) -> pb.CashOutResponse:
    return to_proto(moved, pb.CashOutResponse)
