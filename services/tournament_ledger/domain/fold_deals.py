"""How agreed splits change a tournament (rule 203)."""

from dataclasses import replace
from datetime import datetime

from services.tournament_ledger.domain.facts_deals import Deal, DealAccepted, DealAgreed, DealLapsed, DealProposed
from services.tournament_ledger.domain.tournament import Tournament


def deal_proposed(tournament: Tournament, fact: DealProposed, _: datetime) -> Tournament:
    """The deal waits for the others."""
    return replace(tournament, deal=fact.deal, deals_count=fact.deal.number)


def deal_accepted(tournament: Tournament, fact: DealAccepted, _: datetime) -> Tournament:
    """One more has accepted."""
    deal = open_deal(tournament)
    return replace(tournament, deal=replace(deal, accepted_player_ids=(*deal.accepted_player_ids, fact.player_id)))


def deal_agreed(tournament: Tournament, _: DealAgreed, __: datetime) -> Tournament:
    """The first prize is what was left to play for; nothing else is left for those who are in."""
    deal = open_deal(tournament)
    players = len(deal.shares)
    prizes = (deal.rest_minor, *(0 for _ in range(players - 1)), *tournament.prizes_minor[players:])
    return replace(tournament, deal=None, prizes_minor=prizes)


def deal_lapsed(tournament: Tournament, _: DealLapsed, __: datetime) -> Tournament:
    """No deal waits any more."""
    return replace(tournament, deal=None)


def open_deal(tournament: Tournament) -> Deal:
    """The deal that waits; the caller knows that there is one."""
    if tournament.deal is None:
        raise AssertionError("there is a deal")
    return tournament.deal
