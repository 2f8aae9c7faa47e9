"""What one player may buy: caps, rebuys and the add-on (rules 161-172)."""

from datetime import datetime

from services.tournament_ledger.domain.prizes import satellite_seats, weights_for
from services.tournament_ledger.domain.refusals import spend_cap_reached
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament
from services.tournament_ledger.domain.under_way import in_hand
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import AddOnStackRule, RebuyThreshold


def check_spend_cap(spent_minor: int, price_minor: int, cap_minor: int) -> None:
    """Refuse what would pass the most that one player may pay in all; 0 = no cap (rule 170)."""
    if cap_minor and spent_minor + price_minor > cap_minor:
        raise spend_cap_reached(spent_minor, price_minor, cap_minor)


def rebuy_chips_below(tournament: Tournament, entrant: Entrant) -> bool:
    """Whether the player has few enough chips for a rebuy (rules 161, 164)."""
    rules = tournament.rules.tournament
    stack = entrant.stack_chips + (entrant.reserve_chips if rules.rebuy_counts_reserve else 0)
    if rules.rebuy_threshold is RebuyThreshold.BUSTED:
        return stack == 0
    if rules.rebuy_threshold is RebuyThreshold.AT_OR_BELOW:
        return stack <= rules.starting_stack_chips
    return stack < rules.starting_stack_chips


def rebuy_refusal(tournament: Tournament, entrant: Entrant, now: datetime) -> str:
    """Why this player may not rebuy now; empty where all is well but the caps and the wallet (rules 161-163)."""
    terms = tournament.rules.tournament.rebuy
    if terms.max_count == 0:
        return "this tournament has no rebuys"
    if tournament.level > terms.last_level:
        return f"rebuys ended with level {terms.last_level}"
    if entrant.rebuys >= terms.max_count:
        return f"all {terms.max_count} rebuys are used"
    if entrant.state not in {EntrantState.PLAYING, EntrantState.DECIDING}:
        return "the player is out"
    if entrant.state is EntrantState.DECIDING and entrant.decides_until is not None and entrant.decides_until <= now:
        return "the time to decide is over"
    if not rebuy_chips_below(tournament, entrant):
        return f"the player has too many chips: {entrant.stack_chips} and a reserve of {entrant.reserve_chips}"
    return ""


def check_rebuy(tournament: Tournament, entrant: Entrant, now: datetime) -> None:
    """Refuse a rebuy that the rules do not allow, before any money moves."""
    cause = rebuy_refusal(tournament, entrant, now)
    if cause:
        raise DomainError(Reason.REBUY_NOT_ALLOWED, f"no rebuy: {cause}", {"cause": cause})
    rules = tournament.rules.tournament
    check_spend_cap(entrant.spent_minor, tournament.fee_minor, rules.spend_cap_minor)


def may_still_rebuy(tournament: Tournament, entrant: Entrant, now: datetime) -> bool:
    """Whether a busted player gets time to decide: nothing but the wallet stands in the way (rule 163)."""
    rules = tournament.rules.tournament
    capped = rules.spend_cap_minor and entrant.spent_minor + tournament.fee_minor > rules.spend_cap_minor
    return not capped and not rebuy_refusal(tournament, entrant, now)


def add_on_refusal(tournament: Tournament, entrant: Entrant, price_minor: int) -> str:
    """Why this player may not buy the add-on at this price now; empty where all is well (rules 165, 166, 172)."""
    rules = tournament.rules.tournament
    terms = rules.add_on
    below_start = rules.add_on_stack_rule is AddOnStackRule.BELOW_START
    stack = entrant.stack_chips + entrant.reserve_chips
    causes = (
        (not terms.offered, "this tournament has no add-on"),
        (tournament.level > terms.last_level, f"the add-on ended with level {terms.last_level}"),
        (entrant.add_on, "the add-on was bought before"),
        (entrant.state is not EntrantState.PLAYING, "a player without chips needs a rebuy first"),
        (not 0 < price_minor <= terms.price_max_minor, f"the price is 1 to {terms.price_max_minor} minor units"),
        (
            rules.fee_step_minor > 0 and price_minor % rules.fee_step_minor != 0,
            f"the price is a multiple of {rules.fee_step_minor} minor units",
        ),
        (
            tournament.fee_minor == 0 or rules.starting_stack_chips * price_minor % tournament.fee_minor != 0,
            "the chips in proportion to the price are not whole",
        ),
        (below_start and stack >= rules.starting_stack_chips, "the player has the starting stack or more"),
    )
    return next((cause for broken, cause in causes if broken), "")


def add_on_chips(tournament: Tournament, entrant: Entrant, price_minor: int) -> int:
    """Chips of the add-on: starting stack * price / fee; refused where the rules do not allow it (rule 165)."""
    cause = add_on_refusal(tournament, entrant, price_minor)
    if cause:
        raise DomainError(Reason.ADD_ON_NOT_ALLOWED, f"no add-on: {cause}", {"cause": cause})
    rules = tournament.rules.tournament
    check_spend_cap(entrant.spent_minor, price_minor, rules.spend_cap_minor)
    return rules.starting_stack_chips * price_minor // tournament.fee_minor


def late_entries_open(tournament: Tournament) -> bool:
    """Whether players may still enter, or enter again, though play has begun (rules 200, 201)."""
    last = tournament.rules.tournament.late_registration_last_level
    return 0 < tournament.level <= last and not (tournament.prizes_fixed or tournament.late_closed)


def paid_places(tournament: Tournament) -> int:
    """Places that would be paid with the entrants and the fund so far: seats, in a satellite (rules 174, 202)."""
    rules, entrants = tournament.rules.tournament, tournament.entrants_count
    if rules.satellite_seat_minor:
        return satellite_seats(tournament.fund_minor, entrants, rules.satellite_seat_minor)
    return len(weights_for(entrants, rules))


def few_places_remain(tournament: Tournament) -> bool:
    """Whether late registration is to end because the prizes are near (rule 200)."""
    margin = tournament.rules.tournament.late_registration_prize_margin
    near = len(tournament.remaining()) <= paid_places(tournament) + margin
    return margin > 0 and late_entries_open(tournament) and near


def purchases_closed(tournament: Tournament) -> bool:
    """Whether nobody can pay anything more, nor have it back: the prize table can be frozen (rules 163, 176)."""
    rules = tournament.rules.tournament
    rebuys = rules.rebuy.max_count > 0 and tournament.level <= rules.rebuy.last_level
    add_ons = rules.add_on.offered and tournament.level <= rules.add_on.last_level
    deciding = any(entrant.state is EntrantState.DECIDING for entrant in tournament.entrants.values())
    return not (rebuys or add_ons or deciding or late_entries_open(tournament) or _may_be_given_back(tournament))


def _may_be_given_back(tournament: Tournament) -> bool:
    """A rebuy asked for during a hand is dropped where its player wins too much in it: it still counts for nothing."""
    return any(each.pending_rebuys and in_hand(tournament, each) for each in tournament.remaining())
