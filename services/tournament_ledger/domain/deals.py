"""Agreed splits: between hands, the same for all, accepted by all who are left (rule 203)."""

from collections.abc import Sequence
from math import lcm

from services.tournament_ledger.domain.amounts import AMOUNT_MAX, invalid
from services.tournament_ledger.domain.closing import end_by_deal, pay
from services.tournament_ledger.domain.facts_deals import (
    Deal,
    DealAccepted,
    DealAgreed,
    DealLapsed,
    DealProposed,
    DealShare,
)
from services.tournament_ledger.domain.icm import PLAYERS_MAX, icm_equities
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.prizes import split
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament, TournamentState
from services.tournament_ledger.domain.under_way import can_be_dealt
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import DealKind, PrizeRest

PLAYERS_MIN = 2


def propose_deal(steps: Steps, player_id: str, shares: Sequence[DealShare], rest_minor: int) -> Deal:
    """Work out the split and let the others accept it; an older proposal lapses."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    tournament.entrant(player_id)
    _refuse(_obstacle(tournament, player_id))
    kind = tournament.rules.tournament.deal
    left = sorted(tournament.remaining(), key=_most_chips)
    if kind is DealKind.FREE:
        worked_out = _free(tournament, left, shares, rest_minor)
    elif shares:
        raise invalid("shares", f"none: a deal of this tournament is {kind}, worked out by the ledger")
    else:
        worked_out = _worked_out(tournament, left, kind, rest_minor)
    _refuse(_first_prize(tournament, worked_out, rest_minor))
    deal = Deal(tournament.deals_count + 1, kind, worked_out, rest_minor, (player_id,))
    lapsed = () if tournament.deal is None else (DealLapsed(tournament.deal.number),)
    steps.add(EntryKind.DEAL_PROPOSED, (*lapsed, DealProposed(deal)))
    return deal


def accept_deal(steps: Steps, player_id: str, number: int) -> None:
    """Accept for one player; with the last one the shares are paid, and the event ends or is played on for the rest."""
    tournament = steps.tournament
    tournament.need(TournamentState.RUNNING)
    tournament.entrant(player_id)
    deal = tournament.deal
    if deal is None or deal.number != number:
        raise _not_allowed(f"deal {number} is not open: {'none is' if deal is None else f'it is deal {deal.number}'}")
    if player_id not in {share.player_id for share in deal.shares}:
        raise _not_allowed("the player is out")
    if player_id in deal.accepted_player_ids:
        return
    steps.add(EntryKind.DEAL_ACCEPTED, (DealAccepted(number, player_id),))
    if len(deal.accepted_player_ids) + 1 < len(deal.shares):
        return
    steps.amend(DealAgreed(number))
    for share in deal.shares:
        pay(steps, share.player_id, share.amount_minor)
    if not deal.rest_minor:
        end_by_deal(steps, deal.shares)


def _most_chips(entrant: Entrant) -> tuple[int, int]:
    return -(entrant.stack_chips + entrant.reserve_chips), entrant.number


def _obstacle(tournament: Tournament, player_id: str) -> str:
    """Why no deal can be made now; empty where one can."""
    left = tournament.remaining()
    in_hand = (each for each in tournament.tables.values() if each.open_hand_number and can_be_dealt(each))
    causes = (
        (tournament.rules.tournament.deal is DealKind.OFF, "the rules of this tournament allow none"),
        (not tournament.prizes_fixed, "the prizes are not fixed yet: something can still be bought"),
        (tournament.entrants[player_id].state is not EntrantState.PLAYING, "the player is out"),
        (any(each.state is not EntrantState.PLAYING for each in left), "a player without chips has no place yet"),
        (len(left) < PLAYERS_MIN, "only one player is left"),
        (len(tournament.matches()) > 1, "it is for the last round only"),
        (any(in_hand), "a hand is being played: pause the tournament and propose between hands"),
        (tournament.fund_minor == tournament.paid_minor, "there is nothing left to share"),
    )
    return next((cause for broken, cause in causes if broken), "")


def _worked_out(
    tournament: Tournament, left: Sequence[Entrant], kind: DealKind, rest_minor: int
) -> tuple[DealShare, ...]:
    """Shares of the prizes that are not paid, but for the rest; cents by largest remainder, ties to more chips."""
    amount = tournament.fund_minor - tournament.paid_minor - rest_minor
    if amount <= 0:
        raise _not_allowed(f"{rest_minor} left to play for leaves nothing to share")
    chips = [each.stack_chips + each.reserve_chips for each in left]
    match kind:
        case DealKind.EQUAL:
            weights = [1] * len(left)
        case DealKind.CHIP_COUNT:
            weights = chips
        case _:
            weights = _icm_weights(tournament, chips, rest_minor)
    shares = split(amount, weights, PrizeRest.LARGEST_REMAINDER)
    return tuple(DealShare(each.player_id, share) for each, share in zip(left, shares, strict=True))


def _icm_weights(tournament: Tournament, chips: Sequence[int], rest_minor: int) -> list[int]:
    """Whole weights in proportion to what the stacks are worth; the rest to play for comes off the first prize."""
    if len(chips) > PLAYERS_MAX:
        raise _not_allowed(f"the chip model is worked out for at most {PLAYERS_MAX} players")
    prizes = [*tournament.prizes_minor[: len(chips)], *[0] * (len(chips) - len(tournament.prizes_minor))]
    prizes[0] += tournament.fund_minor - tournament.paid_minor - sum(prizes) - rest_minor
    if prizes[0] < 0:
        raise _not_allowed("more is left to play for than the first prize")
    worth = icm_equities(chips, prizes)
    common = lcm(*(each.denominator for each in worth))
    return [each.numerator * (common // each.denominator) for each in worth]


def _free(
    tournament: Tournament, left: Sequence[Entrant], shares: Sequence[DealShare], rest_minor: int
) -> tuple[DealShare, ...]:
    """The split that the players found, if it is for all of them and comes out even."""
    if sorted(each.player_id for each in shares) != sorted(each.player_id for each in left):
        raise invalid("shares", f"one for each of the {len(left)} players who are left")
    unpaid = tournament.fund_minor - tournament.paid_minor
    given = sum(each.amount_minor for each in shares) + rest_minor
    if given != unpaid or given > AMOUNT_MAX:
        raise invalid("shares", f"{unpaid} minor units in all, the rest to play for included, not {given}")
    by_player = {each.player_id: each for each in shares}
    return tuple(by_player[each.player_id] for each in left)


def _first_prize(tournament: Tournament, shares: Sequence[DealShare], rest_minor: int) -> str:
    """Where the rules want the first prize above the fee, the deal must leave it there, whoever wins (rule 175)."""
    if not tournament.rules.tournament.top_prize_above_fee:
        return ""
    amounts = [each.amount_minor for each in shares]
    first = min(amounts) + rest_minor if rest_minor else max(amounts)
    fee = tournament.fee_minor
    return "" if first > fee else f"it would leave a first prize of {first}, which is not above the fee of {fee}"


def _refuse(cause: str) -> None:
    if cause:
        raise _not_allowed(cause)


def _not_allowed(cause: str) -> DomainError:
    return DomainError(Reason.DEAL_NOT_ALLOWED, f"no deal: {cause}", {"cause": cause})
