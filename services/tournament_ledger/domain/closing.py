"""Places given, prizes frozen and paid, the end of a tournament, its cancellation (rules 160, 173-184, 204)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Final

from services.tournament_ledger.domain.accounts import Account, AccountKind, outside
from services.tournament_ledger.domain.entries import few_places_remain, paid_places, purchases_closed
from services.tournament_ledger.domain.facts import (
    Fact,
    MoneyReturned,
    PlayerPlaced,
    PrizePaid,
    PrizesFixed,
    TournamentCancelled,
    TournamentFinished,
)
from services.tournament_ledger.domain.facts_deals import DealShare
from services.tournament_ledger.domain.facts_entries import LateRegistrationClosed
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.places import Busted, Placing, settle_places
from services.tournament_ledger.domain.posting import Posting, moving
from services.tournament_ledger.domain.prizes import prize_table, round_sizes, satellite_seats, shared_prize, split
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament, TournamentState
from shared.kernel.rules import HandForHandAcrossTables, PrizeRest

NOBODY: Final[Mapping[str, datetime]] = MappingProxyType({})


def settle(steps: Steps, over: Mapping[str, datetime] = NOBODY) -> None:
    """Give every place that is certain by now, pay what is due, and end the event when one player is left.

    ``over``: players whose time to decide is over though the moment that was written down, told here, has not come;
    who bought back meanwhile and decides again, until another moment, has his time.
    """
    tournament = steps.tournament
    if tournament.state is not TournamentState.RUNNING:
        return
    remaining = tournament.remaining()
    busted = tuple(
        replace(each, decides_until=steps.now) if over.get(each.player_id) == each.decides_until else each
        for each in _all_busted(tournament, remaining)
    )
    same_hand = tournament.rules.tournament.same_hand_rank
    placings = settle_places(busted, len(remaining), same_hand, steps.now)
    placed = sum(len(placing.player_ids) for placing in placings)
    if not tournament.prizes_fixed and len(remaining) - placed == 1:
        fix_prizes(steps)  # the event ends here: nothing can be bought any more
    for placing in placings:
        _place(steps, placing)
    if few_places_remain(steps.tournament):
        left_now = len(steps.tournament.remaining())
        closed = LateRegistrationClosed(left_now, paid_places(steps.tournament))
        steps.add(EntryKind.LATE_REGISTRATION_CLOSED, (closed,))
    if not steps.tournament.prizes_fixed and purchases_closed(steps.tournament):
        fix_prizes(steps)
    left = steps.tournament.remaining()
    if len(left) == 1:
        _finish(steps, left[0])
    elif _seats_are_won(steps.tournament, left):
        _finish_satellite(steps, left)


def _all_busted(tournament: Tournament, remaining: Sequence[Entrant]) -> tuple[Busted, ...]:
    """Players without chips; ranked flat where tables share the places of a hand-for-hand round (C43)."""
    busted = [each for each in remaining if each.state is EntrantState.DECIDING]
    tables: dict[int, set[str]] = {}
    for each in busted:
        tables.setdefault(each.bust_hand, set()).add(each.bust_table_id)
    shares = tournament.rules.tournament.hand_for_hand_across_tables is HandForHandAcrossTables.SHARE
    found: list[Busted] = []
    for each in busted:
        flat = shares and len(tables[each.bust_hand]) > 1
        found.append(replace(busted_of(each, flat=flat), certain=not _is_withheld(tournament, each)))
    return tuple(found)


def _is_withheld(tournament: Tournament, entrant: Entrant) -> bool:
    """Whether the place waits for the other tables of a hand-for-hand round, or for lots (rules 156, 185)."""
    table = tournament.tables.get(entrant.table_id)
    drawn = table is not None and entrant.player_id in table.lots_player_ids
    opened = tournament.hand_for_hand_hand
    return drawn or (opened > 0 and entrant.bust_hand == opened)


def busted_of(entrant: Entrant, *, flat: bool = False) -> Busted:
    """A player without chips as places are worked out; flat: whatever the chips at the start of the hand."""
    until = entrant.decides_until
    if until is None:
        raise AssertionError("a deciding player has a moment until which to decide")
    return Busted(entrant.player_id, entrant.bust_hand, 0 if flat else entrant.bust_chips, until)


def _place(steps: Steps, placing: Placing) -> None:
    tournament = steps.tournament
    prize = shared_prize(tournament.prizes_minor, placing.place, len(placing.player_ids))
    for player_id in placing.player_ids:
        steps.add(EntryKind.PLAYER_PLACED, (PlayerPlaced(player_id, placing.place, prize),))
        pay(steps, player_id, prize)


def pay(steps: Steps, player_id: str, amount_minor: int) -> None:
    """Pay out of the prize fund."""
    if amount_minor:
        postings = moving(steps.money(AccountKind.PRIZE_FUND), steps.wallet(player_id), amount_minor)
        steps.add(EntryKind.PRIZE_PAID, (PrizePaid(player_id, amount_minor),), postings)


def fix_prizes(steps: Steps) -> None:
    """Freeze the prize table, the organiser topping up to the guarantee, and pay the places that were given before."""
    tournament = steps.tournament
    rules = tournament.rules.tournament
    added = max(rules.guarantee_minor - tournament.fund_minor, 0)
    fund = tournament.fund_minor + added
    sizes = round_sizes(tournament.entrants_count, tournament.announcement.seats_per_table, rules)
    prizes = prize_table(fund, tournament.entrants_count, tournament.fee_minor, rules, sizes)
    steps.add(EntryKind.PRIZES_FIXED, (PrizesFixed(prizes, added),), _guarantee_postings(steps, added))
    placed: dict[int, list[str]] = {}
    for entrant in tournament.entrants.values():
        if entrant.state is EntrantState.OUT:
            placed.setdefault(entrant.place, []).append(entrant.player_id)
    for place, player_ids in sorted(placed.items()):
        for player_id in player_ids:
            pay(steps, player_id, shared_prize(prizes, place, len(player_ids)))


def _guarantee_postings(steps: Steps, added: int) -> tuple[Posting, ...]:
    """From outside, like all other money: it is bounded as a whole, so that no wallet can have too much."""
    organiser = steps.money(AccountKind.GUARANTEE)
    return (
        *moving(outside(steps.tournament.currency), organiser, added),
        *moving(organiser, steps.money(AccountKind.PRIZE_FUND), added),
    )


def _finish(steps: Steps, winner: Entrant) -> None:
    """The last player wins; whatever cents ties left over are the winner's (rule 184)."""
    tournament = steps.tournament
    prize = tournament.fund_minor - tournament.paid_minor
    steps.add(EntryKind.PLAYER_PLACED, (PlayerPlaced(winner.player_id, 1, prize),))
    pay(steps, winner.player_id, prize)
    fact = TournamentFinished(winner.player_id)
    steps.add(EntryKind.TOURNAMENT_FINISHED, (fact,), _bonus_back(steps))


def _seats_are_won(tournament: Tournament, left: Sequence[Entrant]) -> bool:
    """Whether a satellite has no more players than seats, all of them with chips (rule 202)."""
    rules = tournament.rules.tournament
    if not rules.satellite_seat_minor or not tournament.prizes_fixed:
        return False
    seats = satellite_seats(tournament.fund_minor, tournament.entrants_count, rules.satellite_seat_minor)
    return len(left) <= seats and all(each.state is EntrantState.PLAYING for each in left)


def _finish_satellite(steps: Steps, left: Sequence[Entrant]) -> None:
    """Everybody who is left has won a seat and shares the first place; odd cents go to most chips (rule 202)."""
    ranked = sorted(left, key=lambda each: (-each.stack_chips - each.reserve_chips, each.number))
    tournament = steps.tournament
    prize = shared_prize(tournament.prizes_minor, 1, len(ranked))
    odd = tournament.fund_minor - tournament.paid_minor - prize * len(ranked)
    for each in ranked:
        due = prize + (odd if each is ranked[0] else 0)
        steps.add(EntryKind.PLAYER_PLACED, (PlayerPlaced(each.player_id, 1, due),))
        pay(steps, each.player_id, due)
    steps.add(EntryKind.TOURNAMENT_FINISHED, (TournamentFinished(ranked[0].player_id),), _bonus_back(steps))


def end_by_deal(steps: Steps, shares: Sequence[DealShare]) -> None:
    """The event ends with a deal: places by the shares, which were paid; equal ones by chips (rule 203)."""
    place = len(shares)
    for share in sorted(shares, key=lambda each: each.amount_minor, reverse=True)[::-1]:
        steps.add(EntryKind.PLAYER_PLACED, (PlayerPlaced(share.player_id, place, share.amount_minor),))
        place -= 1
    winner = max(shares, key=lambda each: each.amount_minor)
    steps.add(EntryKind.TOURNAMENT_FINISHED, (TournamentFinished(winner.player_id),), _bonus_back(steps))


def _bonus_back(steps: Steps) -> tuple[Posting, ...]:
    """What nobody earned of the bonus fund goes back to the organiser."""
    tournament = steps.tournament
    fund = steps.money(AccountKind.BONUS_FUND)
    return moving(fund, outside(tournament.currency), tournament.bonus_left_minor)


def cancel(steps: Steps, cause: str) -> None:
    """End a tournament without a winner and give the money back.

    Before the start every fee. In play the prize fund not yet paid goes to those still in, half of it evenly and half
    by chips (reserves included), and every player has back what went to the house of what that player paid.
    """
    tournament = steps.tournament
    tournament.need(TournamentState.REGISTERING, TournamentState.RUNNING)
    before_start = tournament.state is TournamentState.REGISTERING
    owed = _fees(steps) if before_start else _split_in_play(steps)
    facts: list[Fact] = [TournamentCancelled(cause)]
    facts += (MoneyReturned(each[0], each[1]) for each in owed)
    postings = tuple(posting for each in owed for posting in each[2])
    steps.add(EntryKind.TOURNAMENT_CANCELLED, tuple(facts), (*postings, *_bonus_back(steps)))


_Owed = list[tuple[str, int, tuple[Posting, ...]]]


def _fees(steps: Steps) -> _Owed:
    escrow = steps.money(AccountKind.TOURNAMENT_ESCROW)
    paid = [each for each in steps.tournament.entrants.values() if each.spent_minor]
    return [(each.player_id, each.spent_minor, _to_wallet(steps, escrow, each, each.spent_minor)) for each in paid]


def _split_in_play(steps: Steps) -> _Owed:
    tournament = steps.tournament
    left = tournament.remaining()
    fund = tournament.fund_minor - tournament.paid_minor
    evenly = split(fund - fund // 2, [1] * len(left), PrizeRest.LARGEST_REMAINDER)
    chips = [each.stack_chips + each.reserve_chips for each in left]
    by_chips = split(fund // 2, chips, PrizeRest.LARGEST_REMAINDER)
    shares = {each.player_id: one + other for each, one, other in zip(left, evenly, by_chips, strict=True)}
    owed: _Owed = []
    for entrant in tournament.entrants.values():
        share = shares.get(entrant.player_id, 0)
        if share + entrant.house_minor:
            postings = (
                *_to_wallet(steps, steps.money(AccountKind.PRIZE_FUND), entrant, share),
                *_to_wallet(steps, steps.money(AccountKind.HOUSE), entrant, entrant.house_minor),
            )
            owed.append((entrant.player_id, share + entrant.house_minor, postings))
    return owed


def _to_wallet(steps: Steps, source: Account, entrant: Entrant, amount: int) -> tuple[Posting, ...]:
    return moving(source, steps.wallet(entrant.player_id), amount)
