"""Follows a recorded hand turn by turn: which recorded action answers a turn, and whether the rules allow it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.console.domain.recorded_hand import RecordedAction, RecordedHand, RecordedKind
from shared.kernel.cards import Card, card_text


class DivergedError(Exception):
    """Services and record part: at which action, counted from 1 (None: in the result), and why."""

    def __init__(self, at: int | None, reason: str, *, by_rules: bool = False) -> None:
        """Keep the place and the reason; ``by_rules`` where other rules might have allowed it."""
        super().__init__(reason)
        self.at = at
        self.reason = reason
        self.by_rules = by_rules


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing the rules allow in a turn, as the services offer it."""

    kind: str
    """FOLD, CHECK, CALL, BRING_IN, COMPLETE, BET or RAISE."""
    to_chips_choices: Sequence[int] = ()
    to_chips_min: int = 0
    to_chips_max: int = 0

    def allows(self, to_chips: int) -> bool:
        """Whether a wager to this street total is allowed."""
        return to_chips in self.to_chips_choices or 0 < self.to_chips_min <= to_chips <= self.to_chips_max

    def text(self) -> str:
        """For people: the kind and its amounts."""
        if self.to_chips_choices:
            return f"{self.kind} to {' or '.join(map(str, self.to_chips_choices))}"
        return f"{self.kind} to {self.to_chips_min}-{self.to_chips_max}" if self.to_chips_max else self.kind


_KINDS = {
    RecordedKind.FOLD: ("FOLD",),
    RecordedKind.BRING_IN: ("BRING_IN",),
    RecordedKind.CHECK_OR_CALL: ("CHECK", "CALL"),
    RecordedKind.WAGER: ("COMPLETE", "BET", "RAISE"),
}


@dataclass(slots=True)
class ReplayScript:
    """The decisions of a record, taken one by one as the services ask for them."""

    hand: RecordedHand
    _next: int = field(default=0, init=False)

    def answer(self, player: int, choices: Sequence[Choice]) -> tuple[str, int]:
        """The recorded answer of the player asked: kind and street total (0 where it has none)."""
        if self._next >= len(self.hand.decisions):
            raise self._broken_off(player)
        action = self.hand.decisions[self._next]
        if action.player != player:
            raise DivergedError(action.number, f"the services ask p{player}, the record has {action.text!r}")
        self._next += 1
        return self._choose(action, choices)

    def _broken_off(self, player: int) -> DivergedError:
        """The record ends before the hand does."""
        last = self.hand.actions[-1] if self.hand.actions else None
        after = "" if last is None else f" after action {last.number}, {last.text!r}"
        reason = f"the services ask p{player}, where the record has no action left: it breaks off{after}"
        return DivergedError(None if last is None else last.number, reason)

    @staticmethod
    def _choose(action: RecordedAction, choices: Sequence[Choice]) -> tuple[str, int]:
        for choice in choices:
            if choice.kind not in _KINDS[action.kind]:
                continue
            if action.kind is not RecordedKind.WAGER:
                return choice.kind, 0
            if choice.allows(action.amount_chips):
                return choice.kind, action.amount_chips
        allowed = ", ".join(choice.text() for choice in choices)
        reason = f"{action.text!r} is not legal here; the rules allow {allowed}"
        raise DivergedError(action.number, reason, by_rules=True)

    def check_common_card(self, turned: Card | None) -> None:
        """Seventh street was dealt: the services and the record agree on whether a common card was turned."""
        recorded = self.hand.common_card
        if recorded == turned:
            return
        number = next((a.number for a in self.hand.actions if a.kind is RecordedKind.DEAL_COMMON), None)
        had = "no common card" if turned is None else f"common card {card_text(turned)}"
        wanted = "none" if recorded is None else card_text(recorded)
        raise DivergedError(number, f"the services dealt {had} on seventh street, the record has {wanted}")

    def check_end(self) -> None:
        """The hand is over for the services: so it must be for the record."""
        if self._next < len(self.hand.decisions):
            action = self.hand.decisions[self._next]
            raise DivergedError(action.number, f"the hand is over for the services, the record has {action.text!r}")
