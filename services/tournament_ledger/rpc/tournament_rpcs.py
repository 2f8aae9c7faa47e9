"""RPCs that announce, fill, read and cancel tournaments."""

import uuid
from datetime import UTC, datetime

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_pb2

from services.tournament_ledger.domain.amounts import invalid
from services.tournament_ledger.domain.announcement import Announcement, StartKind
from services.tournament_ledger.domain.facts import TournamentAnnounced
from services.tournament_ledger.domain.journal import micros
from services.tournament_ledger.domain.standings import Standing
from services.tournament_ledger.domain.tournament import Tournament, TournamentState
from services.tournament_ledger.rpc.calls import call_of, response_of
from services.tournament_ledger.rpc.messages import tournament_message
from services.tournament_ledger.rpc.use_cases import UseCases
from services.tournament_ledger.rpc.wallet_rpcs import PAGE_MAX, money_of
from shared.observability.logging import bind_call
from shared.rpc.context import Context
from shared.rpc.mirror import to_proto
from shared.rpc.paging import fitting, page_of
from shared.rpc.rules import select_rules


def standing_message(standing: Standing) -> tournament_pb2.Standing:
    """A line of the standings."""
    return to_proto(standing, tournament_pb2.Standing)


class TournamentRpcs:
    """Announcing, registering, buying, reading, cancelling."""

    _use: UseCases

    async def AnnounceTournament(
        self, request: pb.AnnounceTournamentRequest, context: Context
    ) -> pb.AnnounceTournamentResponse:
        """Publish a tournament."""
        call = call_of("AnnounceTournament", request, _announced_message)
        fact = _announced(request)
        bind_call(tournament_id=fact.tournament_id)
        answer = await self._use.tournaments.announce(call, fact)
        return response_of(answer, pb.AnnounceTournamentResponse)

    async def Register(self, request: pb.RegisterRequest, context: Context) -> pb.RegisterResponse:
        """Register a player."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("Register", request, _registered_message)
        answer = await self._use.tournaments.register(call, request.tournament_id, request.player_id)
        return response_of(answer, pb.RegisterResponse)

    async def Unregister(self, request: pb.UnregisterRequest, context: Context) -> pb.UnregisterResponse:
        """Withdraw a registration."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("Unregister", request, lambda it: pb.UnregisterResponse(entrants=it))
        answer = await self._use.tournaments.unregister(call, request.tournament_id, request.player_id)
        return response_of(answer, pb.UnregisterResponse)

    async def ChooseSeat(self, request: pb.ChooseSeatRequest, context: Context) -> pb.ChooseSeatResponse:
        """Choose the seat of the first hand."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("ChooseSeat", request, lambda it: pb.ChooseSeatResponse(standing=standing_message(it)))
        answer = await self._use.tournaments.choose_seat(
            call, request.tournament_id, request.player_id, request.table, request.seat
        )
        return response_of(answer, pb.ChooseSeatResponse)

    async def Rebuy(self, request: pb.RebuyRequest, context: Context) -> pb.RebuyResponse:
        """Sell the starting stack again."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("Rebuy", request, lambda it: pb.RebuyResponse(standing=standing_message(it)))
        answer = await self._use.tournaments.rebuy(call, request.tournament_id, request.player_id)
        return response_of(answer, pb.RebuyResponse)

    async def ReEnter(self, request: pb.ReEnterRequest, context: Context) -> pb.ReEnterResponse:
        """Let an excluded player in again."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("ReEnter", request, lambda it: pb.ReEnterResponse(standing=standing_message(it)))
        answer = await self._use.tournaments.re_enter(call, request.tournament_id, request.player_id)
        return response_of(answer, pb.ReEnterResponse)

    async def BuyAddOn(self, request: pb.BuyAddOnRequest, context: Context) -> pb.BuyAddOnResponse:
        """Sell the add-on."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("BuyAddOn", request, lambda it: pb.BuyAddOnResponse(standing=standing_message(it)))
        price = money_of(request.price)
        answer = await self._use.tournaments.buy_add_on(call, request.tournament_id, request.player_id, price)
        return response_of(answer, pb.BuyAddOnResponse)

    async def ReleaseSecondChance(
        self, request: pb.ReleaseSecondChanceRequest, context: Context
    ) -> pb.ReleaseSecondChanceResponse:
        """Bring a second chance into play."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of(
            "ReleaseSecondChance", request, lambda it: pb.ReleaseSecondChanceResponse(standing=standing_message(it))
        )
        answer = await self._use.tournaments.release(call, request.tournament_id, request.player_id)
        return response_of(answer, pb.ReleaseSecondChanceResponse)

    async def GetTournament(self, request: pb.GetTournamentRequest, context: Context) -> pb.GetTournamentResponse:
        """A tournament."""
        found = await self._use.queries.tournament(request.tournament_id)
        return pb.GetTournamentResponse(tournament=tournament_message(found))

    async def ListTournaments(self, request: pb.ListTournamentsRequest, context: Context) -> pb.ListTournamentsResponse:
        """A page of tournaments."""
        state = _state(request)
        page = page_of(request.page_size, request.page_token, f"tournaments {state}", (int, str), PAGE_MAX)
        after = (int(page.after[0]), str(page.after[1])) if page.after else None
        found = await self._use.queries.tournaments(state, after, page.size + 1)
        listed = fitting(tournament_message(each) for each in found[: page.size])
        token = ""
        if len(found) > len(listed):
            last = found[len(listed) - 1]
            token = page.next_token((micros(last.announced_at), last.tournament_id))
        return pb.ListTournamentsResponse(tournaments=listed, next_page_token=token)

    async def GetStandings(self, request: pb.GetStandingsRequest, context: Context) -> pb.GetStandingsResponse:
        """A page of standings."""
        page = page_of(request.page_size, request.page_token, f"standings {request.tournament_id}", (int,), PAGE_MAX)
        start = int(page.after[0]) if page.after else 0
        lines, count, version = await self._use.queries.standings(request.tournament_id, start, start + page.size)
        listed = fitting(standing_message(each) for each in lines)
        end = start + len(listed)
        token = page.next_token((end,)) if end < count else ""
        return pb.GetStandingsResponse(standings=listed, next_page_token=token, version=version)

    async def CancelTournament(
        self, request: pb.CancelTournamentRequest, context: Context
    ) -> pb.CancelTournamentResponse:
        """Call a tournament off."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("CancelTournament", request, _cancelled_message)
        answer = await self._use.tournaments.cancel(
            call, request.tournament_id, request.cause, request.expected_version
        )
        return response_of(answer, pb.CancelTournamentResponse)


def _announced_message(tournament: Tournament) -> pb.AnnounceTournamentResponse:
    return pb.AnnounceTournamentResponse(tournament=tournament_message(tournament))


def _registered_message(registered: tuple[Standing, int]) -> pb.RegisterResponse:
    standing, entrants = registered
    return pb.RegisterResponse(standing=standing_message(standing), entrants=entrants)


def _cancelled_message(tournament: Tournament) -> pb.CancelTournamentResponse:
    return pb.CancelTournamentResponse(tournament=tournament_message(tournament))


def _announced(request: pb.AnnounceTournamentRequest) -> TournamentAnnounced:
    """The request as a fact; an id that the caller leaves open follows from the request id."""
    message = request.announcement
    _, rules = select_rules(message.rules, "announcement.rules")
    announcement = Announcement(
        name=message.name,
        preset=message.rules.preset,
        overrides=message.rules.overrides.SerializeToString(deterministic=True),
        fee=money_of(message.fee),
        entrants_min=message.entrants_min,
        entrants_max=message.entrants_max,
        seats_per_table=message.seats_per_table,
        start=StartKind[tournament_pb2.StartKind.Name(message.start).removeprefix("START_KIND_")],
        starts_at=_starts_at(message),
        bonus_fund_minor=message.bonus_fund_minor,
    )
    tournament_id = request.tournament_id or "t-" + uuid.UUID(request.request_id).hex
    return TournamentAnnounced(tournament_id, announcement, rules)


def _starts_at(message: tournament_pb2.Announcement) -> datetime | None:
    if not message.HasField("starts_at"):
        return None
    try:
        return message.starts_at.ToDatetime(tzinfo=UTC)
    except (ValueError, OverflowError):
        raise invalid("announcement.starts_at", "a moment of the years 1 to 9999, nanos 0 to 999999999") from None


def _state(request: pb.ListTournamentsRequest) -> TournamentState | None:
    if not request.state:
        return None
    return TournamentState[tournament_pb2.TournamentState.Name(request.state).removeprefix("TOURNAMENT_STATE_")]
