"""The cards of one hand in one process: the dealer's own deal, deck-out and scripted decks, without its record."""

from dataclasses import dataclass

from services.dealer.domain.hand import CardSource
from services.dealer.domain.rules import dealing_rules
from services.dealer.domain.script import Script as ScriptedCards
from services.dealer.domain.script import arrange
from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream, derive
from services.dealer.domain.streets import COMMON_SEAT, Dealing, Given, after_deal, plan_deal, undealt
from shared.kernel.cards import FULL_DECK, Card
from shared.kernel.game import Street
from shared.kernel.rules import HandRules

__all__ = ["ScriptedCards", "StreetDealt", "TableCards"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetDealt:
    """A street was dealt."""

    street: Street
    source: CardSource
    burned_count: int
    stub_count: int
    """Cards left undealt, burned ones not counted."""
    given: tuple[Given, ...]


@dataclass(slots=True, kw_only=True)
class TableCards:
    """The deck of a hand and who has what of it."""

    rules: HandRules
    deck: tuple[Card, ...]
    river_key: bytes
    dealing: Dealing
    script: ScriptedCards | None = None

    @classmethod
    def shuffled(
        cls, seats: tuple[int, ...], rules: HandRules, seed: bytes, script: ScriptedCards | None
    ) -> "TableCards":
        """A deck in the order that the seed gives; the same seed gives the same hand."""
        deck = shuffle(FULL_DECK, byte_stream(seed, b"deck"))
        return cls(rules=rules, deck=deck, river_key=derive(seed, b"", b"river"), dealing=undealt(seats), script=script)

    def deal(self, street: Street, live: tuple[int, ...]) -> StreetDealt:
        """Burn and deal a street to the live seats."""
        deal = plan_deal(self.dealing, street, live, dealing_rules(self.rules), self.river_key)
        if self.script is not None:
            self.deck = arrange(self.deck, self.script, self.dealing, deal, live)
        self.dealing = after_deal(self.dealing, deal, live)
        return StreetDealt(
            street=street,
            source=deal.source,
            burned_count=len(deal.burned),
            stub_count=len(self.dealing.stub),
            given=deal.given,
        )

    def of(self, seat: int) -> tuple[Card, ...]:
        """All own cards of a seat, in deal order."""
        return tuple(self.deck[each.position] for each in self.dealing.given if each.seat == seat)

    def up_cards(self, seat: int) -> tuple[Card, ...]:
        """Those of them that lie up."""
        return tuple(self.deck[each.position] for each in self.dealing.given if each.seat == seat and each.face_up)

    @property
    def common_card(self) -> Card | None:
        """The card that all share, where one was turned."""
        shared = self.of(COMMON_SEAT)
        return shared[0] if shared else None
