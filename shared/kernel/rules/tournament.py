"""Rules of tournaments."""

from dataclasses import dataclass

from shared.kernel.rules.hand import Stakes
from shared.kernel.rules.tournament_options import (
    AddOnStackRule,
    BonusTimes,
    BonusWhen,
    DealKind,
    DoubleChanceRelease,
    Feat,
    Formula,
    HandForHandAcrossTables,
    LevelApplies,
    LevelTrigger,
    PrizeMode,
    PrizeRest,
    RebuyThreshold,
    RoundStack,
    SameHandRank,
    StartSeats,
    StudBalance,
    TopPrizeFix,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Level:
    """One level of a tournament: amounts and how long they hold (rules 152-154)."""

    stakes: Stakes
    """The amounts."""
    level_seconds: int
    """Length in seconds where time ends a level; 0 = not by time."""
    level_hands: int
    """Length in hands where hands end a level; 0 = not by hands."""
    decision_seconds: int
    """Seconds for a decision in this level; 0 = as the clock rules say (rule 128)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A pause for all tables together (rule 151)."""

    after_level: int
    """The break follows this level, counted from 1."""
    length_seconds: int
    """Length in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuyTerms:
    """Rebuys of an event (rules 161-163). The price is the fee, the chips the starting stack."""

    max_count: int
    """Most rebuys of one player; 0 = no rebuys."""
    last_level: int
    """Last level in which a rebuy is allowed, counted from 1."""
    window_seconds: int
    """Seconds a busted player has to decide."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AddOnTerms:
    """The one add-on of an event (rule 165). Chips are in proportion to the price."""

    offered: bool
    """An add-on may be bought."""
    price_max_minor: int
    """Most that may be paid, in minor units; at most the fee."""
    last_level: int
    """Last level in which it may be bought, counted from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubleChanceTerms:
    """Double chance: half of the starting stack is kept back (rules 167-168)."""

    offered: bool
    """The starting stack is split in two halves."""
    release: DoubleChanceRelease
    """When the second half comes (C39)."""
    last_level: int
    """The second half comes at the latest at the end of this level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrizeRow:
    """Shares of the prize fund for a number of entrants (rule 178)."""

    entrants_min: int
    """The row holds from this many entrants on."""
    weights: tuple[int, ...]
    """Weight of each paid place, best first; a prize is fund * weight / sum of weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BonusPrize:
    """A prize for a feat, independent of winning (rule 179)."""

    feat: Feat
    """The goal."""
    amount_minor: int
    """What it pays, in minor units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentRules:
    """Structure of play, purchases and prizes of a tournament."""

    formula: Formula
    """How matches make the tournament (rule 157)."""
    starting_stack_chips: int
    """Chips of each player at the start."""
    levels: tuple[Level, ...]
    """The levels in order; the last one repeats for ever (rule 208)."""
    level_trigger: LevelTrigger
    """What ends a level (C38)."""
    level_applies: LevelApplies
    """From when a new level holds (rule 152)."""
    breaks: tuple[Break, ...]
    """Breaks (rule 151)."""
    rebuy: RebuyTerms
    """Rebuys (rule 161)."""
    rebuy_threshold: RebuyThreshold
    """With how many chips (rule 161)."""
    rebuy_counts_reserve: bool
    """The kept half of a double chance counts as chips (rule 164)."""
    add_on: AddOnTerms
    """The add-on (rule 165)."""
    add_on_stack_rule: AddOnStackRule
    """With how many chips (C40)."""
    double_chance: DoubleChanceTerms
    """Double chance (rule 167)."""
    fee_step_minor: int
    """Fees and add-on prices are multiples of this; 0 = any (rule 169)."""
    fee_max_minor: int
    """Largest fee; 0 = no limit (rule 169)."""
    spend_cap_minor: int
    """Most that one player may pay in all; 0 = no limit (rule 170)."""
    prize_share_min_basis_points: int
    """Least share of purchases that goes to prizes, in ten-thousandths (rule 173)."""
    prize_share_basis_points: int
    """The share that goes to prizes, in ten-thousandths (rule 173)."""
    guarantee_minor: int
    """Guaranteed prize fund, in minor units; 0 = none (rule 204)."""
    prize_mode: PrizeMode
    """What prizes are for (rule 174)."""
    prize_rows: tuple[PrizeRow, ...]
    """Shares by number of entrants (rule 178)."""
    top_prize_above_fee: bool
    """The highest prize must exceed the fee (rule 175)."""
    top_prize_fix: TopPrizeFix
    """What is done if it would not (rule 175)."""
    prize_rest: PrizeRest
    """Cents that do not divide (C47)."""
    bonus_prizes: tuple[BonusPrize, ...]
    """Bonus prizes (rule 179)."""
    bonus_when: BonusWhen
    """When a feat earns its bonus (C45)."""
    bonus_times: BonusTimes
    """How often (C45)."""
    same_hand_rank: SameHandRank
    """Excluded in one hand (C42)."""
    hand_for_hand_across_tables: HandForHandAcrossTables
    """Hand for hand across tables (C43)."""
    hand_for_hand_margin: int
    """Hand for hand starts this many players before the prizes (rule 186)."""
    halt_short: int
    """A table this many players short stops dealing; 0 = never (rule 190)."""
    round_stack: RoundStack
    """Stacks of later rounds (C41)."""
    qualifiers: int
    """Players of each match who reach the next round (rule 156)."""
    stud_balance: StudBalance
    """Who moves (C44)."""
    start_seats: StartSeats
    """How first seats are given (rule 187)."""
    late_registration_last_level: int
    """Last level with late registration; 0 = off (rule 200)."""
    late_registration_prize_margin: int
    """It ends once no more players are left than places are paid, and so many; 0 = with its level alone (rule 200)."""
    re_entry_max_count: int
    """Most re-entries of one player; 0 = off (rule 201)."""
    satellite_seat_minor: int
    """Value of a seat won in a satellite, in minor units; 0 = no satellite (rule 202)."""
    deal: DealKind
    """Agreed splits (rule 203)."""
