"""The deck of a hand as its steps left it: which card lies where, and what was given to whom."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.dealer.domain.commitment import FixedDeck, fix_deck
from services.dealer.domain.hand import HandRecord, Step, StepName
from services.dealer.domain.hand_secrets import HandSecrets
from services.dealer.domain.script import Deck, arrange
from services.dealer.domain.streets import Deal, Dealing, after_deal, recorded_deal, undealt


@dataclass(frozen=True, slots=True)
class TableDeck:
    """The deck in the middle of a hand."""

    fixed: FixedDeck
    cards: Deck
    """The committed order; in a scripted hand, with the wanted cards brought into their places."""
    dealing: Dealing


def deck_after(record: HandRecord, secrets: HandSecrets, steps: Sequence[Step]) -> TableDeck:
    """The deck of the record after some of its steps, worked out anew from the seed."""
    fixed = fix_deck(record.terms, secrets.seed, record.entropy)
    deck = TableDeck(fixed, fixed.cards, undealt(record.terms.seats))
    for step in steps:
        if step.step == StepName.DEAL_STREET:
            deck = dealt(deck, secrets, recorded_deal(step), step.seats)
    return deck


def dealt(deck: TableDeck, secrets: HandSecrets, deal: Deal, live: tuple[int, ...]) -> TableDeck:
    """The deck with one street dealt; a script that it cannot follow is refused (CARDS_INVALID)."""
    cards = deck.cards
    if secrets.script is not None:
        cards = arrange(cards, secrets.script, deck.dealing, deal, live)
    return TableDeck(deck.fixed, cards, after_deal(deck.dealing, deal, live))
