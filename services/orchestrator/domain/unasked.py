"""Hands shown unasked after an uncontested pot, where that earns a bonus prize: time to do so (rules 113, 179, C45)."""

from datetime import datetime, timedelta

from services.orchestrator.domain.hand import Hand, HandSeat
from services.orchestrator.domain.table import Table
from shared.kernel.game import Mode
from shared.kernel.rules import BonusWhen

CARDS_OF_A_HAND = 5


def shows_count(table: Table) -> bool:
    """Whether a hand shown unasked may earn a bonus prize here."""
    rules = table.rules.tournament
    pays = bool(rules.bonus_prizes) and rules.bonus_when is BonusWhen.ALSO_UNCONTESTED
    return table.mode is Mode.TOURNAMENT and pays


def may_show_unasked(table: Table, hand: Hand) -> HandSeat | None:
    """The uncontested winner who may still earn a prize by showing: five cards at least, nothing booked yet.

    Looks at what everybody sees, never at the cards: that a table waits says nothing about the hand.
    """
    if hand.in_play or hand.voided or hand.booked or len(hand.live) != 1 or not shows_count(table):
        return None
    seat = hand.live[0]
    cards = seat.down_count + len(seat.up_cards) + (hand.common_card is not None)
    decided = bool(seat.shown_cards) or seat.declined or seat.absent
    return None if decided or cards < CARDS_OF_A_HAND else seat


def booked_not_before(table: Table, hand: Hand) -> datetime | None:
    """Until when the hand waits for its winner to show or to muck; None: for nobody."""
    if hand.ended_at is None or may_show_unasked(table, hand) is None:
        return None
    return hand.ended_at + timedelta(seconds=table.rules.clock.showdown_seconds)
