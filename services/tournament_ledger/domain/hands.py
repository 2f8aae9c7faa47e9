"""Booking a hand of a tournament: chips from losers to winners, then whoever has none left (rules 155-168, 183-184)."""

from dataclasses import replace
from datetime import timedelta

from services.tournament_ledger.domain.accounts import player_chips
from services.tournament_ledger.domain.amounts import invalid
from services.tournament_ledger.domain.bonus import pay_bonuses
from services.tournament_ledger.domain.closing import settle
from services.tournament_ledger.domain.entries import may_still_rebuy
from services.tournament_ledger.domain.facts import HandRecorded, HandResult, PlayerBusted
from services.tournament_ledger.domain.hand_for_hand import round_of
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import redistribution
from services.tournament_ledger.domain.purchases import release, release_where_nobody_can_play, return_rebuys
from services.tournament_ledger.domain.results import check_open, check_results, distribution
from services.tournament_ledger.domain.rounds import end_match
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import TournamentState
from shared.kernel.errors import not_found
from shared.kernel.rules import DoubleChanceRelease


def record_hand(steps: Steps, hand: HandRecorded) -> None:
    """Book the result of the hand whose sheet is open, with everything that follows from it."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    table = tournament.tables.get(hand.table_id)
    if table is None:
        raise not_found("table", hand.table_id)
    check_open(table.open_hand_number, hand.hand_number, table.hand_number)
    check_results(hand, table.sheet)
    if hand.rake_chips:
        raise invalid("rake_chips", "0: there is no rake in a tournament")
    accounts = {each.player_id: player_chips(tournament.tournament_id, each.player_id) for each in hand.results}
    postings = redistribution(*distribution(hand.results, accounts))
    hand = replace(hand, hand_for_hand_round=round_of(tournament, hand.hand_for_hand_round or 0))
    steps.add(EntryKind.HAND_RECORDED, (hand,), postings)
    if not hand.voided:
        _follow_up(steps, hand)
    settle(steps)


def _follow_up(steps: Steps, hand: HandRecorded) -> None:
    pay_bonuses(steps, hand.hand_id, hand.feats)
    for result in hand.results:
        return_rebuys(steps, result.player_id)
    for result in hand.results:
        if not steps.tournament.entrants[result.player_id].stack_chips:
            _busted(steps, result)
    end_match(steps, hand.table_id)
    release_where_nobody_can_play(steps)


def _busted(steps: Steps, result: HandResult) -> None:
    """The second chance comes in, or the player decides on a rebuy, or is out (rules 163, 168)."""
    rules = steps.tournament.rules.tournament
    entrant = steps.tournament.entrants[result.player_id]
    if entrant.reserve_chips:
        if rules.double_chance.release is not DoubleChanceRelease.AT_DEADLINE:
            release(steps, result.player_id)
        return
    until = steps.now
    if may_still_rebuy(steps.tournament, entrant, steps.now):
        until += timedelta(seconds=rules.rebuy.window_seconds)
    steps.amend(PlayerBusted(result.player_id, result.before_chips, until))
