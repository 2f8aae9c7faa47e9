"""Whole tournaments of random course: chips constant at every hand, money in is money out, every place given once."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.tournament_ledger.domain.amounts import Money
from services.tournament_ledger.domain.announcement import Announcement, StartKind, announcement_violations
from services.tournament_ledger.domain.facts import (
    FeatShown,
    HandRecorded,
    HandResult,
    PrizesFixed,
    SeatAssignment,
    TournamentAnnounced,
)
from services.tournament_ledger.domain.fold import announced
from services.tournament_ledger.domain.hands import record_hand
from services.tournament_ledger.domain.levels import record_level, record_move
from services.tournament_ledger.domain.posting import changes
from services.tournament_ledger.domain.purchases import buy_add_on, rebuy
from services.tournament_ledger.domain.registration import announce, register
from services.tournament_ledger.domain.sheets import open_sheet
from services.tournament_ledger.domain.start import start_play
from services.tournament_ledger.domain.steps import Draft, Steps
from services.tournament_ledger.domain.tournament import Tournament, TournamentState
from shared.kernel.errors import DomainError
from shared.kernel.rules import (
    AddOnTerms,
    BonusPrize,
    DoubleChanceRelease,
    DoubleChanceTerms,
    Feat,
    Formula,
    PrizeRest,
    PrizeRow,
    RebuyTerms,
    SameHandRank,
)
from shared.kernel.rules.presets import PRESETS
from tests.support.ledger_events import NOON, RICH

SEATS = 8
HANDS_MAX = 3000


class Course:
    """A tournament played by dice: who wins what, who buys, who moves."""

    def __init__(self, random: Random, size: int) -> None:
        self.random = random
        self.players = [f"p{number}" for number in range(1, size + 1)]
        self.now: datetime = NOON
        self.drafts: list[Draft] = []
        self.hands: dict[str, int] = {}
        self.state: Tournament = self.announced(size)

    def announced(self, size: int) -> Tournament:
        rules = replace(PRESETS["regulated_tournament"], tournament=random_rules(self.random, size))
        announcement = Announcement(
            name="Dice",
            preset="regulated_tournament",
            overrides=b"",
            fee=Money(self.random.choice([0, 50, 1000, 5000]), "EUR"),
            entrants_min=2,
            entrants_max=max(size, 2),
            seats_per_table=SEATS,
            start=StartKind.ON_COMMAND,
            starts_at=None,
            bonus_fund_minor=5000,
        )
        if announcement.fee.amount_minor == 0:
            terms = replace(
                rules.tournament,
                rebuy=replace(rules.tournament.rebuy, max_count=0),
                add_on=replace(rules.tournament.add_on, offered=False),
            )
            rules = replace(rules, tournament=terms)
        fee = announcement.fee.amount_minor
        add_on = replace(rules.tournament.add_on, price_max_minor=fee)
        rules = replace(rules, tournament=replace(rules.tournament, add_on=add_on))
        assert not announcement_violations(announcement, rules)
        fact = TournamentAnnounced("dice", announcement, rules)
        self.drafts.append(announce(fact))
        return replace(announced(fact, NOON), version=1)

    def step(self, rule: Any, *arguments: Any) -> bool:
        """Let a rule work; says whether it was allowed. A refusal changes nothing."""
        self.now += timedelta(seconds=self.random.randint(1, 20))
        steps = Steps(self.state, self.now)
        try:
            rule(steps, *arguments)
        except DomainError:
            return False
        self.state = steps.tournament
        self.drafts += steps.drafts
        self.now = steps.now
        return True

    def play(self) -> None:
        for player_id in self.players:
            assert self.step(register, player_id, RICH)
        seats = [
            SeatAssignment(player_id, f"T{index // SEATS}", index % SEATS + 1)
            for index, player_id in enumerate(self.players)
        ]
        assert self.step(start_play, seats, "draw")
        for _ in range(HANDS_MAX):
            if self.state.state is not TournamentState.RUNNING:
                return
            self.between_hands()
            self.hand()
        raise AssertionError("no end")

    def between_hands(self) -> None:
        chance = self.random.random
        for entrant in self.state.remaining():
            if chance() < 0.3:
                self.step(rebuy, entrant.player_id, RICH)
            if chance() < 0.1:
                self.step(buy_add_on, entrant.player_id, self.state.fee_minor, RICH)
        if chance() < 0.3:
            self.step(record_level, self.state.level + 1)
        self.gather_lonely_players()

    def gather_lonely_players(self) -> None:
        """Whoever sits alone moves to a table with others and a seat."""
        tables = {table_id: self.state.at_table(table_id) for table_id in self.state.tables}
        taken = {table_id: {each.seat for each in people} for table_id, people in tables.items()}
        for table_id, people in tables.items():
            for each in people if len(people) < 3 else ():
                others = [other for other in tables if other != table_id and 0 < len(taken[other]) < SEATS]
                if others:
                    other = max(others, key=lambda name: len(taken[name]))
                    seat = min(set(range(1, SEATS + 1)) - taken[other])
                    assert self.step(record_move, each.player_id, other, seat, "draw")
                    taken[other].add(seat)
                    taken[table_id].discard(each.seat)

    def running(self) -> bool:
        return self.state.state is TournamentState.RUNNING

    def hand(self) -> None:
        if not self.running():
            return  # a level began, purchases closed, and nobody was left to decide
        tables = [table_id for table_id in self.state.tables if self.state.at_table(table_id)]
        table_id = self.random.choice(tables)
        number = self.hands.get(table_id, 0) + 1
        assert self.step(open_sheet, table_id, number)
        if not self.running():
            return
        dealt = {line.player_id: line.chips for line in self.state.tables[table_id].sheet if line.chips}
        if len(dealt) < 2:
            return
        if self.random.random() < 0.3:
            self.step(rebuy, self.random.choice(list(dealt)), RICH)
        assert self.step(record_hand, self.result(table_id, number, dealt))
        self.hands[table_id] = number
        self.check_chips()

    def result(self, table_id: str, number: int, dealt: Mapping[str, int]) -> HandRecorded:
        winner = self.random.choice(list(dealt))
        loss = {name: self.random.choice([0, chips // 2, chips]) for name, chips in dealt.items() if name != winner}
        after = {name: chips - loss.get(name, 0) for name, chips in dealt.items()}
        after[winner] += sum(loss.values())
        shown = FeatShown(winner, Feat.ROYAL_FLUSH, uncontested=False)
        feats = (shown,) if self.random.random() < 0.05 else ()
        return HandRecorded(
            hand_id=f"{table_id}-{number}",
            table_id=table_id,
            hand_number=number,
            results=tuple(HandResult(name, chips, after[name]) for name, chips in dealt.items()),
            rake_chips=0,
            street_reached=None,
            feats=feats,
            voided=False,
        )

    def check_chips(self) -> None:
        entrants = self.state.entrants.values()
        assert sum(each.stack_chips + each.reserve_chips for each in entrants) == self.state.chips_total
        assert all(min(each.chips, each.pending_chips, each.reserve_chips) >= 0 for each in entrants)


def random_rules(random: Random, size: int) -> Any:
    rules = PRESETS["regulated_tournament"].tournament
    places = random.randint(1, min(size, 6))
    weights = tuple(sorted((random.randint(1, 50) for _ in range(places)), reverse=True))
    return replace(
        rules,
        formula=Formula.SINGLE_MATCH if size <= SEATS else Formula.MULTI_TABLE,
        rebuy=RebuyTerms(max_count=random.choice([0, 1, 3]), last_level=3, window_seconds=random.choice([0, 30])),
        add_on=AddOnTerms(offered=random.random() < 0.5, price_max_minor=0, last_level=4),
        double_chance=DoubleChanceTerms(
            offered=random.random() < 0.5, release=random.choice(list(DoubleChanceRelease)), last_level=2
        ),
        prize_rows=(PrizeRow(entrants_min=1, weights=(1,)), PrizeRow(entrants_min=max(size, 2), weights=weights)),
        prize_rest=random.choice(list(PrizeRest)),
        same_hand_rank=random.choice(list(SameHandRank)),
        guarantee_minor=random.choice([0, 0, 12_345]),
        bonus_prizes=(BonusPrize(feat=Feat.ROYAL_FLUSH, amount_minor=500),),
        spend_cap_minor=25_000,
    )


def check_money(course: Course) -> None:
    """Every posting together: nothing in between, prizes to the cent."""
    state = course.state
    balances = changes(posting for draft in course.drafts for posting in draft.postings)
    assert sum(balances.values()) == 0
    paid_in = sum(each.spent_minor for each in state.entrants.values())
    prizes = sum(each.prize_minor for each in state.entrants.values())
    house = balances.get("tournament/dice/house", 0)
    topped_up = [
        fact.guarantee_added_minor for draft in course.drafts for fact in draft.facts if isinstance(fact, PrizesFixed)
    ]
    assert paid_in + sum(topped_up) == prizes + house
    assert prizes == sum(state.prizes_minor) == state.fund_minor
    for account in ("escrow", "prize_fund", "bonus_fund", "guarantee"):
        assert balances.get(f"tournament/dice/{account}", 0) == 0
    for each in state.entrants.values():
        wallet = balances.get(f"wallet/{each.player_id}/EUR", 0)
        assert wallet == each.prize_minor + each.bonus_minor - each.spent_minor
        assert each.spent_minor <= 25_000


def check_places(state: Tournament) -> None:
    """Each place is taken by as many as share it; nobody worse gets a better prize."""
    places = sorted(each.place for each in state.entrants.values())
    at = 1
    while at <= len(places):
        assert places[at - 1] == at
        at += places.count(at)
    by_place = sorted(state.entrants.values(), key=lambda each: each.place)
    prizes = [each.prize_minor for each in by_place]
    assert prizes == sorted(prizes, reverse=True)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from([2, 3, 5, 8]))
def test_a_table_of_any_course_keeps_every_chip_and_pays_every_cent(seed: int, size: int) -> None:
    course = Course(Random(seed), size)
    course.play()
    check_money(course)
    check_places(course.state)


@pytest.mark.parametrize("seed", range(8))
def test_tournaments_over_many_tables_keep_every_chip_and_pay_every_cent(seed: int) -> None:
    random = Random(seed)
    course = Course(random, random.randint(9, 60))
    course.play()
    check_money(course)
    check_places(course.state)
