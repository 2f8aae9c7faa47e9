"""Who may ask to see a mucked hand (rules 114-116)."""

from collections.abc import Iterable

from services.orchestrator.domain.hand import Hand, HandSeat
from services.orchestrator.domain.hand_facts import ActionTaken, StreetDealt
from services.orchestrator.domain.wagering import ActionKind
from shared.kernel.errors import DomainError, Reason, not_found
from shared.kernel.game import Street
from shared.kernel.rules import AskToSee


def check_may_see(hand: Hand, facts: Iterable[object], player_id: str, seat: int) -> None:
    """Refuse who may not ask. A hand folded before the showdown is never given to others (rule 116)."""
    asked = next((each for each in hand.seats if each.seat == seat), None)
    if asked is None or not asked.mucked:
        where = "GetHand tells which seats mucked at its showdown"
        raise not_found("mucked hand", f"{hand.hand_id} seat {seat}", where)
    asker = next((each for each in hand.seats if each.player_id == player_id), None)
    rule = hand.rules.ask_to_see
    if asker is not None and _may_ask(rule, hand, asker, seat, facts):
        return
    allowed = {
        AskToSee.NONE: "nobody",
        AskToSee.HISTORY: "players dealt into the hand",
        AskToSee.CALLER_VS_AGGRESSOR: "a caller on the river, against the last aggressor",
    }[rule]
    message = f"the rules of this hand give mucked hands to {allowed}"
    raise DomainError(Reason.NOT_PERMITTED, message, {"role": "player", "allowed": allowed})


def _may_ask(rule: AskToSee, hand: Hand, asker: HandSeat, seat: int, facts: Iterable[object]) -> bool:
    if rule is AskToSee.CALLER_VS_AGGRESSOR:
        return asker.live and hand.last_aggressor_seat == seat and asker.seat in _river_callers(facts)
    return rule is AskToSee.HISTORY


def _river_callers(facts: Iterable[object]) -> set[int]:
    callers: set[int] = set()
    river = False
    for happened in facts:
        if isinstance(happened, StreetDealt):
            river = happened.street is Street.SEVENTH
        if river and isinstance(happened, ActionTaken) and happened.kind is ActionKind.CALL:
            callers.add(happened.seat)
    return callers
