"""Rounds, hand for hand, satellites, deals: the real director and the real ledger (rules 155-158, 185-186, 202)."""

from itertools import pairwise
from pathlib import Path

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import RuleSet, TournamentRules
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import ENTRANT_STATE_WINNER

from services.orchestrator.domain.tournament_facts import (
    HandForHandRoundBegan,
    HandForHandRoundEnded,
    HandPlayed,
    LevelBegan,
    MatchEnded,
    NumberedEvent,
    PlayerOut,
    RoundBegan,
    SeatChanged,
    TournamentBegan,
    TournamentEnded,
)
from services.orchestrator.domain.tournament_view import PlayState
from tests.support.ledger_floor import LedgerFloor, ledger_floor


def rules(**changes: object) -> RuleSet:
    values: dict[str, object] = {"starting_stack_chips": 600, "level_trigger": option.LEVEL_TRIGGER_HANDS}
    return RuleSet(tournament=TournamentRules(**(values | changes)))  # type: ignore[arg-type]  # fields of the message


async def events(at: LedgerFloor) -> list[NumberedEvent]:
    assert at.floor.house is not None
    found: list[NumberedEvent] = []
    while page := await at.floor.house.books.events(at.tournament_id, found[-1].version if found else 0):
        found += page
    return found


async def check(at: LedgerFloor, entrants: int) -> list[NumberedEvent]:
    """It is over, every place was given once, and the log says the same as the ledger."""
    assert at.floor.house is not None
    view = await at.floor.house.commands.view(at.tournament_id)
    assert view.state is PlayState.FINISHED, at.floor.picture()
    lines = await at.standings()
    assert len(lines) == entrants
    told = await events(at)
    outs = [each.event for each in told if isinstance(each.event, PlayerOut)]
    assert {each.player_id: each.place for each in outs} == {name: line.place for name, line in lines.items()}
    assert len(outs) == entrants
    places = sorted(line.place for line in lines.values())
    assert all(place == places.index(place) + 1 for place in places)
    fund = (await at.lobby.GetTournament(pb.GetTournamentRequest(tournament_id=at.tournament_id))).tournament
    assert sum(line.prize_minor for line in lines.values()) == fund.prize_fund_minor
    assert sum(line.chips + line.reserve_chips for line in lines.values()) == fund.chips_total
    return told


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("stack", "qualifiers"), [(option.ROUND_STACK_RESET, 1), (option.ROUND_STACK_CARRY, 2)])
async def test_rounds_are_played_until_one_has_all_chips(
    tmp_path: Path, seed: int, stack: option.RoundStack.ValueType, qualifiers: int
) -> None:
    async with ledger_floor(tmp_path, seed) as (at, auditor):
        own = rules(formula=option.FORMULA_ROUNDS, round_stack=stack, qualifiers=qualifiers)
        await at.announce(18, 4, own)
        await at.play()
        told = await check(at, 18)
        assert (await auditor.VerifyJournal(pb.VerifyJournalRequest())).sound
    rounds = [each.event for each in told if isinstance(each.event, RoundBegan)]
    assert [each.round for each in rounds] == list(range(2, len(rounds) + 2))
    assert not [each for each in told if isinstance(each.event, SeatChanged)]
    sizes = [18, *(len(each.seats) for each in rounds)]
    assert all(after < before for before, after in pairwise(sizes))
    if stack == option.ROUND_STACK_RESET:
        assert sizes == [18, 5, 2] if qualifiers == 1 else sizes
        firsts = [each for each in told if isinstance(each.event, LevelBegan) and each.event.level == 1]
        assert len(firsts) == len(sizes)
    matches = [each.event for each in told if isinstance(each.event, MatchEnded)]
    assert all(1 <= len(each.qualified_player_ids) <= qualifiers for each in matches)


def rounds_of(told: list[NumberedEvent]) -> list[list[object]]:
    """Between the beginning and the end of each round of hand for hand."""
    found: list[list[object]] = []
    inside = False
    for each in told:
        if isinstance(each.event, HandForHandRoundBegan):
            found.append([])
            inside = True
        elif isinstance(each.event, HandForHandRoundEnded):
            inside = False
        elif inside:
            found[-1].append(each.event)
    return found


def seen_left(told: list[NumberedEvent]) -> set[int]:
    """How many players were left when a hand had been booked, while there were several tables."""
    left, seen = len({seat.player_id for seat in began(told).seats}), set[int]()
    for each, following in pairwise(told):
        left -= isinstance(each.event, PlayerOut)
        if not isinstance(following.event, PlayerOut):
            seen.add(left)
    return seen


def began(told: list[NumberedEvent]) -> TournamentBegan:
    assert isinstance(told[0].event, TournamentBegan)
    return told[0].event


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "across",
    [option.HAND_FOR_HAND_ACROSS_TABLES_CHIPS, option.HAND_FOR_HAND_ACROSS_TABLES_SHARE],
)
async def test_near_the_prizes_every_table_plays_one_hand_a_round(
    tmp_path: Path, seed: int, across: option.HandForHandAcrossTables.ValueType
) -> None:
    async with ledger_floor(tmp_path, seed) as (at, auditor):
        own = rules(formula=option.FORMULA_MULTI_TABLE, hand_for_hand_across_tables=across, hand_for_hand_margin=3)
        own.tournament.prize_rows.add(entrants_min=2, weights=[1, 1])
        own.tournament.prize_rows.add(entrants_min=10, weights=[4, 3, 2, 1, 1, 1])
        await at.announce(14, 4, own)
        await at.play()
        told = await check(at, 14)
        assert (await auditor.VerifyJournal(pb.VerifyJournalRequest())).sound
    played = rounds_of(told)
    assert played or not seen_left(told) & {7, 8, 9}
    for each in played:
        tables = [event.table_id for event in each if isinstance(event, HandPlayed)]
        assert len(set(tables)) == len(tables) >= 1
        after_a_hand = each[[isinstance(event, HandPlayed) for event in each].index(True) :]
        assert not any(isinstance(event, SeatChanged | LevelBegan) for event in after_a_hand)


@pytest.mark.parametrize(
    ("formula", "seed"),
    [
        (option.FORMULA_ROUNDS, 1),
        (option.FORMULA_ROUNDS, 2),
        (option.FORMULA_MULTI_TABLE, 3),
        (option.FORMULA_MULTI_TABLE, 4),
    ],
)
async def test_a_director_killed_again_and_again_goes_on_as_if_nothing_was(
    tmp_path: Path, formula: option.Formula.ValueType, seed: int
) -> None:
    async with ledger_floor(tmp_path, seed) as (at, auditor):
        own = rules(formula=formula, hand_for_hand_margin=4)
        own.tournament.qualifiers = 2 if formula == option.FORMULA_ROUNDS else 1
        await at.announce(17, 4, own)
        await at.play(restarts=0.3)
        await check(at, 17)
        assert (await auditor.VerifyJournal(pb.VerifyJournalRequest())).sound


async def test_hand_for_hand_is_not_played_where_it_is_off(tmp_path: Path) -> None:
    async with ledger_floor(tmp_path, 1) as (at, _):
        off = option.HAND_FOR_HAND_ACROSS_TABLES_OFF
        await at.announce(10, 4, rules(formula=option.FORMULA_MULTI_TABLE, hand_for_hand_across_tables=off))
        await at.play()
        told = await check(at, 10)
    assert not rounds_of(told)


@pytest.mark.parametrize("seed", range(2))
async def test_a_satellite_over_several_tables_ends_with_its_seats(tmp_path: Path, seed: int) -> None:
    async with ledger_floor(tmp_path, seed) as (at, _):
        await at.announce(14, 4, rules(formula=option.FORMULA_MULTI_TABLE, satellite_seat_minor=2000))
        await at.play()
        told = await check(at, 14)
        lines = await at.standings()
    winners = [name for name, line in lines.items() if line.state == ENTRANT_STATE_WINNER]
    assert [lines[name].prize_minor for name in winners if lines[name].prize_minor != 2000] == []
    assert isinstance(told[-1].event, TournamentEnded)
    assert told[-1].event.winner_player_id in winners
