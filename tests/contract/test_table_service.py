"""A cash table through its contract: five services, scripted cards, one hand at a time."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.betting_pb2 import ACTION_KIND_FOLD
from sevenstud.common.v1.rule_options_pb2 import ALL_IN_EXPOSURE_IMMEDIATE
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.console.domain.phh_file import read_hands
from services.console.domain.recorded_hand import RecordedHand
from shared.kernel.errors import Reason
from tests.support.dealer_calls import wire_cards
from tests.support.ledger_house import euro, fresh, refusal, refused
from tests.support.table_suite import (
    CHECKED_DOWN,
    STAKES,
    TO_THE_RIVER,
    TableSuite,
    card_room,
    heads_up,
    kinds,
    open_table,
    stacks,
)


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


# --- a hand -----------------------------------------------------------------------------------


async def test_a_hand_goes_from_the_ante_to_the_showdown_and_into_the_books(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    hand = await table.hand(1)
    happened = kinds(hand.events)
    assert happened[:3] == ["hand_started", "ante_posted", "ante_posted"]
    assert [kind for kind in happened if kind == "street_dealt"] == ["street_dealt"] * 5
    assert happened[-7:] == [
        "showdown_started",
        "hand_shown",
        "hand_mucked",
        "pot_awarded",
        "hand_ended",
        "hand_booked",
        "openings_published",
    ]
    ended = next(event.hand_ended for event in hand.events if event.WhichOneof("event") == "hand_ended")
    assert [(each.before_chips, each.after_chips) for each in ended.results] == [(100, 126), (100, 74)]
    assert stacks(await table.view()) == {1: 126, 2: 74}


async def test_every_event_has_a_number_without_a_gap(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    versions = [event.version for event in (await table.hand(1)).events]
    assert versions == list(range(versions[0], versions[0] + len(versions)))


async def test_an_uncontested_pot_is_paid_without_a_card_being_shown(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5", "2 fold")
    hand = await table.hand(1)
    assert "hand_shown" not in kinds(hand.events)
    assert "uncalled_bet_returned" in kinds(hand.events)
    assert stacks(await table.view()) == {1: 103, 2: 97}


async def test_the_winner_of_an_uncontested_pot_may_show(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5", "2 fold")
    await table.hand(1)
    request = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", hand_id=f"{table.table_id}.1", show=True
    )
    await suite.tables.ShowOrMuck(request)
    *_, shown, proofs = (await suite.tables.GetHand(pb.GetHandRequest(hand_id=request.hand_id))).events
    assert (shown.hand_shown.seat, len(shown.hand_shown.cards), list(shown.hand_shown.best_five)) == (1, 3, [])
    assert {each.seat for each in proofs.openings_published.openings} == {1}


async def test_the_winner_of_an_uncontested_pot_shows_the_whole_hand_also_after_a_restart(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5", "2 fold")
    hand = await table.hand(1)
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    request = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", hand_id=hand.hand_id, show=True
    )
    await suite.tables.ShowOrMuck(request)
    events = (await suite.tables.GetHand(pb.GetHandRequest(hand_id=hand.hand_id))).events
    (shown,) = (event.hand_shown for event in events if event.HasField("hand_shown"))
    assert list(shown.cards) == wire_cards("As Ad Kc")


async def test_hands_lie_open_once_everybody_is_all_in_where_the_rules_say_so(suite: TableSuite) -> None:
    def expose(rules: RuleSet) -> None:
        rules.hand.all_in_exposure = ALL_IN_EXPOSURE_IMMEDIATE
        rules.hand.raise_cap = 0

    table = await heads_up(suite, card_room(expose=expose))
    await table.play("2 bring_in", "1 complete 5", *_ladder(), "2 raise 99", "1 call")
    hand = await table.hand(1)
    happened = kinds(hand.events)
    assert happened.index("hand_shown") < [at for at, kind in enumerate(happened) if kind == "street_dealt"][1]
    assert stacks(await table.view()) == {1: 200, 2: 0}


def _ladder() -> list[str]:
    """Raises by 5 in turn until hardly a chip is left."""
    return [f"{2 if to % 10 == 0 else 1} raise {to}" for to in range(10, 100, 5)]


async def test_a_deck_prepared_for_other_players_is_never_used(suite: TableSuite) -> None:
    table = await open_table(suite, card_room(), hands_max=2)
    await suite.prepare_deck(table.table_id, 1, seats=(1, 2, 3))
    await table.sit("ann", "bob")
    await table.resume()
    voided = (await table.hand(1)).events
    assert kinds(voided) == ["hand_started", "hand_voided", "hand_booked", "openings_published"]
    await table.until(lambda view: view.hand_number == 2 and view.HasField("turn"))
    assert sum(stacks(await table.view()).values()) == 200 - 2


# --- actions that are refused -------------------------------------------------------------------


async def test_an_action_for_an_earlier_turn_changes_nothing_and_names_the_current_one(suite: TableSuite) -> None:
    table = await heads_up(suite)
    first = await table.turn()
    await table.play("2 bring_in")
    second, before = await table.turn(), await table.view()
    late = table.action(first, "fold")
    late.player_id = "ann"
    metadata = await refused(suite.tables.Act(late), Reason.STALE_TURN)
    assert metadata == {"turn_id": str(first.turn_id), "current_turn_id": str(second.turn_id)}
    assert await table.view() == before


async def test_who_is_not_to_act_is_told_who_is(suite: TableSuite) -> None:
    table = await heads_up(suite)
    action = table.action(await table.turn(), "fold")
    action.player_id = "ann"
    assert await refused(suite.tables.Act(action), Reason.NOT_YOUR_TURN) == {"seat": "1", "turn_seat": "2"}


@pytest.mark.parametrize(
    ("kind", "to_chips", "reason"),
    [("check", 0, Reason.ACTION_NOT_LEGAL), ("complete", 7, Reason.AMOUNT_NOT_LEGAL)],
)
async def test_what_the_rules_refuse_changes_nothing(
    suite: TableSuite, kind: str, to_chips: int, reason: Reason
) -> None:
    table = await heads_up(suite)
    turn, before = await table.turn(), await table.view()
    assert (await refusal(suite.tables.Act(table.action(turn, kind, to_chips)))).reason is reason
    assert await table.view() == before


async def test_without_a_hand_nobody_can_act(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await table.sit("ann")
    action = pb.ActRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", turn_id=1, kind=ACTION_KIND_FOLD
    )
    assert await refused(suite.tables.Act(action), Reason.NO_HAND) == {"table_id": table.table_id}


async def test_a_player_acts_for_nobody_else(suite: TableSuite) -> None:
    table = await heads_up(suite)
    action = table.action(await table.turn(), "bring_in")
    async with suite.as_player("ann") as ann:
        assert (await refusal(ann.Act(action))).reason is Reason.NOT_PERMITTED
    async with suite.as_player("bob") as bob:
        assert (await bob.Act(action)).paid_chips == 2


# --- exactly once -------------------------------------------------------------------------------


async def test_the_same_request_twice_is_one_action_with_one_answer(suite: TableSuite) -> None:
    table = await heads_up(suite)
    action = table.action(await table.turn(), "bring_in")
    first = await suite.tables.Act(action)
    await table.play("1 complete 5")
    assert await suite.tables.Act(action) == first
    assert stacks(await table.view()) == {1: 94, 2: 97}


async def test_a_request_id_with_other_content_is_refused(suite: TableSuite) -> None:
    table = await heads_up(suite)
    action = table.action(await table.turn(), "bring_in")
    await suite.tables.Act(action)
    action.kind = ACTION_KIND_FOLD
    assert await refused(suite.tables.Act(action), Reason.REQUEST_ID_REUSED) == {"request_id": action.request_id}


async def test_sitting_down_twice_with_one_request_buys_once(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await table.sit("ann")
    for player in ("bob", "cid"):
        request = ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player, currency="EUR")
        await suite.ledger.OpenAccount(request)
        await suite.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id=player, amount=euro(150)))
    sit = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="bob", buy_in_chips=100)
    first, again = await suite.tables.Sit(sit), await suite.tables.Sit(sit)
    assert first == again
    assert stacks(await table.view()) == {1: 100, 2: 100}
    assert await wallet(suite, "bob") == 50


async def wallet(suite: TableSuite, player_id: str) -> int:
    request = ledger_pb.GetBalanceRequest(player_id=player_id, currency="EUR")
    return (await suite.ledger.GetBalance(request)).balance.available.amount_minor


# --- seats and money ------------------------------------------------------------------------------


async def test_seats_are_refused_with_the_reason(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await table.sit("ann")
    sit = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="bob", seat=1, buy_in_chips=100)
    assert await refused(suite.tables.Sit(sit), Reason.SEAT_TAKEN) == {"seat": "1"}
    sit = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", buy_in_chips=100)
    assert await refused(suite.tables.Sit(sit), Reason.ALREADY_SEATED) == {"seat": "1"}
    sit = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="bob", buy_in_chips=99)
    assert (await refusal(suite.tables.Sit(sit))).reason in {Reason.BUY_IN_NOT_ALLOWED, Reason.NOT_FOUND}
    assert stacks(await table.view()) == {1: 100}


async def test_who_leaves_in_a_hand_leaves_when_it_is_over_with_what_is_left(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in")
    leave = pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id="bob")
    assert {seat.player_id for seat in (await suite.tables.Leave(leave)).table.seats} == {"ann", "bob"}
    await table.play("1 complete 5", "2 fold")
    await table.until(lambda view: len(view.seats) == 1)
    assert await wallet(suite, "bob") == 997


async def test_a_closed_table_pays_everybody_out(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await table.sit("ann", "bob")
    close = pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id)
    closed = (await suite.house.CloseTable(close)).table
    assert closed.state == table_pb2.TABLE_STATE_CLOSED
    assert not closed.seats
    assert (await wallet(suite, "ann"), await wallet(suite, "bob")) == (1000, 1000)
    assert (await suite.house.CloseTable(close)).table == closed


async def test_a_table_is_not_closed_in_a_hand(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.turn()
    close = pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id)
    assert await refused(suite.house.CloseTable(close), Reason.HAND_IN_PROGRESS) == {"hand_id": f"{table.table_id}.1"}


async def test_a_table_id_is_given_once(suite: TableSuite) -> None:
    table = await open_table(suite, card_room(), table_id="corner")
    again = pb.OpenTableRequest(
        request_id=fresh(), table_id="corner", name="B", rules=card_room(), stakes=STAKES, chip_value=euro(1)
    )
    metadata = await refused(suite.tables.OpenTable(again), Reason.ALREADY_EXISTS)
    assert metadata == {"kind": "table", "id": table.table_id}


async def test_more_tables_than_the_limit_are_refused(suite: TableSuite) -> None:
    await suite.stop_orchestrator()
    await suite.start_orchestrator(TABLES_MAX="1")
    await open_table(suite, card_room())
    more = pb.OpenTableRequest(request_id=fresh(), name="B", rules=card_room(), stakes=STAKES, chip_value=euro(1))
    assert await refused(suite.tables.OpenTable(more), Reason.LIMIT_REACHED) == {"limit": "tables_max"}


async def test_configuration_commands_name_the_version_they_saw(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    resume = pb.ResumeTableRequest(request_id=fresh(), table_id=table.table_id, expected_version=1)
    assert await refused(suite.house.ResumeTable(resume), Reason.VERSION_CONFLICT) == {"expected": "1", "current": "2"}


# --- hand histories ---------------------------------------------------------------------------------


async def test_an_exported_hand_reads_back_as_it_was_played(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    text = (await table.hand(1, "ann", phh=True)).phh
    (record,) = read_hands("export.phh", text)
    assert isinstance(record, RecordedHand)
    assert record.starting_stacks_chips == (100, 100)
    assert record.finishing_stacks_chips == (126, 74)
    assert len(record.decisions) == len(TO_THE_RIVER) + len(CHECKED_DOWN)
    assert "d dh p1 AsAdKc" in text
    assert "p2 sm'" in text


async def test_a_spectator_finds_no_mucked_card_in_the_history(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    text = (await table.hand(1, phh=True)).phh
    assert "d dh p2 ????2h" in text
    assert "9s" not in text


async def test_only_players_of_the_hand_are_given_a_mucked_hand(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    await table.hand(1)
    ask = pb.AskToSeeRequest(hand_id=f"{table.table_id}.1", player_id="ann", seat=2)
    assert len((await suite.tables.AskToSee(ask)).cards) == 7
    ask.player_id = "eve"
    assert (await refusal(suite.tables.AskToSee(ask))).reason is Reason.NOT_PERMITTED
