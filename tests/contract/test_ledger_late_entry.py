"""Late registration and re-entry through the ledger's contract (rules 200, 201)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.fact_pb2 import TournamentFact
from sevenstud.tournament_ledger.v1.tournament_pb2 import ENTRANT_STATE_OUT, ENTRANT_STATE_PLAYING

from shared.kernel.errors import Reason
from tests.support.ledger_house import TABLE, Ledger, fresh, ledger, refused, tournament_rules

STACK = 1000


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


def open_for_two_levels() -> RuleSet:
    return tournament_rules(late_registration_last_level=2, re_entry_max_count=1, starting_stack_chips=STACK)


async def seated(house: Ledger, event: str, player_id: str, seat: int) -> None:
    to = pb.SeatAssignment(player_id=player_id, table_id=TABLE, seat=seat)
    request = pb.RecordMoveRequest(request_id=fresh(), tournament_id=event, to=to, draw_id="lots")
    standing = (await house.service.RecordMove(request)).standing
    assert (standing.table_id, standing.seat) == (TABLE, seat)


async def test_late_and_again_through_the_contract(house: Ledger) -> None:
    event = await house.event(["ann", "bob"], open_for_two_levels())
    await house.player("cat", 5000)
    await house.register(event, "cat")
    assert await house.wallet("cat") == 4000
    line = (await house.standings(event))["cat"]
    assert (line.state, line.chips, line.table_id) == (ENTRANT_STATE_PLAYING, STACK, "")
    await seated(house, event, "cat", 3)
    answer = await house.hand(event, {"ann": -STACK, "bob": STACK})
    assert [(each.player_id, each.place) for each in answer.placements] == [("ann", 3)]
    request = pb.ReEnterRequest(request_id=fresh(), tournament_id=event, player_id="ann")
    first, again = await house.backend.ReEnter(request), await house.backend.ReEnter(request)
    assert first == again
    assert (first.standing.state, first.standing.place, first.standing.re_entries) == (ENTRANT_STATE_PLAYING, 0, 1)
    assert first.standing.spent_minor == 2000
    await seated(house, event, "ann", 1)
    await house.hand(event, {"ann": -STACK, "bob": STACK})
    await refused(
        house.backend.ReEnter(pb.ReEnterRequest(request_id=fresh(), tournament_id=event, player_id="ann")),
        Reason.RE_ENTRY_NOT_ALLOWED,
    )
    for level in (2, 3):
        await house.level(event, level)
    await house.player("dan", 5000)
    late = pb.RegisterRequest(request_id=fresh(), tournament_id=event, player_id="dan")
    await refused(house.backend.Register(late), Reason.REGISTRATION_CLOSED)
    await house.hand(event, {"cat": -STACK, "bob": STACK})
    lines = await house.standings(event)
    assert {name: each.place for name, each in lines.items()} == {"bob": 1, "cat": 2, "ann": 3}
    assert lines["ann"].state == ENTRANT_STATE_OUT
    tournament = await house.tournament(event)
    assert sum(each.prize_minor for each in lines.values()) == tournament.prize_fund_minor == 4 * 800
    await house.sound()


async def test_watchers_are_told_of_late_entries(house: Ledger) -> None:
    event = await house.event(["ann", "bob"], open_for_two_levels())
    before = (await house.tournament(event)).version
    await house.player("cat", 5000)
    await house.register(event, "cat")
    facts: list[str] = []
    async for item in house.backend.Watch(pb.WatchRequest(tournament_id=event, after_version=before)):
        facts.append(str(item.fact.WhichOneof("fact")))
        if item.fact.HasField("player_entered_late"):
            told = item.fact.player_entered_late
            assert (told.player_id, told.entrants, told.re_entries, told.chips) == ("cat", 3, 0, STACK)
            break
    assert facts == ["player_registered", "player_entered_late"]


async def test_re_entries_without_late_registration_are_refused_with_the_field(house: Ledger) -> None:
    await refused(house.announce(tournament_rules(re_entry_max_count=1)), Reason.RULES_INVALID)


async def test_the_facts_tell_places_that_move_and_the_end_of_late_registration(house: Ledger) -> None:
    rules = open_for_two_levels()
    rules.tournament.late_registration_prize_margin = 1
    rules.tournament.prize_rows.add(entrants_min=2, weights=[1])
    event = await house.event(["ann", "bob", "cat"], rules)
    await house.hand(event, {"ann": -STACK, "bob": STACK})
    request = pb.GetTournamentRequest(tournament_id=event)
    assert not (await house.backend.GetTournament(request)).tournament.late_entries_open
    told = [fact async for fact in _facts(house, event)]
    assert [fact.WhichOneof("fact") for fact in told][-2:] == ["late_registration_closed", "prizes_fixed"]
    closed = told[-2].late_registration_closed
    assert (closed.players_left, closed.paid_places) == (2, 1)


async def test_watchers_are_told_every_place_that_a_late_entry_moves(house: Ledger) -> None:
    event = await house.event(["ann", "bob", "cat"], open_for_two_levels())
    await house.hand(event, {"ann": -STACK, "bob": STACK})
    await house.player("dan", 5000)
    await house.register(event, "dan")
    entered, moved = [fact async for fact in _facts(house, event)][-2:]
    assert entered.player_entered_late.player_id == "dan"
    assert entered.version == moved.version
    assert [(each.player_id, each.place) for each in moved.places_changed.places] == [("ann", 4)]


async def _facts(house: Ledger, event: str) -> AsyncIterator[TournamentFact]:
    """Everything so far; whoever watches is told the rest in time."""
    version = (await house.backend.GetTournament(pb.GetTournamentRequest(tournament_id=event))).tournament.version
    call = house.backend.Watch(pb.WatchRequest(tournament_id=event, after_version=0))
    told: list[TournamentFact] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(10):
            async for item in call:
                told.append(item.fact)
                if item.fact.version == version and item.fact.WhichOneof("fact") in _LAST:
                    break
    call.cancel()
    for fact in told:
        yield fact


_LAST = {"prizes_fixed", "places_changed"}
