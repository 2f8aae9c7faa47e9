"""Where pokerkit plays by other rules, told from what happened in the hand, never from a list of hands."""

from services.betting.domain.actions import WAGERS, ActionKind, LegalActions
from services.betting.domain.facts import ActionTaken
from services.betting.domain.state import BettingPhase, BettingState, SeatStatus
from shared.kernel.game import Street
from shared.kernel.rules import BringInNoChips, ShortBringInPrice


class OtherRulesError(Exception):
    """From here on pokerkit plays by other rules; the text says which."""


def exclude_opening(before: BettingState, fact: ActionTaken) -> None:
    """What the opener of third street did."""
    rules, stakes = before.rules, before.stakes
    if fact.kind is ActionKind.FOLD:
        raise OtherRulesError("bring-in declined: pokerkit forbids it (rules 30, 35)")
    short = fact.kind is ActionKind.BRING_IN and fact.paid_chips < stakes.bring_in_chips
    if short and rules.short_bring_in_price is ShortBringInPrice.NOMINAL:
        raise OtherRulesError("short bring-in: pokerkit lowers the price to what was posted (rule 36)")


def exclude_short(after: BettingState, fact: ActionTaken) -> None:
    """An all-in that is no full wager."""
    if fact.all_in and after.full_price_chips != fact.to_chips:
        raise OtherRulesError("all-in short by more than half: pokerkit counts the next raise from it (rule 74)")


def exclude_turn(state: BettingState, turn: LegalActions) -> None:
    """What the turn itself shows to be under other rules."""
    rules = state.rules
    first = state.opening_order[0]
    no_chips = next(seat for seat in state.seats if seat.seat == first).stack_chips == 0
    if state.phase is BettingPhase.BRING_IN and no_chips and rules.bring_in_no_chips is BringInNoChips.NEXT_LOWEST:
        raise OtherRulesError("low card without chips, next lowest opens: pokerkit goes to the left (rule 34)")
    if any(len(each.to_chips_choices) > 1 for each in turn.actions) or state.upper_limit_used:
        raise OtherRulesError("open pair on fourth street: pokerkit has no such rule (rules 53-58)")
    wagers = any(each.kind in WAGERS for each in turn.actions)
    if wagers and state.cap_lifted and state.raises_made >= rules.raise_cap:
        raise OtherRulesError("cap lifted with two players: pokerkit's cap always holds (rule 51)")
    seat = next(each for each in state.seats if each.seat == turn.seat)
    rise = state.price_chips - seat.acted_price_chips
    unit = unit_of(state)
    third = state.street is Street.THIRD
    completed = third and seat.acted_price_chips < unit <= state.full_price_chips
    if wagers and seat.acted and rise < unit and not completed:
        raise OtherRulesError("an all-in of half a bet or more reopens: pokerkit wants a full one (rule 73)")
    if third and not wagers and seat.acted and 0 < 2 * rise < unit and state.full_price_chips < unit:
        raise OtherRulesError(
            "an all-in below the full bet over the bring-in: pokerkit reopens for every rise (rule 73)"
        )
    could_open = state.phase is BettingPhase.BRING_IN and seat.stack_chips > state.stakes.bring_in_chips
    if could_open and not wagers and not rules.bring_in_full:
        raise OtherRulesError("opening for the full bet is not allowed: pokerkit offers it (rule 29)")


def nobody_can_pay_more(state: BettingState, seat: int) -> bool:
    """No other able seat has chips beyond the price; a seat with chips is an opponent all the same (rule 69)."""
    able = [each for each in state.seats if each.status is SeatStatus.ACTIVE and each.seat != seat]
    return all(each.stack_chips + each.street_chips <= state.price_chips for each in able)


def unit_of(state: BettingState) -> int:
    """The fixed wager of the street."""
    lower = state.street in state.rules.lower_limit_streets
    return state.stakes.lower_limit_chips if lower else state.stakes.upper_limit_chips
