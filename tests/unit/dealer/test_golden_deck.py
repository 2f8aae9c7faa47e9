"""A deck that must never change: a hand in play is dealt on by the next release with the same cards (D19)."""

from services.dealer.domain.commitment import fix_deck, prove_deck
from services.dealer.domain.deck_out import River
from services.dealer.domain.hand import CardSource, HandTerms, SeatEntropy
from services.dealer.domain.lots import DrawLots, draw_lots
from services.dealer.domain.rules import dealing_rules
from services.dealer.domain.streets import river_line
from shared.kernel.cards import cards_text
from shared.kernel.rules.presets import PRESETS
from tests.support.dealer_hands import seed_of

TERMS = HandTerms(
    hand_id="golden",
    table_id="table",
    hand_number=17,
    seats=(3, 5, 8, 1),
    entropy_seats=(3,),
    rules=dealing_rules(PRESETS["card_room"].hand),
    rules_digest=bytes(range(32)),
    scripted=False,
)
ENTROPY = (SeatEntropy(seat=3, entropy=b"golden entropy"),)


def test_the_golden_deck_its_root_its_reshuffle_and_its_lots_are_as_ever() -> None:
    deck = fix_deck(TERMS, seed_of(4711), ENTROPY)
    line = river_line((48, 49, 50), (9, 20, 30), River(CardSource.RESHUFFLED_STUB_AND_BURNS), deck.river_key)
    lots = draw_lots(DrawLots(purpose="seats", subject_id="t", entries=("a", "b", "c", "d")), "draw", seed_of(1))
    assert cards_text(deck.cards) == (
        "7dTsAd2d9d3hTdAh8d6d6h5d2h4sQh6cJsJc3c8hJh5hQdQc4dJd2cKcAs3d7s5c4hAc8cKh7h9s7cTc2s8sKd9h5s4cThQs9cKs3s6s"
    )
    assert (
        prove_deck(TERMS, seed_of(4711), ENTROPY, deck).root.hex()
        == "8e785f58e9af30279b012670ea8e028f3f689249a8414804ec50f21b59c5d965"
    )
    assert line == (9, 49, 48, 30, 50, 20)
    assert lots.drawn == ("b", "d", "c", "a")
