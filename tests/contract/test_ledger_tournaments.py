"""Tournaments through the ledger's contract: announcing, filling, cancelling, watching."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.common.v1.rules_pb2 import BonusPrize, ClockRules, DoubleChanceTerms, RebuyTerms
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_pb2
from sevenstud.tournament_ledger.v1.fact_pb2 import TournamentFact
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.adapters.reports import StoredReports
from services.tournament_ledger.domain.canonical import from_text
from services.tournament_ledger.domain.facts import KNOWN
from services.tournament_ledger.domain.fold import fold
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from tests.support.ledger_house import (
    Ledger,
    announcement,
    euro,
    fresh,
    ledger,
    refusal,
    refused,
    tournament_rules,
)
from tests.support.servers import calling

PLAYERS = ("ann", "bob", "cid")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


# --- announcing -----------------------------------------------------------------------------


async def test_what_was_announced_is_published_in_full_and_stays_readable(house: Ledger) -> None:
    overrides = tournament_rules(starting_stack_chips=5000)
    announced = await house.announce(overrides)
    assert announced.announcement.rules.overrides == overrides
    assert announced.rules.tournament.starting_stack_chips == 5000
    assert announced.rules.hand.raise_cap == 3
    assert announced.state == tournament_pb2.TOURNAMENT_STATE_REGISTERING
    assert await house.tournament(announced.tournament_id) == announced


@pytest.mark.parametrize(
    ("overrides", "terms", "field"),
    [
        ({}, {"fee": euro(75)}, "announcement.fee.amount_minor"),
        ({}, {"fee": euro(25_050)}, "announcement.fee.amount_minor"),
        ({}, {"fee": euro(-50)}, "announcement.fee.amount_minor"),
        ({}, {"entrants_max": 9}, "announcement.entrants_max"),
        ({}, {"entrants_min": 5, "entrants_max": 4}, "announcement.entrants_max"),
        ({}, {"start": tournament_pb2.START_KIND_SCHEDULED}, "announcement.starts_at"),
        ({}, {"bonus_fund_minor": 1}, "announcement.bonus_fund_minor"),
        ({"starting_stack_chips": 2**63 - 5}, {}, "tournament.starting_stack_chips"),
        ({"formula": option.FORMULA_ROUNDS, "qualifiers": 5}, {}, "tournament.qualifiers"),
        ({"late_registration_prize_margin": 2}, {}, "tournament.late_registration_prize_margin"),
        (
            {"starting_stack_chips": 3005, "double_chance": DoubleChanceTerms(offered=True)},
            {},
            "tournament.starting_stack_chips",
        ),
        (
            {"bonus_prizes": [BonusPrize(feat=option.FEAT_ROYAL_FLUSH, amount_minor=500)]},
            {"bonus_fund_minor": 499},
            "announcement.bonus_fund_minor",
        ),
        (
            {
                "bonus_prizes": [BonusPrize(feat=option.FEAT_ROYAL_FLUSH, amount_minor=500)],
                "bonus_when": option.BONUS_WHEN_ALSO_UNCONTESTED,
                "showdown_seconds": 0,
            },
            {"bonus_fund_minor": 500},
            "clock.showdown_seconds",
        ),
    ],
)
async def test_an_announcement_that_makes_no_sense_names_the_field(
    house: Ledger, overrides: dict[str, Any], terms: dict[str, Any], field: str
) -> None:
    clock = {name: overrides.pop(name) for name in ("showdown_seconds",) if name in overrides}
    rules = tournament_rules(**overrides)
    rules.clock.MergeFrom(ClockRules(**clock))
    error = await refusal(house.announce(rules, **terms))
    assert error.reason is Reason.RULES_INVALID
    path = field if field.startswith("announcement.") else f"announcement.rules.overrides.{field}"
    assert path in {each.field for each in error.violations}
    assert all(each.field.startswith("announcement.") for each in error.violations)
    listed = await house.backend.ListTournaments(pb.ListTournamentsRequest())
    assert not listed.tournaments


async def test_a_tournament_id_is_used_once(house: Ledger) -> None:
    def request() -> pb.AnnounceTournamentRequest:
        return pb.AnnounceTournamentRequest(request_id=fresh(), tournament_id="sunday", announcement=announcement())

    await house.backend.AnnounceTournament(request())
    await refused(house.backend.AnnounceTournament(request()), Reason.ALREADY_EXISTS)


async def test_tournaments_are_listed_newest_first_in_pages_and_by_state(house: Ledger) -> None:
    names: list[str] = []
    for _ in range(5):
        house.clock.pass_seconds(1)
        names.append((await house.announce()).tournament_id)
    await house.cancel(names[0])
    request = pb.ListTournamentsRequest(page_size=2)
    found: list[str] = []
    while True:
        page = await house.backend.ListTournaments(request)
        found += [each.tournament_id for each in page.tournaments]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert found == names[::-1]
    only = pb.ListTournamentsRequest(state=tournament_pb2.TOURNAMENT_STATE_CANCELLED)
    assert [each.tournament_id for each in (await house.backend.ListTournaments(only)).tournaments] == names[:1]


# --- registering ----------------------------------------------------------------------------


async def test_registering_takes_the_fee_and_withdrawing_gives_it_back(house: Ledger) -> None:
    event = (await house.announce()).tournament_id
    await house.player("ann", 1500)
    await house.register(event, "ann")
    assert await house.wallet("ann") == 500
    assert (await house.tournament(event)).prize_fund_minor == 800
    out = pb.UnregisterRequest(request_id=fresh(), tournament_id=event, player_id="ann")
    assert (await house.backend.Unregister(out)).entrants == 0
    assert await house.wallet("ann") == 1500
    again = pb.UnregisterRequest(request_id=fresh(), tournament_id=event, player_id="ann")
    await refused(house.backend.Unregister(again), Reason.NOT_REGISTERED)
    await house.register(event, "ann")
    assert (await house.standings(event))["ann"].state == tournament_pb2.ENTRANT_STATE_REGISTERED
    await house.sound()


async def test_who_registers_is_told_the_own_line_of_the_standings(house: Ledger) -> None:
    await house.player("ann", 100_000)
    event = (await house.announce()).tournament_id
    request = pb.RegisterRequest(request_id=fresh(), tournament_id=event, player_id="ann")
    registered = await house.backend.Register(request)
    assert registered.standing == (await house.standings(event))["ann"]
    assert registered.standing.state == tournament_pb2.ENTRANT_STATE_REGISTERED
    assert registered.entrants == 1
    assert await house.backend.Register(request) == registered


async def test_a_registration_that_cannot_be_is_refused_before_money_moves(house: Ledger) -> None:
    event = (await house.announce(entrants_max=2)).tournament_id
    await house.player("poor", 999)
    metadata = await refused(house.register(event, "poor"), Reason.FUNDS_INSUFFICIENT)
    assert metadata == {"available_minor": "999", "needed_minor": "1000"}
    await refused(house.register(event, "nobody"), Reason.NOT_FOUND)
    await refused(house.register("no-event", "poor"), Reason.NOT_FOUND)
    for player_id in PLAYERS:
        await house.player(player_id, 5000)
    await house.register(event, "ann", "bob")
    await refused(house.register(event, "ann"), Reason.ALREADY_REGISTERED)
    await refused(house.register(event, "cid"), Reason.TOURNAMENT_FULL)
    await house.start(event, ("ann", "bob"))
    assert (await refused(house.register(event, "cid"), Reason.REGISTRATION_CLOSED))["state"] == "RUNNING"
    assert await house.wallet("cid") == 5000


async def test_a_wallet_in_another_currency_does_not_pay(house: Ledger) -> None:
    await house.player("ann", 5000)
    event = (await house.announce(fee=Money(amount_minor=1000, currency="USD"))).tournament_id
    metadata = await refused(house.register(event, "ann"), Reason.CURRENCY_MISMATCH)
    assert metadata == {"expected": "USD", "given": "EUR"}


async def test_a_free_tournament_costs_and_pays_nothing(house: Ledger) -> None:
    event = await house.event(PLAYERS, fee=euro(0))
    await house.hand(event, {"ann": 6000, "bob": -3000, "cid": -3000})
    assert await house.wallet("ann") == 100_000
    assert (await house.tournament(event)).state == tournament_pb2.TOURNAMENT_STATE_FINISHED


async def test_a_guarantee_is_topped_up_by_the_organiser(house: Ledger) -> None:
    event = await house.event(PLAYERS, tournament_rules(guarantee_minor=5000))
    assert list((await house.tournament(event)).prizes_minor) == [5000]
    await house.hand(event, {"ann": 6000, "bob": -3000, "cid": -3000})
    assert await house.wallet("ann") == 100_000 - 1000 + 5000
    await house.sound()


# --- cancelling -----------------------------------------------------------------------------


async def test_a_tournament_cancelled_before_the_start_returns_every_fee(house: Ledger) -> None:
    event = (await house.announce()).tournament_id
    for player_id in PLAYERS:
        await house.player(player_id, 5000)
    await house.register(event, *PLAYERS)
    version = (await house.tournament(event)).version
    await refused(house.cancel(event, version + 1), Reason.VERSION_CONFLICT)
    await house.cancel(event, version)
    assert [await house.wallet(player_id) for player_id in PLAYERS] == [5000, 5000, 5000]
    await refused(house.cancel(event), Reason.TOURNAMENT_STATE)
    await house.sound()


async def test_a_tournament_cancelled_in_play_splits_the_fund_half_evenly_and_half_by_chips(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    await house.hand(event, {"ann": 3000, "cid": -3000})
    await house.cancel(event)
    # Fund 24.00: 12.00 evenly is 6.00 each for two; 12.00 by 6,000 to 3,000 chips is 8.00 and 4.00; fee share 2.00.
    back = [await house.wallet(player_id) - (100_000 - 1000) for player_id in PLAYERS]
    assert back == [600 + 800 + 200, 600 + 400 + 200, 200]
    assert sum(back) == 3000
    over = await house.sheet(event, 2)
    assert over.state == tournament_pb2.TOURNAMENT_STATE_CANCELLED
    await house.sound()


# --- reading and watching -------------------------------------------------------------------


async def test_standings_are_best_first_and_come_in_pages(house: Ledger) -> None:
    event = await house.event((*PLAYERS, "dan"))
    await house.hand(event, {"ann": 2900, "bob": -3000, "cid": 100})
    request = pb.GetStandingsRequest(tournament_id=event, page_size=3)
    first = await house.backend.GetStandings(request)
    assert [each.player_id for each in first.standings] == ["ann", "cid", "dan"]
    request.page_token = first.next_page_token
    second = await house.backend.GetStandings(request)
    assert [(each.player_id, each.place) for each in second.standings] == [("bob", 4)]
    assert not second.next_page_token


def name_of(fact: TournamentFact) -> str:
    return str(fact.WhichOneof("fact"))


async def test_watchers_get_every_fact_once_in_order_and_resume_where_they_stopped(house: Ledger) -> None:
    event = await house.event(("ann", "bob"))
    facts: list[TournamentFact] = []

    async def watch(after: int) -> None:
        stream = house.backend.Watch(pb.WatchRequest(tournament_id=event, after_version=after))
        async for item in stream:
            facts.append(item.fact)
            if name_of(item.fact) in {"prizes_fixed", "tournament_finished"}:
                return

    await asyncio.wait_for(watch(0), 5)
    assert [name_of(each) for each in facts] == [
        "tournament_announced",
        "player_registered",
        "player_registered",
        "tournament_started",
        "prizes_fixed",
    ]
    assert facts[0].tournament_announced.tournament.announcement.name == "Sunday stud"
    assert list(facts[-1].prizes_fixed.prizes_minor) == [1600]
    last = facts[-1].version
    following = asyncio.create_task(watch(last))
    await house.hand(event, {"ann": 3000, "bob": -3000})
    await asyncio.wait_for(following, 5)
    assert [name_of(each) for each in facts[5:]] == ["player_placed", "player_placed", "tournament_finished"]
    placed = [(each.player_placed.player_id, each.player_placed.place) for each in facts[5:7]]
    assert placed == [("bob", 2), ("ann", 1)]
    assert facts[-1].tournament_finished.winner_player_id == "ann"


async def test_who_watches_all_tournaments_is_told_from_now_on(house: Ledger) -> None:
    await house.announce()
    stream = house.backend.Watch(pb.WatchRequest())
    reading = asyncio.ensure_future(anext(aiter(stream)))
    await asyncio.sleep(0.2)
    later = await house.announce(name="later")
    item = await asyncio.wait_for(reading, 5)
    assert item.fact.tournament_id == later.tournament_id
    stream.cancel()


async def test_a_cursor_beyond_the_end_and_an_unknown_tournament_are_refused(house: Ledger) -> None:
    event = (await house.announce()).tournament_id
    beyond = house.backend.Watch(pb.WatchRequest(tournament_id=event, after_version=2))
    assert await refused(anext(aiter(beyond)), Reason.CURSOR_OUT_OF_RANGE) == {"last": "1"}
    unknown = house.backend.Watch(pb.WatchRequest(tournament_id="none"))
    await refused(anext(aiter(unknown)), Reason.NOT_FOUND)


async def test_a_stream_ends_with_a_word_when_the_service_stops(house: Ledger) -> None:
    event = (await house.announce()).tournament_id
    items = aiter(house.backend.Watch(pb.WatchRequest(tournament_id=event)))
    assert name_of((await anext(items)).fact) == "tournament_announced"
    house.drain.begin()
    assert (await asyncio.wait_for(anext(items), 5)).ended.reason == "DRAINING"


async def test_players_register_themselves(house: Ledger) -> None:
    event = (await house.announce()).tournament_id
    await house.player("ann", 5000)
    async with calling(house.server.address, Caller(Role.PLAYER, "ann")) as channel:
        ann = TournamentLedgerServiceStub(channel)
        await ann.Register(pb.RegisterRequest(request_id=fresh(), tournament_id=event, player_id="ann"))
        other = pb.RegisterRequest(request_id=fresh(), tournament_id=event, player_id="bob")
        await refused(ann.Register(other), Reason.NOT_PERMITTED)


# --- the journal is the truth ---------------------------------------------------------------


async def test_folding_the_journal_gives_the_state_that_is_kept(house: Ledger) -> None:
    rules = tournament_rules(
        rebuy=RebuyTerms(max_count=2, last_level=4, window_seconds=30),
        double_chance=DoubleChanceTerms(offered=True),
        guarantee_minor=9000,
    )
    event = await house.event(PLAYERS, rules)
    await house.hand(event, {"ann": 1500, "bob": -1500})
    await house.hand(event, {"ann": 1500, "bob": -1500})
    await house.rebuy(event, "bob")
    await house.level(event, 2)
    await house.hand(event, {"ann": -100, "cid": 100})
    entries = await StoredReports(house.store).entries(f"tournament:{event}", 0, 1000)
    assert await StoredBooks(house.store).tournament(event) == fold(
        (each.at, from_text(each.subject, KNOWN)) for each in entries
    )
