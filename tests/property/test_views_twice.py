"""Random hands played twice with only unseen cards changed: a viewer is sent the same bytes (design: views)."""

import pytest

from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.visibility import DownCards, Sight, Viewer
from tests.batteries.views.pairs import check_hand

HANDS = 200
PORTIONS = 4
WATCHED_MIN = 20


@pytest.mark.parametrize("portion", range(PORTIONS))
def test_a_viewer_is_sent_the_same_bytes_whatever_the_unseen_cards_are(portion: int) -> None:
    pairs = [check_hand(number) for number in range(1 + portion, HANDS + 1, PORTIONS)]
    early, whole = zip(*pairs, strict=True)
    assert all(pair.changed > 0 for pair in (*early, *whole))
    assert sum(pair.items > WATCHED_MIN for pair in whole) > len(pairs) // 2


def test_a_sight_of_all_cards_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def everything(viewer: Viewer, hand: Hand | None, down_cards: DownCards) -> Sight:
        del viewer, hand
        return Sight(down_cards)

    monkeypatch.setattr("tests.batteries.views.hand.sight_of", everything)
    with pytest.raises(AssertionError, match="shows an unseen card"):
        check_hand(1)
