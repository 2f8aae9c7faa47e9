"""Follows a recorded hand turn by turn: which recorded action answers a turn, and whether the rules allow it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from services.console.domain.recorded_hand import DECISIONS, RecordedAction, RecordedHand, RecordedKind
from shared.kernel.cards import FACE_DOWN, Card, card_text


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
    """A record, followed action by action as the services deal and ask."""

    hand: RecordedHand
    _at: int = field(default=0, init=False)

    def answer(self, player: int, choices: Sequence[Choice]) -> tuple[str, int]:
        """The recorded answer of the player asked: kind and street total (0 where it has none)."""
        action = self._next()
        if action is None:
            raise self._broken_off(f"the services ask p{player}")
        if action.player != player or action.kind not in DECISIONS:
            raise DivergedError(action.number, f"the services ask p{player}, the record has {action.text!r}")
        self._at += 1
        return self._choose(action, choices)

    def deal(self, street: str, cards_by_player: Mapping[int, int], common_card: Card | None) -> None:
        """A street was dealt: the record deals it now, to the same players, or turns the same common card."""
        owed = dict(cards_by_player)
        if common_card is not None:
            self._take_common(street, common_card)
            return
        while any(owed.values()):
            action = self._next()
            if action is None:
                raise self._broken_off(f"the services deal {street} street")
            if action.kind is not RecordedKind.DEAL_PLAYER or owed.get(action.player, 0) < len(action.cards):
                players = ", ".join(f"p{player}" for player in cards_by_player)
                reason = f"the services deal {street} street to {players}, the record has {action.text!r}"
                raise DivergedError(action.number, reason)
            owed[action.player] -= len(action.cards)
            self._at += 1

    def _take_common(self, street: str, turned: Card) -> None:
        action = self._next()
        if action is None or action.kind is not RecordedKind.DEAL_COMMON or action.cards[0] not in {turned, FACE_DOWN}:
            had = "nothing more" if action is None else repr(action.text)
            reason = f"the services turn the common card {card_text(turned)} on {street} street, the record has {had}"
            raise DivergedError(None if action is None else action.number, reason)
        self._at += 1

    def check_end(self) -> None:
        """The hand is over for the services: so it must be for the record."""
        action = self._next()
        if action is not None:
            raise DivergedError(action.number, f"the hand is over for the services, the record has {action.text!r}")

    def _next(self) -> RecordedAction | None:
        """The next action that deals or decides; showing and mucking is told by the cards."""
        while self._at < len(self.hand.actions) and self.hand.actions[self._at].kind is RecordedKind.SHOW_OR_MUCK:
            self._at += 1
        return self.hand.actions[self._at] if self._at < len(self.hand.actions) else None

    def _broken_off(self, services: str) -> DivergedError:
        """The record ends before the hand does."""
        last = self.hand.actions[-1] if self.hand.actions else None
        after = "" if last is None else f" after action {last.number}, {last.text!r}"
        reason = f"{services}, where the record has no action left: it breaks off{after}"
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
