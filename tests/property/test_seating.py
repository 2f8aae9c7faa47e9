"""Seats drawn by lot, moves, broken tables: even tables, one player a seat, nobody lost."""

import random
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from services.orchestrator.domain import seating
from services.orchestrator.domain.tournament import SeatedPlayer, TableInPlay, Tournament
from shared.kernel.rules import Formula, StudBalance
from shared.kernel.rules.presets import PRESETS

PRESET = PRESETS["classic"]


@given(st.integers(2, 300), st.integers(2, 8))
def test_first_seats_fill_the_fewest_tables_evenly(players_count: int, seats_per_table: int) -> None:
    tables = seating.tables_needed(players_count, seats_per_table)
    seats = seating.first_seats([f"p{at}" for at in range(players_count)], [f"t{at}" for at in range(tables)])
    sizes = Counter(seat.table_id for seat in seats)
    assert len(sizes) == tables == -(-players_count // seats_per_table)
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert len({(seat.table_id, seat.seat) for seat in seats}) == len({seat.player_id for seat in seats})
    assert all(1 <= seat.seat <= seats_per_table for seat in seats)


@given(st.integers(2, 60), st.integers(2, 8), st.randoms())
def test_chosen_seats_are_given_where_sizes_stay_within_one(
    players_count: int, seats_per_table: int, chance: random.Random
) -> None:
    tables = seating.tables_needed(players_count, seats_per_table)
    drawn = [f"p{at}" for at in range(players_count)]
    wishes = [(table, seat) for table in range(1, tables + 3) for seat in range(1, seats_per_table + 1)]
    choosing = chance.sample(drawn, chance.randint(0, players_count))
    choices = dict(zip(choosing, chance.sample(wishes, min(len(choosing), len(wishes))), strict=False))
    chance.shuffle(drawn)
    seats = seating.chosen_seats(drawn, choices, [f"t{at}" for at in range(1, tables + 1)])
    sizes = Counter(seat.table_id for seat in seats)
    assert len(sizes) == tables
    assert max(sizes.values()) - min(sizes.values()) <= 1
    assert sorted(seat.player_id for seat in seats) == sorted(drawn)
    assert len({(seat.table_id, seat.seat) for seat in seats}) == players_count
    assert all(1 <= seat.seat <= seats_per_table for seat in seats)
    given_seats = {seat.player_id: (int(seat.table_id[1:]), seat.seat) for seat in seats}
    for player, (table, seat) in choices.items():
        others = sum(
            1 for each in seats if each.table_id == f"t{table}" and choices.get(each.player_id, (0,))[0] == table
        )
        kept = given_seats[player] == (table, seat)
        assert kept or table > tables or others >= players_count // tables


@given(st.integers(2, 8), st.randoms())
def test_at_one_table_every_choice_is_kept(players_count: int, chance: random.Random) -> None:
    players = [f"p{at}" for at in range(players_count)]
    choices = {
        player: (1, seat) for player, seat in zip(players, chance.sample(range(1, 9), players_count), strict=True)
    }
    seats = seating.chosen_seats(players, choices, ["t1"])
    assert {seat.player_id: (1, seat.seat) for seat in seats} == choices


@st.composite
def floors(draw: st.DrawFn) -> Tournament:
    """Some tables with some players each, somebody at every one."""
    seats_per_table = draw(st.integers(2, 8))
    sizes = draw(st.lists(st.integers(1, seats_per_table), min_size=2, max_size=12))
    chance = random.Random(draw(st.integers()))
    players = [
        SeatedPlayer(player_id=f"t{at}s{seat}", table_id=f"t{at}", seat=seat, moves=chance.randint(0, 3))
        for at, size in enumerate(sizes)
        for seat in chance.sample(range(1, seats_per_table + 1), size)
    ]
    rules = replace(
        PRESET.tournament, formula=Formula.MULTI_TABLE, stud_balance=draw(st.sampled_from(list(StudBalance)))
    )
    return Tournament(
        tournament_id="t",
        version=1,
        name="t",
        seats_per_table=seats_per_table,
        rules=replace(PRESET, tournament=rules),
        players={player.player_id: player for player in players},
        tables={f"t{at}": TableInPlay(table_id=f"t{at}") for at in range(len(sizes))},
        level=1,
    )


@given(floors(), st.randoms())
def test_tables_that_ask_in_any_order_become_even_or_fewer(state: Tournament, chance: random.Random) -> None:
    for _ in range(400):
        changed = [table_id for table_id in state.tables if seating.balance(state, table_id) is not None]
        if not changed:
            break
        state = _carried_out(state, chance.choice(changed), chance)
        places = [(player.table_id, player.seat) for player in state.players.values()]
        assert len(set(places)) == len(places)
    counts = state.counts().values()
    assert max(counts) - min(counts) <= 1
    assert len(state.tables) == seating.tables_needed(len(state.players), state.seats_per_table)


def tables_of(*sizes: int) -> Tournament:
    """Tables of eight seats with so many players each."""
    players = [
        SeatedPlayer(player_id=f"t{at}s{seat}", table_id=f"t{at}", seat=seat)
        for at, size in enumerate(sizes, start=1)
        for seat in range(1, size + 1)
    ]
    return Tournament(
        tournament_id="t",
        version=1,
        name="t",
        seats_per_table=8,
        rules=replace(PRESET, tournament=replace(PRESET.tournament, formula=Formula.MULTI_TABLE)),
        players={player.player_id: player for player in players},
        tables={f"t{at}": TableInPlay(table_id=f"t{at}") for at in range(1, len(sizes) + 1)},
        level=1,
    )


def test_eight_six_and_five_are_evened_out_by_one_move_after_the_hand_of_the_fullest() -> None:
    """Case O-42, the first of its three."""
    state = tables_of(8, 6, 5)
    assert [seating.balance(state, each) for each in ("t2", "t3")] == [None, None]
    move = seating.balance(state, "t1")
    assert isinstance(move, seating.Move)
    assert {table_id for table_id, _ in move.seats} == {"t3"}
    state = _moved(state, move.player_ids[0], move.seats[0])
    assert sorted(state.counts().values(), reverse=True) == [7, 6, 6]
    assert [seating.balance(state, each) for each in state.tables] == [None, None, None]


def test_six_five_and_five_become_two_full_tables() -> None:
    """Case O-42, the second: one of the smallest is broken."""
    state = tables_of(6, 5, 5)
    assert seating.balance(state, "t1") is None
    assert seating.balance(state, "t3") == seating.Break(("t2", "t3"))
    assert seating.balance(tables_of(3, 3, 3, 3), "t1") == seating.Break(("t1", "t2", "t3", "t4"), 2)
    state = _broken(state, "t3", random.Random(1))
    assert list(state.counts().values()) == [8, 8]


def test_seven_six_and_six_stay_as_they_are() -> None:
    """Case O-42, the third: nineteen players do not fit at two tables."""
    state = tables_of(7, 6, 6)
    assert [seating.balance(state, each) for each in state.tables] == [None, None, None]


def _carried_out(state: Tournament, table_id: str, chance: random.Random) -> Tournament:
    match seating.balance(state, table_id):
        case seating.FinalTable():
            return _final(state)
        case seating.Break(table_ids):
            assert table_id in table_ids
            return _broken(state, table_id, chance)
        case seating.Move(player_ids, seats):
            return _moved(state, chance.choice(player_ids), chance.choice(seats))
        case None:
            raise AssertionError("this table needs no change")


def _moved(state: Tournament, player_id: str, place: tuple[str, int]) -> Tournament:
    moved = replace(state.players[player_id], table_id=place[0], seat=place[1])
    return replace(state, players={**state.players, player_id: moved})


def _broken(state: Tournament, table_id: str, chance: random.Random) -> Tournament:
    for player in state.at_table(table_id):
        places = list(seating.seats_elsewhere(state, table_id))
        chance.shuffle(places)
        state = _moved(state, player.player_id, seating.next_seat(places, state.counts()))
    tables = {key: table for key, table in state.tables.items() if key != table_id}
    return replace(state, tables=tables)


def _final(state: Tournament) -> Tournament:
    players = {
        player.player_id: replace(player, table_id="final", seat=seat)
        for seat, player in enumerate(state.players.values(), start=1)
    }
    return replace(state, players=players, tables={"final": TableInPlay(table_id="final")})


@given(floors())
def test_only_the_players_moved_least_often_may_be_moved(state: Tournament) -> None:
    for table_id in state.tables:
        wanted = seating.balance(state, table_id)
        if isinstance(wanted, seating.Move) and state.rules.tournament.stud_balance is StudBalance.FEWEST_MOVES:
            fewest = min(player.moves for player in state.at_table(table_id))
            assert {state.players[player_id].moves for player_id in wanted.player_ids} == {fewest}


def test_by_position_the_seat_to_be_filled_names_the_player() -> None:
    state = Tournament(
        tournament_id="t",
        version=1,
        name="t",
        seats_per_table=4,
        rules=replace(
            PRESET,
            tournament=replace(PRESET.tournament, formula=Formula.MULTI_TABLE, stud_balance=StudBalance.POSITION),
        ),
        players={
            f"{table}{seat}": SeatedPlayer(player_id=f"{table}{seat}", table_id=table, seat=seat)
            for table, seats in (("a", (1, 2, 3, 4)), ("b", (1, 3)))
            for seat in seats
        },
        tables={table: TableInPlay(table_id=table) for table in ("a", "b")},
        level=1,
    )
    assert seating.balance(state, "a") == seating.Move(("a2",), (("b", 2),))
    assert seating.balance(state, "b") is None
