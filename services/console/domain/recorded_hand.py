"""A hand that was played elsewhere, as a Poker Hand History record tells it."""

from dataclasses import dataclass
from enum import StrEnum

from shared.kernel.cards import Card
from shared.kernel.game import Structure


class RecordedKind(StrEnum):
    """What one line of a record tells."""

    DEAL_PLAYER = "deal_player"  # d dh pN CARDS
    DEAL_COMMON = "deal_common"  # d db CARD
    BRING_IN = "bring_in"  # pN pb
    WAGER = "wager"  # pN cbr AMOUNT
    CHECK_OR_CALL = "check_or_call"  # pN cc
    FOLD = "fold"  # pN f
    SHOW_OR_MUCK = "show_or_muck"  # pN sm [CARDS]


DECISIONS = frozenset({RecordedKind.BRING_IN, RecordedKind.WAGER, RecordedKind.CHECK_OR_CALL, RecordedKind.FOLD})
"""Kinds that answer a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedAction:
    """One action of a record: its number counted from 1, its text and line in the file, and what it means."""

    number: int
    text: str
    line: int
    kind: RecordedKind
    player: int
    """The player, 1 for p1; 0 for the common card."""
    amount_chips: int = 0
    """For WAGER: the street total."""
    cards: tuple[Card, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedHand:
    """A recorded hand. Players are p1 to pn clockwise from dealer's left; amounts are chips."""

    name: str
    file: str
    line: int
    structure: Structure
    ante_chips: int
    bring_in_chips: int
    lower_limit_chips: int
    upper_limit_chips: int
    starting_stacks_chips: tuple[int, ...]
    finishing_stacks_chips: tuple[int, ...] | None
    winnings_chips: tuple[int, ...] | None
    """What each player was paid from the pots, in the order of the players; None where the record does not tell."""
    rake_chips: int
    """What the house kept: rake and fee."""
    open_pair: bool | None
    """The room doubles fourth street on any player's open pair; None where the record does not say."""
    preset: str
    """Preset of the rules that it was played under; empty where the record does not say."""
    actions: tuple[RecordedAction, ...]

    @property
    def players_count(self) -> int:
        """How many were dealt in."""
        return len(self.starting_stacks_chips)

    @property
    def winners(self) -> frozenset[int]:
        """Players who were paid, as the record tells it: by winnings, else by stacks that grew."""
        if self.winnings_chips is not None:
            return frozenset(player for player, chips in enumerate(self.winnings_chips, start=1) if chips)
        if self.finishing_stacks_chips is None:
            return frozenset()
        pairs = zip(self.starting_stacks_chips, self.finishing_stacks_chips, strict=True)
        return frozenset(player for player, (before, after) in enumerate(pairs, start=1) if after > before)

    @property
    def decisions(self) -> tuple[RecordedAction, ...]:
        """The actions that answer a turn, in order."""
        return tuple(action for action in self.actions if action.kind in DECISIONS)

    @property
    def live_players(self) -> tuple[int, ...]:
        """Players who never folded."""
        folded = {action.player for action in self.actions if action.kind is RecordedKind.FOLD}
        return tuple(player for player in range(1, self.players_count + 1) if player not in folded)

    @property
    def common_card(self) -> Card | None:
        """The shared river card, where one was turned."""
        return next((a.cards[0] for a in self.actions if a.kind is RecordedKind.DEAL_COMMON and a.cards), None)


class RecordError(Exception):
    """A record that cannot be read: which file, which hand, which line, and what is wrong."""

    def __init__(self, file: str, hand: str, line: int, problem: str) -> None:
        """Keep the place and the problem."""
        super().__init__(f"{file}, hand {hand}, line {line}: {problem}")
        self.file = file
        self.hand = hand
        self.line = line
        self.problem = problem
