"""The cards of a recorded hand: those it names, and for hands hidden at the showdown some that fit the result."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from services.console.domain.recorded_hand import RecordedHand, RecordedKind
from shared.kernel.cards import FACE_DOWN, FULL_DECK, Card, cards_text

_OWN_CARDS = 7


class CardsContradictError(Exception):
    """A record that names one card twice, or more cards for a player than the game deals."""


@dataclass(frozen=True, slots=True)
class KnownCards:
    """Cards by player in deal order, ``FACE_DOWN`` where the record does not tell, and the common card."""

    by_player: Mapping[int, tuple[Card, ...]]
    common_card: Card | None

    def named(self) -> frozenset[Card]:
        """Every card that is named."""
        named = {card for cards in self.by_player.values() for card in cards if card != FACE_DOWN}
        return frozenset(named | ({self.common_card} if self.common_card else set()))

    def with_player(self, player: int, cards: tuple[Card, ...]) -> "KnownCards":
        """The same with other cards for one player."""
        return KnownCards({**self.by_player, player: cards}, self.common_card)


def known_cards(hand: RecordedHand) -> KnownCards:
    """All that the record tells about cards; cards shown at the end fill in what was dealt face down."""
    dealt: dict[int, list[Card]] = {player: [] for player in range(1, hand.players_count + 1)}
    for action in hand.actions:
        if action.kind is RecordedKind.DEAL_PLAYER:
            dealt[action.player].extend(action.cards)
        elif action.kind is RecordedKind.SHOW_OR_MUCK and action.cards:
            dealt[action.player] = _filled(action.player, dealt[action.player], action.cards)
    if len(hand.live_players) > 1:
        wanted = _OWN_CARDS - (1 if hand.common_card else 0)
        for player in hand.live_players:
            dealt[player] += [FACE_DOWN] * (wanted - len(dealt[player]))
    known = KnownCards({player: tuple(cards) for player, cards in dealt.items()}, hand.common_card)
    _check(known)
    return known


def _filled(player: int, dealt: list[Card], shown: tuple[Card, ...]) -> list[Card]:
    """Cards dealt, with unknown ones replaced by cards shown that were not known."""
    fresh = [card for card in shown if card not in dealt and card != FACE_DOWN]
    missing = [card for card in dealt if card not in shown and card != FACE_DOWN]
    if len(fresh) > dealt.count(FACE_DOWN) or (len(shown) >= len(dealt) and missing):
        raise CardsContradictError(f"p{player} shows {cards_text(shown)}, which are not the cards that were dealt")
    if len(shown) >= len(dealt):
        return list(shown)
    return [fresh.pop(0) if card == FACE_DOWN and fresh else card for card in dealt]


def _check(known: KnownCards) -> None:
    named = [card for cards in known.by_player.values() for card in cards if card != FACE_DOWN]
    named += [known.common_card] if known.common_card else []
    if len(named) != len(set(named)):
        raise CardsContradictError("a card is dealt twice")
    for player, cards in known.by_player.items():
        if len(cards) > _OWN_CARDS:
            raise CardsContradictError(f"p{player} gets {len(cards)} cards: seven is all the game deals")


def hidden_at_showdown(hand: RecordedHand, known: KnownCards) -> tuple[int, ...]:
    """Players who reached the showdown with cards the record does not tell: winners first, then losers."""
    if len(hand.live_players) < 2:  # noqa: PLR2004 - a showdown takes two
        return ()
    hidden = [player for player in hand.live_players if FACE_DOWN in known.by_player[player]]
    return tuple(sorted(hidden, key=lambda player: (player not in hand.winners, _start(hand, player), player)))


def winners_before(hand: RecordedHand, player: int) -> tuple[int, ...]:
    """Other winners whose pots a player could not have won with a better hand: those with fewer chips at the start."""
    return tuple(other for other in hand.winners if other != player and _start(hand, other) < _start(hand, player))


def _start(hand: RecordedHand, player: int) -> int:
    return hand.starting_stacks_chips[player - 1]


def completions(known: KnownCards, player: int) -> Iterator[tuple[Card, ...]]:
    """Every way to fill a player's unknown cards from cards nobody is known to hold."""
    cards = known.by_player[player]
    free = [card for card in FULL_DECK if card not in known.named()]
    for chosen in combinations(free, cards.count(FACE_DOWN)):
        rest = list(chosen)
        yield tuple(rest.pop(0) if card == FACE_DOWN else card for card in cards)
