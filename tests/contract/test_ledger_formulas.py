"""Rounds, hand for hand, satellites and agreed splits through the ledger's contract (rules 155-158, 185, 202, 203)."""

from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import TOURNAMENT_STATE_FINISHED, DealShare

from services.tournament_ledger.domain.canonical import from_text
from services.tournament_ledger.domain.facts import KNOWN
from services.tournament_ledger.domain.fold import fold
from services.tournament_ledger.rpc.messages import tournament_message
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from tests.support.ledger_house import Ledger, fresh, ledger, refusal, refused, tournament_rules
from tests.support.servers import calling

STACK = 1000


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


class Play:
    """A tournament over several tables, hand by hand."""

    def __init__(self, house: Ledger, tournament_id: str) -> None:
        self.house, self.id = house, tournament_id
        self.numbers: dict[str, int] = {}

    async def hand(self, table_id: str, round_number: int = 0, **changes: int) -> pb.RecordHandResponse:
        number = self.numbers.get(table_id, 0) + 1
        sheet = await self.house.sheet(self.id, number, table_id)
        self.numbers[table_id] = number
        results = [
            pb.HandResult(
                player_id=seat.player_id,
                before_chips=seat.chips,
                after_chips=seat.chips + changes.get(seat.player_id, 0),
            )
            for seat in sheet.seats
            if seat.chips
        ]
        request = pb.RecordHandRequest(
            request_id=fresh(),
            hand_id=f"{self.id}-{table_id}-{number}",
            tournament_id=self.id,
            table_id=table_id,
            hand_number=number,
            results=results,
            hand_for_hand_round=round_number,
        )
        answer = await self.house.service.RecordHand(request)
        again = pb.RecordHandRequest()
        again.CopyFrom(request)
        again.hand_for_hand_round = 0  # a repetition that says otherwise gets the first answer
        assert await self.house.service.RecordHand(again) == answer
        return answer

    async def places(self) -> dict[str, int]:
        lines = await self.house.standings(self.id)
        return {name: each.place for name, each in lines.items() if each.place}

    async def prizes(self) -> dict[str, int]:
        lines = await self.house.standings(self.id)
        return {name: each.prize_minor for name, each in lines.items() if each.prize_minor}

    async def finish(self) -> None:
        """The books are sound, and the journal alone tells the same tournament."""
        tournament = await self.house.tournament(self.id)
        assert tournament.state == TOURNAMENT_STATE_FINISHED
        assert sum((await self.prizes()).values()) == tournament.prize_fund_minor
        await self.house.sound()
        request = pb.ExportJournalRequest(book=f"tournament:{self.id}", page_size=500)
        entries = (await self.house.auditor.ExportJournal(request)).entries
        told = [(each.at.ToDatetime(), from_text(each.subject, KNOWN)) for each in entries]
        folded = fold(told)
        assert folded is not None
        kept, again = tournament, tournament_message(folded)
        for field in ("prizes_minor", "round", "chips_total", "state", "players_left", "prize_fund_minor"):
            assert getattr(again, field) == getattr(kept, field)


def seats(tables: Mapping[str, str]) -> list[pb.SeatAssignment]:
    return [
        pb.SeatAssignment(player_id=player_id, table_id=table_id, seat=seat)
        for table_id, players in tables.items()
        for seat, player_id in enumerate(players.split(), start=1)
    ]


async def begin(house: Ledger, tables: Mapping[str, str], terms: Mapping[str, Any] | None = None, **rules: Any) -> Play:
    players = " ".join(tables.values()).split()
    for player_id in players:
        await house.player(player_id, 100_000)
    overrides = tournament_rules(starting_stack_chips=STACK, **rules)
    tournament = await house.announce(overrides, **({"entrants_max": 64, "seats_per_table": 4} | dict(terms or {})))
    await house.register(tournament.tournament_id, *players)
    request = pb.StartPlayRequest(
        request_id=fresh(), tournament_id=tournament.tournament_id, seats=seats(tables), draw_id="draw"
    )
    await house.service.StartPlay(request)
    return Play(house, tournament.tournament_id)


async def test_a_shootout_with_a_tie_that_lots_decide(house: Ledger) -> None:
    tables = {"t1": "ann bob cat dan", "t2": "eve fay gil hal"}
    play = await begin(house, tables, formula=option.FORMULA_ROUNDS, qualifiers=2)
    assert [each.over for each in (await house.tournament(play.id)).matches] == [False, False]
    answer = await play.hand("t1", ann=3 * STACK, bob=-STACK, cat=-STACK, dan=-STACK)
    assert (list(answer.match.qualified_player_ids), answer.match.lots_count) == (["ann"], 1)
    assert list(answer.match.lots_player_ids) == ["bob", "cat", "dan"]
    assert not answer.placements
    lots = pb.RecordLotsRequest(
        request_id=fresh(), tournament_id=play.id, table_id="t1", player_ids=["cat", "bob", "dan"], draw_id="lots"
    )
    drawn = await house.service.RecordLots(lots)
    assert {each.player_id: each.place for each in drawn.placements} == {"bob": 7, "dan": 7}
    assert list(drawn.match.qualified_player_ids) == ["ann", "cat"]
    assert await house.service.RecordLots(lots) == drawn
    early = pb.StartRoundRequest(
        request_id=fresh(), tournament_id=play.id, round=2, seats=seats({"t3": "ann cat"}), draw_id="draw"
    )
    await refused(house.service.StartRound(early), Reason.OUT_OF_STEP)
    await play.hand("t2", eve=STACK, fay=-STACK)
    await play.hand("t2", eve=STACK, gil=-STACK)
    assert (await house.standings(play.id))["hal"].qualified
    final = seats({"t3": "ann cat eve hal"})
    request = pb.StartRoundRequest(request_id=fresh(), tournament_id=play.id, round=2, seats=final, draw_id="draw-2")
    begun = (await house.service.StartRound(request)).tournament
    assert (begun.round, begun.level, begun.chips_total, list(begun.matches)) == (2, 1, 4 * STACK, [])
    await play.hand("t3", hal=3 * STACK, ann=-STACK, cat=-STACK, eve=-STACK)
    assert await play.places() == {
        "hal": 1, "ann": 2, "cat": 2, "eve": 2, "gil": 5, "fay": 6, "bob": 7, "dan": 7
    }  # fmt: skip
    await play.finish()


async def test_the_exclusions_of_a_hand_for_hand_round_are_one_hand(house: Ledger) -> None:
    play = await begin(house, {"t1": "ann bob", "t2": "cat dan"}, formula=option.FORMULA_MULTI_TABLE)
    await play.hand("t1", ann=300, bob=-300)
    await play.hand("t2", cat=100, dan=-100)
    first = await play.hand("t1", 1, ann=700, bob=-700)
    assert (list(first.placements), first.hand_for_hand_round, first.players_left) == ([], 1, 4)
    assert (await house.tournament(play.id)).hand_for_hand_round == 1
    await play.hand("t2", 1, cat=900, dan=-900)
    request = pb.EndHandForHandRoundRequest(request_id=fresh(), tournament_id=play.id, round=1)
    ended = await house.service.EndHandForHandRound(request)
    assert {each.player_id: each.place for each in ended.placements} == {"bob": 4, "dan": 3}
    assert ended.players_left == 2
    await house.sound()


async def test_a_satellite_pays_seats_and_ends(house: Ledger) -> None:
    terms = {"seats_per_table": 8, "entrants_max": 8}
    play = await begin(house, {"t1": "ann bob cat dan eve"}, terms, satellite_seat_minor=1500)
    assert list((await house.tournament(play.id)).prizes_minor) == [1500, 1500, 1000]
    await play.hand("t1", ann=2 * STACK, dan=-STACK, eve=-STACK)
    await play.hand("t1", ann=STACK, cat=-STACK)
    assert await play.prizes() == {"ann": 1500, "bob": 1500, "cat": 1000}
    assert (await house.standings(play.id))["bob"].place == 1
    await play.finish()


async def test_a_deal_is_proposed_accepted_and_paid(house: Ledger) -> None:
    terms = {"seats_per_table": 8, "entrants_max": 8}
    play = await begin(house, {"t1": "ann bob cat"}, terms, deal=option.DEAL_KIND_CHIP_COUNT)
    await play.hand("t1", ann=500, bob=-500)
    propose = pb.ProposeDealRequest(request_id=fresh(), tournament_id=play.id, player_id="ann", rest_minor=900)
    deal = (await house.backend.ProposeDeal(propose)).deal
    assert [(each.player_id, each.amount_minor) for each in deal.shares] == [("ann", 750), ("cat", 500), ("bob", 250)]
    assert (await house.tournament(play.id)).deal == deal
    for name in ("bob", "cat"):
        accept = pb.AcceptDealRequest(request_id=fresh(), tournament_id=play.id, player_id=name, deal_number=1)
        await house.backend.AcceptDeal(accept)
    assert list((await house.tournament(play.id)).prizes_minor) == [900, 0, 0]
    await play.hand("t1", bob=1000, cat=-1000)
    await play.hand("t1", bob=1500, ann=-1500)
    assert await play.prizes() == {"ann": 750, "cat": 500, "bob": 1150}
    await play.finish()


async def test_a_deal_that_the_rules_do_not_allow_is_refused(house: Ledger) -> None:
    terms = {"seats_per_table": 8, "entrants_max": 8}
    play = await begin(house, {"t1": "ann bob cat"}, terms, deal=option.DEAL_KIND_EQUAL)
    low = pb.ProposeDealRequest(request_id=fresh(), tournament_id=play.id, player_id="ann")
    assert "fee" in (await refused(house.backend.ProposeDeal(low), Reason.DEAL_NOT_ALLOWED))["cause"]
    shares = [DealShare(player_id="ann", amount_minor=2400)]
    given = pb.ProposeDealRequest(request_id=fresh(), tournament_id=play.id, player_id="ann", shares=shares)
    await refused(house.backend.ProposeDeal(given), Reason.REQUEST_INVALID)
    accept = pb.AcceptDealRequest(request_id=fresh(), tournament_id=play.id, player_id="ann", deal_number=1)
    await refused(house.backend.AcceptDeal(accept), Reason.DEAL_NOT_ALLOWED)


async def test_a_deal_that_all_accept_ends_the_event(house: Ledger) -> None:
    terms = {"seats_per_table": 8, "entrants_max": 8}
    play = await begin(house, {"t1": "ann bob cat"}, terms, deal=option.DEAL_KIND_FREE)
    before = (await house.tournament(play.id)).version
    shares = [
        DealShare(player_id=name, amount_minor=each) for name, each in [("ann", 1100), ("bob", 700), ("cat", 600)]
    ]
    propose = pb.ProposeDealRequest(request_id=fresh(), tournament_id=play.id, player_id="ann", shares=shares)
    async with calling(house.server.address, Caller(Role.PLAYER, "bob")) as channel:
        bob = TournamentLedgerServiceStub(channel)
        await refused(bob.ProposeDeal(propose), Reason.NOT_PERMITTED)
        number = (await house.backend.ProposeDeal(propose)).deal.number
        accept = pb.AcceptDealRequest(request_id=fresh(), tournament_id=play.id, player_id="bob", deal_number=number)
        after = (await bob.AcceptDeal(accept)).tournament
        assert list(after.deal.accepted_player_ids) == ["ann", "bob"]
        assert (await bob.AcceptDeal(accept)).tournament == after
    accept = pb.AcceptDealRequest(request_id=fresh(), tournament_id=play.id, player_id="cat", deal_number=number)
    assert (await house.backend.AcceptDeal(accept)).tournament.state == TOURNAMENT_STATE_FINISHED
    assert await play.prizes() == {"ann": 1100, "bob": 700, "cat": 600}
    assert await house.wallet("ann") == 100_000 - 1000 + 1100
    facts: list[str] = []
    async for item in house.backend.Watch(pb.WatchRequest(tournament_id=play.id, after_version=before)):
        facts.append(str(item.fact.WhichOneof("fact")))
        if item.fact.HasField("deal_proposed"):
            assert item.fact.deal_proposed.deal.number == number
        if item.fact.HasField("tournament_finished"):
            break
    assert facts == [
        "deal_proposed",
        "deal_accepted",
        "deal_accepted",
        "deal_agreed",
        *["player_placed"] * 3,
        "tournament_finished",
    ]
    await play.finish()


@pytest.mark.parametrize(
    ("overrides", "field"),
    [
        ({"formula": option.FORMULA_ROUNDS, "qualifiers": 3}, "tournament.qualifiers"),
        (
            {"formula": option.FORMULA_ROUNDS, "late_registration_last_level": 1},
            "tournament.late_registration_last_level",
        ),
        ({"satellite_seat_minor": 1000}, "tournament.satellite_seat_minor"),
        ({"satellite_seat_minor": 5000, "deal": option.DEAL_KIND_EQUAL}, "tournament.deal"),
    ],
)
async def test_what_does_not_go_together_is_refused_by_field(
    house: Ledger, overrides: dict[str, Any], field: str
) -> None:
    error = await refusal(house.announce(tournament_rules(**overrides), seats_per_table=4, entrants_max=4))
    assert error.reason is Reason.RULES_INVALID
    assert field in error.message
