"""Play between hands through the ledger's contract: starting, sheets, hands, levels, moves, purchases, prizes."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from pathlib import Path

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import BonusPrize, DoubleChanceTerms, RebuyTerms
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_pb2

from services.tournament_ledger.application import chores
from services.tournament_ledger.application.decisions import Call
from services.tournament_ledger.application.play import Play
from shared.kernel.errors import Reason
from tests.support.ledger_house import TABLE, Ledger, fresh, ledger, refused, tournament_rules

PLAYERS = ("ann", "bob", "cid")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


async def test_too_few_entrants_get_their_money_back_instead_of_play(house: Ledger) -> None:
    event = (await house.announce(entrants_min=3)).tournament_id
    for player_id in ("ann", "bob"):
        await house.player(player_id, 5000)
    await house.register(event, "ann", "bob")
    assert (await house.start(event, ("ann", "bob"))).state == tournament_pb2.TOURNAMENT_STATE_CANCELLED
    assert await house.wallet("ann") == 5000
    await house.sound()


@pytest.mark.parametrize("seated", [("ann", "bob"), ("ann", "bob", "cid", "dan"), ("ann", "bob", "bob")])
async def test_play_starts_with_everybody_registered_and_nobody_else(house: Ledger, seated: tuple[str, ...]) -> None:
    event = (await house.announce()).tournament_id
    for player_id in PLAYERS:
        await house.player(player_id, 5000)
    await house.register(event, *PLAYERS)
    await refused(house.start(event, seated), Reason.REQUEST_INVALID)
    assert (await house.tournament(event)).state == tournament_pb2.TOURNAMENT_STATE_REGISTERING


async def test_a_hand_is_booked_once_however_often_it_is_told(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    sheet = await house.sheet(event, 1)
    first = await house.record(event, 1, sheet, {"ann": 100, "bob": -100})
    assert await house.record(event, 1, sheet, {"ann": 100, "bob": -100}) == first
    await refused(house.record(event, 1, sheet, {"ann": 200, "bob": -200}), Reason.OUT_OF_STEP)
    assert (await house.standings(event))["ann"].chips == 3100


async def test_which_hand_was_booked_last_is_told_to_whoever_compares_histories(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    asked = pb.GetLastHandRequest(tournament_id=event, table_id=TABLE)
    sheet = await house.sheet(event, 1)
    assert await house.service.GetLastHand(asked) == pb.GetLastHandResponse(hand_number=0, open_hand_number=1)
    await house.record(event, 1, sheet, {"ann": 100, "bob": -100})
    assert await house.service.GetLastHand(asked) == pb.GetLastHandResponse(hand_number=1)
    missing = pb.GetLastHandRequest(table_id="no-such-cash-table")
    await refused(house.service.GetLastHand(missing), Reason.NOT_FOUND)


async def test_the_sheet_is_the_same_until_its_hand_is_recorded(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    first = await house.sheet(event, 1)
    assert await house.sheet(event, 1) == first
    assert (first.stakes.ante_chips, first.stakes.lower_limit_chips, first.level) == (5, 25, 1)
    await refused(house.sheet(event, 2), Reason.OUT_OF_STEP)
    await house.record(event, 1, first, {"ann": 5, "bob": -5})
    await refused(house.sheet(event, 1), Reason.OUT_OF_STEP)
    await refused(house.sheet(event, 1, "another-table"), Reason.NOT_FOUND)


async def test_a_result_that_does_not_fit_the_sheet_books_nothing(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    sheet = await house.sheet(event, 1)
    await refused(house.record(event, 1, sheet, {"ann": 1}), Reason.CHIPS_NOT_CONSERVED)
    await refused(house.record(event, 1, sheet, {"ann": -1}, rake_chips=1), Reason.REQUEST_INVALID)
    await refused(house.record(event, 2, sheet, {}), Reason.OUT_OF_STEP)
    sheet.seats[0].chips += 1
    await refused(house.record(event, 1, sheet, {}), Reason.OUT_OF_STEP)
    await refused(house.record(event, 1, sheet, {"ann": 2**62}), Reason.OUT_OF_STEP)
    assert (await house.standings(event))["ann"].chips == 3000


async def test_a_voided_hand_leaves_every_stack_as_it_was(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    sheet = await house.sheet(event, 1)
    await refused(house.record(event, 1, sheet, {"ann": 5, "bob": -5}, voided=True), Reason.CHIPS_NOT_CONSERVED)
    await house.record(event, 1, sheet, {}, voided=True)
    assert [each.chips for each in (await house.sheet(event, 2)).seats] == [3000, 3000, 3000]


async def test_levels_follow_each_other_and_change_the_next_sheet_only(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    await house.sheet(event, 1)
    await refused(house.level(event, 3), Reason.OUT_OF_STEP)
    assert (await house.level(event, 2)).level == 2
    assert (await house.sheet(event, 1)).stakes.lower_limit_chips == 50
    for level in range(3, 11):
        await house.level(event, level)
    await refused(house.level(event, 11), Reason.OUT_OF_STEP)


async def test_a_player_moves_to_a_free_seat_with_all_chips(house: Ledger) -> None:
    event = await house.event(PLAYERS)

    def move(seat: int, table_id: str = "table-2") -> pb.RecordMoveRequest:
        to = pb.SeatAssignment(player_id="ann", table_id=table_id, seat=seat)
        return pb.RecordMoveRequest(request_id=fresh(), tournament_id=event, to=to, draw_id="draw-2")

    await refused(house.service.RecordMove(move(2, TABLE)), Reason.SEAT_TAKEN)
    moved = await house.service.RecordMove(move(5))
    assert (moved.standing.table_id, moved.standing.seat, moved.standing.chips) == ("table-2", 5, 3000)
    assert [each.player_id for each in (await house.sheet(event, 1)).seats] == ["bob", "cid"]
    assert [each.player_id for each in (await house.sheet(event, 1, "table-2")).seats] == ["ann"]


async def test_a_finished_tournament_gives_an_empty_sheet_with_its_state(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    await house.hand(event, {"ann": 6000, "bob": -3000, "cid": -3000})
    over = await house.sheet(event, 2)
    assert (list(over.seats), over.state) == ([], tournament_pb2.TOURNAMENT_STATE_FINISHED)
    await refused(house.rebuy(event, "bob"), Reason.TOURNAMENT_STATE)


async def test_a_decision_window_ends_by_itself(house: Ledger) -> None:
    rules = tournament_rules(rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=30))
    event = await house.event(("ann", "bob"), rules)
    booked = await house.hand(event, {"ann": 3000, "bob": -3000})
    assert list(booked.deciding_player_ids) == ["bob"]
    waiting = await house.sheet(event, 2)
    assert [(each.player_id, each.chips, each.HasField("decides_until")) for each in waiting.seats] == [
        ("ann", 6000, False),
        ("bob", 0, True),
    ]
    assert await house.chores.close_windows() == 0
    house.clock.pass_seconds(31)
    assert await house.chores.close_windows() == 1
    assert (await house.tournament(event)).state == tournament_pb2.TOURNAMENT_STATE_FINISHED
    assert await house.wallet("ann") == 100_000 - 1000 + 1600
    await house.sound()


@pytest.mark.parametrize("ahead_until", ["the tournament began", "the window began"])
async def test_a_decision_window_is_no_longer_than_the_rules_say_though_a_clock_was_ahead(
    house: Ledger, ahead_until: str
) -> None:
    """Ten hours, until somebody set it right; the book's own time goes on from there: no entry is before another."""
    rules = tournament_rules(rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=30))
    house.clock.pass_seconds(36_000)
    event = await house.event(("ann", "bob"), rules)
    if ahead_until == "the tournament began":
        house.clock.pass_seconds(-36_000)
    await house.hand(event, {"ann": 3000, "bob": -3000})
    if ahead_until == "the window began":
        house.clock.pass_seconds(-36_000)
    assert await house.chores.close_windows() == 0
    house.clock.pass_seconds(29)
    assert await house.chores.close_windows() == 0
    house.clock.pass_seconds(2)
    assert await house.chores.close_windows() == 1
    assert (await house.tournament(event)).state == tournament_pb2.TOURNAMENT_STATE_FINISHED
    await house.sound()


async def test_who_bought_back_while_his_time_was_found_to_be_over_has_all_of_his_next_time(
    house: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look and the booking, which may wait for the database, a rebuy and a hand may come."""
    rules = tournament_rules(rebuy=RebuyTerms(max_count=2, last_level=4, window_seconds=30))
    event = await house.event(("ann", "bob"), rules)
    await house.hand(event, {"ann": 3000, "bob": -3000})
    close = Play.close_windows

    async def overtaken(play: Play, call: Call, tournament_id: str, over: Mapping[str, datetime]) -> bytes:
        house.clock.pass_seconds(-2)
        await house.rebuy(event, "bob")
        await house.hand(event, {"ann": 3000, "bob": -3000})
        return await close(play, call, tournament_id, over)

    house.clock.pass_seconds(31)
    monkeypatch.setattr(Play, "close_windows", overtaken)
    assert await house.chores.close_windows() == 1
    assert (await house.tournament(event)).state == tournament_pb2.TOURNAMENT_STATE_RUNNING
    await house.rebuy(event, "bob")
    await house.sound()


async def test_a_place_that_waits_for_a_window_is_given_when_that_ends_though_nothing_else_happens(
    house: Ledger,
) -> None:
    """Bob cannot buy again, so that his time is over at once; which place it is hangs on cid, who was out before."""
    rules = tournament_rules(rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=30))
    event = await house.event(PLAYERS, rules)
    await house.hand(event, {"ann": 3000, "bob": -3000})
    await house.rebuy(event, "bob")
    await house.hand(event, {"ann": 3000, "cid": -3000})
    house.clock.pass_seconds(5)
    await house.hand(event, {"ann": 3000, "bob": -3000})
    house.clock.pass_seconds(1)
    await house.chores.close_windows()
    assert (await house.tournament(event)).state == tournament_pb2.TOURNAMENT_STATE_RUNNING
    house.clock.pass_seconds(25)
    await house.chores.close_windows()
    assert (await house.tournament(event)).state == tournament_pb2.TOURNAMENT_STATE_FINISHED
    assert {name: each.place for name, each in (await house.standings(event)).items()} == {"ann": 1, "bob": 2, "cid": 3}
    await house.sound()


async def test_however_many_tournaments_run_the_windows_of_all_of_them_end(
    house: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chores, "BATCH", 2)
    rules = tournament_rules(rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=30))
    oldest = await house.event(("ann", "bob"), rules)
    for number in range(4):
        house.clock.pass_seconds(1)
        await house.event((f"cid-{number}", f"dan-{number}"), rules)
    await house.hand(oldest, {"ann": 3000, "bob": -3000})
    house.clock.pass_seconds(31)
    assert [await house.chores.close_windows() for _ in range(6)] == [0, 0, 1, 0, 0, 0]
    assert (await house.tournament(oldest)).state == tournament_pb2.TOURNAMENT_STATE_FINISHED


async def test_a_rebuy_brings_money_into_the_fund_and_the_player_back(house: Ledger) -> None:
    rules = tournament_rules(rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=30))
    event = await house.event(("ann", "bob"), rules)
    await house.hand(event, {"ann": 3000, "bob": -3000})
    bought = await house.rebuy(event, "bob")
    assert (bought.standing.chips, bought.standing.rebuys, bought.standing.spent_minor) == (3000, 1, 2000)
    assert [each.chips for each in (await house.sheet(event, 2)).seats] == [6000, 3000]
    await refused(house.rebuy(event, "bob"), Reason.REBUY_NOT_ALLOWED)
    await refused(house.rebuy(event, "nobody"), Reason.NOT_REGISTERED)
    await house.hand(event, {"ann": 3000, "bob": -3000})
    assert await house.wallet("ann") == 100_000 - 1000 + 2400
    await house.sound()


async def test_a_player_asks_for_the_second_chance_where_the_rules_allow_it(house: Ledger) -> None:
    release = option.DOUBLE_CHANCE_RELEASE_ON_REQUEST_OR_BUST_OR_DEADLINE
    chance = DoubleChanceTerms(offered=True, release=release, last_level=3)
    event = await house.event(PLAYERS, tournament_rules(double_chance=chance))
    assert (await house.standings(event))["ann"].reserve_chips == 1500

    def asking() -> pb.ReleaseSecondChanceRequest:
        return pb.ReleaseSecondChanceRequest(request_id=fresh(), tournament_id=event, player_id="ann")

    released = await house.backend.ReleaseSecondChance(asking())
    assert (released.standing.chips, released.standing.reserve_chips) == (3000, 0)
    await refused(house.backend.ReleaseSecondChance(asking()), Reason.OUT_OF_STEP)
    assert [each.chips for each in (await house.sheet(event, 1)).seats] == [3000, 1500, 1500]
    await house.sound()


async def test_a_royal_flush_earns_the_bonus_prize_from_its_own_fund(house: Ledger) -> None:
    prizes = [BonusPrize(feat=option.FEAT_ROYAL_FLUSH, amount_minor=500)]
    event = await house.event(PLAYERS, tournament_rules(bonus_prizes=prizes), bonus_fund_minor=700)
    shown = [pb.FeatShown(player_id="bob", feat=option.FEAT_ROYAL_FLUSH)]
    hidden = [pb.FeatShown(player_id="cid", feat=option.FEAT_ROYAL_FLUSH, uncontested=True)]
    await house.hand(event, {"bob": 5, "cid": -5}, feats=shown)
    await house.hand(event, {"bob": 5, "cid": -5}, feats=hidden)
    await house.hand(event, {"bob": 5, "cid": -5}, feats=shown)
    assert await house.wallet("bob") == 100_000 - 1000 + 700, "the second time only what the fund still had"
    assert await house.wallet("cid") == 100_000 - 1000
    assert (await house.standings(event))["bob"].bonus_minor == 700
    await house.sound()


async def test_two_tables_play_one_tournament_until_their_players_meet(house: Ledger) -> None:
    rules = tournament_rules(formula=option.FORMULA_MULTI_TABLE)
    names = [f"p{number}" for number in range(1, 5)]
    for name in names:
        await house.player(name, 1000)
    event = (await house.announce(rules, entrants_max=100, seats_per_table=2)).tournament_id
    await house.register(event, *names)
    seats = [
        pb.SeatAssignment(player_id=name, table_id=f"table-{at // 2}", seat=at % 2 + 1) for at, name in enumerate(names)
    ]
    await house.service.StartPlay(
        pb.StartPlayRequest(request_id=fresh(), tournament_id=event, seats=seats, draw_id="draw")
    )

    async def all_in(table_id: str, number: int) -> pb.RecordHandResponse:
        """The first of two players takes the other's chips."""
        sheet = await house.sheet(event, number, table_id)
        (first, one), (second, other) = ((each.player_id, each.chips) for each in sheet.seats)
        results = [
            pb.HandResult(player_id=first, before_chips=one, after_chips=one + other),
            pb.HandResult(player_id=second, before_chips=other, after_chips=0),
        ]
        request = pb.RecordHandRequest(
            request_id=fresh(),
            hand_id=f"{table_id}-{number}",
            tournament_id=event,
            table_id=table_id,
            hand_number=number,
            results=results,
        )
        return await house.service.RecordHand(request)

    assert [(each.player_id, each.place) for each in (await all_in("table-0", 1)).placements] == [("p2", 4)]
    assert [(each.player_id, each.place) for each in (await all_in("table-1", 1)).placements] == [("p4", 3)]
    to = pb.SeatAssignment(player_id="p3", table_id="table-0", seat=2)
    move = pb.RecordMoveRequest(request_id=fresh(), tournament_id=event, to=to, draw_id="draw-2")
    assert (await house.service.RecordMove(move)).standing.chips == 6000
    last = await all_in("table-0", 2)
    assert [(each.player_id, each.place) for each in last.placements] == [("p3", 2), ("p1", 1)]
    assert await house.wallet("p1") == 3200
    await house.sound()
