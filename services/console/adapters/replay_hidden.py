"""Chooses cards for hands that were hidden at a recorded showdown, so that winners win and losers lose and muck."""

import struct
from collections.abc import Iterator, Sequence
from itertools import islice

from sevenstud.evaluator.v1.evaluator_service_pb2 import EvaluateBatchRequest
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from services.console.adapters.calls import Line, Pauses, Refused
from services.console.domain.recorded_hand import RecordedHand
from services.console.domain.replay_cards import KnownCards, completions, hidden_at_showdown, winners_before
from services.console.domain.replay_script import DivergedError
from shared.kernel.cards import FACE_DOWN, Card, mask_of
from shared.kernel.errors import Reason

_MOST_TRIED = 20_000


async def choose_hidden(evaluator: Line, hand: RecordedHand, known: KnownCards) -> KnownCards:
    """The cards with every hidden hand of the showdown filled in; DivergedError says where none can lose."""
    for player in hidden_at_showdown(hand, known):
        candidates = list(islice(completions(known, player), _MOST_TRIED))
        if not candidates:
            raise DivergedError(None, f"no cards are left in the deck for the hidden hand of p{player}")
        strengths = await _strengths(evaluator, known, candidates)
        wins = player in hand.winners
        bound = await _bound(evaluator, hand, known, player) if wins else None
        best = _best(strengths, bound) if wins else min(range(len(strengths)), key=strengths.__getitem__)
        known = known.with_player(player, candidates[best])
        if not wins:
            await _check_loses(evaluator, hand, known, (player, strengths[best]))
    return known


def _best(strengths: Sequence[int], bound: int | None) -> int:
    """The strongest hand below the bound; the strongest of all where there is none."""
    return max(range(len(strengths)), key=lambda at: (bound is None or strengths[at] < bound, strengths[at]))


async def _bound(evaluator: Line, hand: RecordedHand, known: KnownCards, player: int) -> int | None:
    """A winner who came in with more chips won a side pot: the winners of the pots before it were better."""
    rivals = [known.by_player[other] for other in winners_before(hand, player)]
    whole = [cards for cards in rivals if FACE_DOWN not in cards and cards]
    return min(await _strengths(evaluator, known, whole)) if whole else None


async def _check_loses(evaluator: Line, hand: RecordedHand, known: KnownCards, loser: tuple[int, int]) -> None:
    """A hidden hand that was not paid is beaten by one that is known."""
    rivals = [
        known.by_player[player]
        for player in hand.live_players
        if player in hand.winners and FACE_DOWN not in known.by_player[player]
    ]
    if rivals and loser[1] >= max(await _strengths(evaluator, known, rivals)):
        raise DivergedError(None, f"p{loser[0]} hid a hand at the showdown, and no unknown cards make it lose")


async def _strengths(evaluator: Line, known: KnownCards, hands: Sequence[tuple[Card, ...]]) -> tuple[int, ...]:
    """Asked for again while the evaluator has as many of our batches at hand as it takes."""
    request = EvaluateBatchRequest(masks=b"".join(_masks(known, hands)))
    pauses = Pauses(evaluator.patience_seconds)
    while True:
        try:
            response = await evaluator.ask(EvaluatorServiceStub(evaluator.channel).EvaluateBatch, request)
        except Refused as refusal:
            if refusal.reason is not Reason.LIMIT_REACHED or not await pauses.take():
                raise
        else:
            return struct.unpack(f"<{len(hands)}I", response.strengths)


def _masks(known: KnownCards, hands: Sequence[tuple[Card, ...]]) -> Iterator[bytes]:
    common = (known.common_card,) if known.common_card else ()
    for cards in hands:
        yield struct.pack("<Q", mask_of((*cards, *common)))
