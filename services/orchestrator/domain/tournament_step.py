"""What a tournament needs before one of its tables may deal: one step at a time, decided from the state alone."""

from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from datetime import datetime, timedelta

from services.orchestrator.domain import hand_for_hand, levels, rounds, seating
from services.orchestrator.domain.sheet import Wait, WaitReason
from services.orchestrator.domain.tournament import Tournament

_PLAYERS_OF_A_HAND = 2


@dataclass(frozen=True, slots=True)
class CloseTable:
    """The table is over."""


@dataclass(frozen=True, slots=True)
class Hold:
    """The table waits."""

    wait: Wait


@dataclass(frozen=True, slots=True)
class BeginLevel:
    """The next level begins (rule 152)."""

    level: int


@dataclass(frozen=True, slots=True)
class BeginBreak:
    """All tables are between hands: the break begins (rule 151)."""

    length_seconds: int


@dataclass(frozen=True, slots=True)
class EndBreak:
    """The break is over."""


@dataclass(frozen=True, slots=True)
class AskLedger:
    """Nothing stands in the way: the ledger's sheet says who plays."""


Step = (
    CloseTable
    | Hold
    | BeginLevel
    | BeginBreak
    | EndBreak
    | AskLedger
    | seating.Balance
    | rounds.DrawQualifiers
    | rounds.BeginRound
    | hand_for_hand.BeginHandForHand
    | hand_for_hand.EndHandForHand
)


@dataclass(frozen=True, slots=True)
class Sight:
    """What the director sees besides the log."""

    now: datetime
    playing: AbstractSet[str] = frozenset()
    """Tables with a hand in progress."""
    stuck: AbstractSet[str] = frozenset()
    """Tables that found too few players with chips when they last asked."""
    paid_places: int = 0
    """Places that the players fight for; 0 while they are not known."""


def next_step(state: Tournament, table_id: str, sight: Sight, *, spared: bool = False, bound: bool = False) -> Step:
    """What comes first for a table that is between hands.

    ``spared``: the lots have decided that this is not the table to be broken. ``bound``: the deck of its next hand is
    bound to its seats, so that this hand is as good as running: nobody is moved, and nothing begins before it.
    """
    if state.ended or table_id not in state.tables:
        return CloseTable()
    if state.paused_at is not None:
        return Hold(Wait(reason=WaitReason.PAUSED))
    return AskLedger() if bound else _between_hands(state, table_id, sight, spared=spared)


def _between_hands(state: Tournament, table_id: str, sight: Sight, *, spared: bool) -> Step:
    if state.break_ends_at is not None:
        return _in_break(state, state.break_ends_at, sight.now)
    if state.tables[table_id].match_over:
        return rounds.after_match(state, table_id) or Hold(Wait(reason=WaitReason.ROUND))
    if state.hand_for_hand_round:
        return _hand_for_hand(state, table_id, sight, spared=spared)
    elsewhere = bool(sight.playing - {table_id})
    if levels.level_is_over(state, sight.now):
        return _level_over(state, elsewhere=elsewhere)
    if hand_for_hand.begins(state, sight.paid_places):  # the hands that are running belong to the round
        return hand_for_hand.BeginHandForHand(state.hand_for_hand_ended + 1)
    return _seats(state, table_id, elsewhere=elsewhere, spared=spared)


def _hand_for_hand(state: Tournament, table_id: str, sight: Sight, *, spared: bool) -> Step:
    """One hand at each table; levels, breaks and, once a table has played, moves wait for the end of the round."""
    begun = any(hand_for_hand.played(state, each) for each in state.tables)
    if not begun:  # a round without a hand is not over: whoever decides, or is moved, plays it yet
        step = _seats(state, table_id, elsewhere=bool(sight.playing - {table_id}), spared=spared)
        if not isinstance(step, Hold):
            return step
    short = len(state.at_table(table_id)) < _PLAYERS_OF_A_HAND
    if not short and not hand_for_hand.played(state, table_id):
        return AskLedger()
    if sight.playing - {table_id} or not begun or not hand_for_hand.is_over(state, sight.stuck):
        return Hold(Wait(reason=WaitReason.HAND_FOR_HAND))
    return hand_for_hand.EndHandForHand(state.hand_for_hand_round)


def _in_break(state: Tournament, break_ends_at: datetime, now: datetime) -> Step:
    """Where more is left than the whole break is long, the clock was set back meanwhile: it begins anew."""
    length_seconds = levels.break_seconds(state)
    if break_ends_at - now > timedelta(seconds=length_seconds):
        return BeginBreak(length_seconds)
    if now < break_ends_at:
        return Hold(Wait(reason=WaitReason.BREAK, until=break_ends_at))
    return EndBreak()


def _level_over(state: Tournament, *, elsewhere: bool) -> Step:
    pause = levels.break_after(state)
    if pause is None:
        return BeginLevel(state.level + 1)
    if elsewhere:  # the hand in progress at each table is played to its end first
        return Hold(Wait(reason=WaitReason.BREAK))
    return BeginBreak(pause.length_seconds)


def _seats(state: Tournament, table_id: str, *, elsewhere: bool, spared: bool) -> Step:
    change = seating.balance(state, table_id, spared=spared)
    if isinstance(change, seating.FinalTable) and elsewhere:
        return Hold(Wait(reason=WaitReason.BALANCING))
    if change is not None:
        return change
    if seating.must_halt(state, table_id):
        return Hold(Wait(reason=WaitReason.BALANCING))
    if len(state.tables) > 1 and len(state.at_table(table_id)) < _PLAYERS_OF_A_HAND:
        return Hold(Wait(reason=WaitReason.PLAYERS))
    return AskLedger()
