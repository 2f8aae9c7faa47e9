"""How each fact changes a tournament. Folding a tournament's journal from its first entry gives its state."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType
from typing import Any, Final

from services.tournament_ledger.domain import facts
from services.tournament_ledger.domain.facts import PurchaseKind
from services.tournament_ledger.domain.facts_deals import DealAccepted, DealAgreed, DealLapsed, DealProposed
from services.tournament_ledger.domain.facts_entries import LateRegistrationClosed, PlacesChanged, SeatChosen
from services.tournament_ledger.domain.facts_rounds import (
    DirectorChanged,
    HandForHandRoundEnded,
    MatchEnded,
    QualifiersDrawn,
    RoundStarted,
)
from services.tournament_ledger.domain.fold_deals import deal_accepted, deal_agreed, deal_lapsed, deal_proposed
from services.tournament_ledger.domain.fold_late import (
    entered_late,
    late_registration_closed,
    places_changed,
    seat_chosen,
)
from services.tournament_ledger.domain.fold_rounds import (
    director_changed,
    hand_for_hand_round_ended,
    match_ended,
    qualifiers_drawn,
    round_started,
)
from services.tournament_ledger.domain.prizes import fund_share
from services.tournament_ledger.domain.tournament import (
    BonusPaid,
    Entrant,
    EntrantState,
    TablePlay,
    Tournament,
    TournamentState,
    with_entrants,
    with_table,
)
from shared.kernel.rules import Formula


def apply(tournament: Tournament, fact: facts.Fact, at: datetime) -> Tournament:
    """The tournament after a fact."""
    return _HANDLERS[type(fact)](tournament, fact, at)


def announced(fact: facts.TournamentAnnounced, at: datetime) -> Tournament:
    """A tournament as it comes into being."""
    return Tournament(
        tournament_id=fact.tournament_id,
        announcement=fact.announcement,
        rules=fact.rules,
        announced_at=at,
        bonus_left_minor=fact.announcement.bonus_fund_minor,
    )


def _changed(tournament: Tournament, *entrants: Entrant) -> Tournament:
    return replace(tournament, entrants=with_entrants(tournament.entrants, entrants))


def _registered(tournament: Tournament, fact: facts.PlayerRegistered, _: datetime) -> Tournament:
    before = tournament.entrants.get(fact.player_id)
    number = before.number if before else len(tournament.entrants) + 1
    entrant = Entrant(player_id=fact.player_id, number=number, spent_minor=tournament.fee_minor)
    return _changed(tournament, entrant)


def _unregistered(tournament: Tournament, fact: facts.PlayerUnregistered, _: datetime) -> Tournament:
    entrant = tournament.entrants[fact.player_id]
    withdrawn = replace(entrant, state=EntrantState.WITHDRAWN, spent_minor=0, chosen_table=0, chosen_seat=0)
    return _changed(tournament, withdrawn)


def _started(tournament: Tournament, fact: facts.TournamentStarted, at: datetime) -> Tournament:
    rules = tournament.rules.tournament
    reserve = rules.starting_stack_chips // 2 if rules.double_chance.offered else 0
    share = fund_share(tournament.fee_minor, rules.prize_share_basis_points)
    playing = (
        replace(
            tournament.entrants[player_id],
            state=EntrantState.PLAYING,
            chips=rules.starting_stack_chips - reserve,
            reserve_chips=reserve,
            house_minor=tournament.fee_minor - share,
        )
        for player_id in fact.player_ids
    )
    return replace(
        _changed(tournament, *playing),
        state=TournamentState.RUNNING,
        level=1,
        started_at=at,
        fund_minor=share * len(fact.player_ids),
        chips_total=rules.starting_stack_chips * len(fact.player_ids),
    )


def _seats_drawn(tournament: Tournament, fact: facts.SeatsDrawn, _: datetime) -> Tournament:
    seated = (
        replace(tournament.entrants[each.player_id], table_id=each.table_id, seat=each.seat) for each in fact.seats
    )
    first = int(tournament.rules.tournament.formula is Formula.ROUNDS)
    tables = {each.table_id: TablePlay(table_id=each.table_id, round=first) for each in fact.seats}
    return replace(_changed(tournament, *seated), round=first, tables=MappingProxyType({**tournament.tables, **tables}))


def _purchased(tournament: Tournament, fact: facts.ChipsPurchased, _: datetime) -> Tournament:
    share = fund_share(fact.price_minor, tournament.rules.tournament.prize_share_basis_points)
    entrant = tournament.entrants[fact.player_id]
    rebuy = fact.kind is PurchaseKind.REBUY
    entrant = replace(
        entrant,
        state=EntrantState.PLAYING,
        decides_until=None,
        pending_chips=entrant.pending_chips + fact.chips,
        pending_rebuys=entrant.pending_rebuys + rebuy,
        rebuys=entrant.rebuys + rebuy,
        add_on=entrant.add_on or fact.kind is PurchaseKind.ADD_ON,
        spent_minor=entrant.spent_minor + fact.price_minor,
        house_minor=entrant.house_minor + fact.price_minor - share,
    )
    changed = _changed(tournament, entrant)
    return replace(changed, fund_minor=changed.fund_minor + share, chips_total=changed.chips_total + fact.chips)


def _returned(tournament: Tournament, fact: facts.PurchaseReturned, _: datetime) -> Tournament:
    share = fund_share(fact.price_minor, tournament.rules.tournament.prize_share_basis_points)
    entrant = tournament.entrants[fact.player_id]
    entrant = replace(
        entrant,
        pending_chips=entrant.pending_chips - fact.chips,
        pending_rebuys=entrant.pending_rebuys - 1,
        rebuys=entrant.rebuys - 1,
        spent_minor=entrant.spent_minor - fact.price_minor,
        house_minor=entrant.house_minor - (fact.price_minor - share),
    )
    changed = _changed(tournament, entrant)
    return replace(changed, fund_minor=changed.fund_minor - share, chips_total=changed.chips_total - fact.chips)


def _released(tournament: Tournament, fact: facts.SecondChanceReleased, _: datetime) -> Tournament:
    entrant = tournament.entrants[fact.player_id]
    pending = entrant.pending_chips + fact.chips
    return _changed(tournament, replace(entrant, reserve_chips=0, pending_chips=pending))


def _sheet_opened(tournament: Tournament, fact: facts.SheetOpened, _: datetime) -> Tournament:
    table = tournament.tables.get(fact.table_id, TablePlay(table_id=fact.table_id))
    frozen = (_on_sheet(tournament.entrants[line.player_id], line.chips) for line in fact.lines)
    table = replace(table, open_hand_number=fact.hand_number, sheet=fact.lines)
    return with_table(_changed(tournament, *frozen), table)


def _on_sheet(entrant: Entrant, chips: int) -> Entrant:
    """What was pending is in play, unless the player is in a hand that had begun before."""
    if chips == entrant.chips:
        return entrant
    return replace(
        entrant, chips=chips, pending_chips=entrant.pending_chips - (chips - entrant.chips), pending_rebuys=0
    )


def _hand_recorded(tournament: Tournament, fact: facts.HandRecorded, _: datetime) -> Tournament:
    table = replace(tournament.tables[fact.table_id], hand_number=fact.hand_number, open_hand_number=0, sheet=())
    after = (replace(tournament.entrants[each.player_id], chips=each.after_chips) for each in fact.results)
    changed = with_table(_changed(tournament, *after), table)
    count, in_round = changed.hands_count + 1, fact.hand_for_hand_round or 0
    as_one = 0 if not in_round else changed.hand_for_hand_hand or count
    return replace(changed, hands_count=count, hand_for_hand_round=in_round, hand_for_hand_hand=as_one)


def _busted(tournament: Tournament, fact: facts.PlayerBusted, _: datetime) -> Tournament:
    entrant = replace(
        tournament.entrants[fact.player_id],
        state=EntrantState.DECIDING,
        decides_until=fact.decides_until,
        bust_hand=tournament.hand_for_hand_hand or tournament.hands_count,
        bust_chips=fact.start_chips,
        bust_table_id=tournament.entrants[fact.player_id].table_id,
    )
    return _changed(tournament, entrant)


def _placed(tournament: Tournament, fact: facts.PlayerPlaced, _: datetime) -> Tournament:
    entrant = tournament.entrants[fact.player_id]
    state = EntrantState.WINNER if fact.place == 1 else EntrantState.OUT
    return _changed(tournament, replace(entrant, state=state, place=fact.place, decides_until=None))


def _prize_paid(tournament: Tournament, fact: facts.PrizePaid, _: datetime) -> Tournament:
    entrant = tournament.entrants[fact.player_id]
    changed = _changed(tournament, replace(entrant, prize_minor=entrant.prize_minor + fact.amount_minor))
    return replace(changed, paid_minor=changed.paid_minor + fact.amount_minor)


def _bonus_earned(tournament: Tournament, fact: facts.BonusEarned, _: datetime) -> Tournament:
    entrant = tournament.entrants[fact.player_id]
    changed = _changed(tournament, replace(entrant, bonus_minor=entrant.bonus_minor + fact.amount_minor))
    return replace(
        changed,
        bonus_left_minor=changed.bonus_left_minor - fact.amount_minor,
        bonuses=(*changed.bonuses, BonusPaid(fact.feat, fact.player_id)),
    )


def _level_started(tournament: Tournament, fact: facts.LevelStarted, _: datetime) -> Tournament:
    return replace(tournament, level=fact.level)


def _moved(tournament: Tournament, fact: facts.PlayerMoved, _: datetime) -> Tournament:
    entrant = tournament.entrants[fact.player_id]
    old = tournament.tables.get(entrant.table_id)
    if old is not None:
        left = tuple(line for line in old.sheet if line.player_id != fact.player_id)
        tournament = with_table(tournament, replace(old, sheet=left))
    if fact.table_id not in tournament.tables:
        tournament = with_table(tournament, TablePlay(table_id=fact.table_id))
    return _changed(tournament, replace(entrant, table_id=fact.table_id, seat=fact.seat))


def _prizes_fixed(tournament: Tournament, fact: facts.PrizesFixed, _: datetime) -> Tournament:
    fund = tournament.fund_minor + fact.guarantee_added_minor
    return replace(tournament, prizes_fixed=True, prizes_minor=fact.prizes_minor, fund_minor=fund)


def _finished(tournament: Tournament, _: facts.TournamentFinished, at: datetime) -> Tournament:
    return replace(tournament, state=TournamentState.FINISHED, finished_at=at, bonus_left_minor=0)


def _cancelled(tournament: Tournament, _: facts.TournamentCancelled, at: datetime) -> Tournament:
    return replace(tournament, state=TournamentState.CANCELLED, finished_at=at, bonus_left_minor=0)


def _money_returned(tournament: Tournament, _: facts.MoneyReturned, __: datetime) -> Tournament:
    return tournament


_HANDLERS: Final[Mapping[type, Callable[[Tournament, Any, datetime], Tournament]]] = {
    facts.PlayerRegistered: _registered,
    facts.PlayerUnregistered: _unregistered,
    facts.TournamentStarted: _started,
    facts.SeatsDrawn: _seats_drawn,
    facts.ChipsPurchased: _purchased,
    facts.PurchaseReturned: _returned,
    facts.SecondChanceReleased: _released,
    facts.SheetOpened: _sheet_opened,
    facts.HandRecorded: _hand_recorded,
    facts.PlayerBusted: _busted,
    facts.PlayerPlaced: _placed,
    facts.PrizePaid: _prize_paid,
    facts.BonusEarned: _bonus_earned,
    facts.LevelStarted: _level_started,
    facts.PlayerMoved: _moved,
    facts.PrizesFixed: _prizes_fixed,
    facts.TournamentFinished: _finished,
    facts.TournamentCancelled: _cancelled,
    facts.MoneyReturned: _money_returned,
    facts.PlayerEnteredLate: entered_late,
    PlacesChanged: places_changed,
    LateRegistrationClosed: late_registration_closed,
    SeatChosen: seat_chosen,
    MatchEnded: match_ended,
    QualifiersDrawn: qualifiers_drawn,
    RoundStarted: round_started,
    HandForHandRoundEnded: hand_for_hand_round_ended,
    DirectorChanged: director_changed,
    DealProposed: deal_proposed,
    DealAccepted: deal_accepted,
    DealAgreed: deal_agreed,
    DealLapsed: deal_lapsed,
}


def fold(entries: Iterable[tuple[datetime, tuple[facts.Fact, ...]]]) -> Tournament | None:
    """The tournament that a journal tells of: its entries' moments and facts, from the first one."""
    tournament: Tournament | None = None
    for at, told in entries:
        for fact in told:
            if isinstance(fact, facts.TournamentAnnounced):
                tournament = announced(fact, at)
            elif tournament is not None:
                tournament = apply(tournament, fact, at)
        if tournament is not None:
            tournament = replace(tournament, version=tournament.version + 1)
    return tournament
