"""Bonus prizes: money for a feat, independent of winning, from a fund of its own (rule 179, C45)."""

from collections.abc import Iterator, Sequence
from typing import Final

from services.tournament_ledger.domain.accounts import AccountKind
from services.tournament_ledger.domain.facts import BonusEarned, FeatShown
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.posting import moving
from services.tournament_ledger.domain.steps import Steps
from services.tournament_ledger.domain.tournament import Tournament
from shared.kernel.rules import BonusTimes, BonusWhen, Feat

_REACHED: Final = {
    Feat.ROYAL_FLUSH: (Feat.ROYAL_FLUSH, Feat.STRAIGHT_FLUSH),
    Feat.STRAIGHT_FLUSH: (Feat.STRAIGHT_FLUSH,),
    Feat.FOUR_OF_A_KIND: (Feat.FOUR_OF_A_KIND,),
}
"""The goals that a shown hand reaches: a royal flush is a straight flush too."""


def pay_bonuses(steps: Steps, hand_id: str, shown: Sequence[FeatShown]) -> None:
    """Pay every bonus prize that the feats of a hand earn; when the fund ends, what is left of it."""
    for player_id, feat in _goals(steps.tournament, shown):
        tournament = steps.tournament
        amount = min(_amount(tournament, player_id, feat), tournament.bonus_left_minor)
        if amount:
            postings = moving(steps.money(AccountKind.BONUS_FUND), steps.wallet(player_id), amount)
            steps.add(EntryKind.BONUS_PAID, (BonusEarned(player_id, amount, hand_id, feat),), postings)


def _goals(tournament: Tournament, shown: Sequence[FeatShown]) -> Iterator[tuple[str, Feat]]:
    """Each goal that a player reached in the hand, once however often it is named."""
    uncontested_counts = tournament.rules.tournament.bonus_when is BonusWhen.ALSO_UNCONTESTED
    seen: set[tuple[str, Feat]] = set()
    for each in shown:
        if each.uncontested and not uncontested_counts:
            continue
        for goal in _REACHED[each.feat]:
            if (each.player_id, goal) not in seen:
                seen.add((each.player_id, goal))
                yield each.player_id, goal


def _amount(tournament: Tournament, player_id: str, feat: Feat) -> int:
    """What the goal pays this player now; 0 where it is not announced or was paid as often as it may be."""
    rules = tournament.rules.tournament
    announced = next((prize.amount_minor for prize in rules.bonus_prizes if prize.feat is feat), 0)
    paid = [bonus for bonus in tournament.bonuses if bonus.feat is feat]
    if rules.bonus_times is BonusTimes.FIRST and paid:
        return 0
    if rules.bonus_times is BonusTimes.PER_PLAYER and any(bonus.player_id == player_id for bonus in paid):
        return 0
    return announced
