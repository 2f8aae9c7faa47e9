"""Rules of clocks and presence."""

from dataclasses import dataclass, field

from shared.kernel.rules.clock_options import (
    AbsentBringIn,
    AfterProtect,
    BankWhenDisconnected,
    NoShow,
    OnDisconnect,
    ProtectScope,
    ReturnWhen,
    SitOutPays,
    TimeBankActivation,
    TimeBankRefill,
    Timeout,
    TimeoutBringIn,
    TimeoutFree,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockRules:
    """Decision clocks, time bank, sitting out and coming back."""

    decision_seconds: int
    """Seconds for a decision (rule 128)."""
    timeout: Timeout
    """What the end of the clock does (C31)."""
    timeout_free: TimeoutFree
    """The clock ends where a check is free (C32)."""
    timeout_bring_in: TimeoutBringIn
    """The clock ends at the bring-in (C33)."""
    protect_scope: ProtectScope
    """Since when a wager protects (C34)."""
    ante_counts_as_bet: bool
    """The ante protects as well (C34)."""
    after_protect: AfterProtect
    """What follows a protected hand (rule 136)."""
    protect_limit_per_session: int
    """Protected hands allowed in a session; 0 = no limit (C48)."""
    on_disconnect: OnDisconnect
    """The player to act loses the connection (rule 149)."""
    extra_time_seconds: int
    """Seconds that on_disconnect EXTRA_TIME adds."""
    time_bank_seconds: int
    """Time bank of each player for the whole event; 0 = none (rule 138)."""
    time_bank_refill: TimeBankRefill
    """When the bank is filled again (rule 139)."""
    time_bank_refill_hands: int
    """Hands between refills where time_bank_refill is HANDS."""
    time_bank_activation: TimeBankActivation
    """How the bank starts (C37)."""
    bank_when_disconnected: BankWhenDisconnected
    """The bank of a disconnected player (rule 140)."""
    sit_out_pays: SitOutPays
    """What a player who sits out pays (rules 143, 150)."""
    absent_bring_in: AbsentBringIn
    """An absent player has the low card (C36)."""
    return_timeout: ReturnWhen
    """Coming back after the clock (C35)."""
    return_disconnect: ReturnWhen
    """Coming back after a lost connection (C35)."""
    return_voluntary: ReturnWhen
    """Coming back after sitting out by choice (C35)."""
    no_show: NoShow
    """Not connected at the start (rule 148)."""
    showdown_seconds: int
    """Seconds to choose between show and muck; 0 = losers muck at once (rule 110)."""
    seat_lost_seconds: int
    """Seconds of sitting out after which a cash seat is lost; 0 = never (rule 150)."""
    resume_minimum_seconds: int
    """Least seconds left on a clock after a pause (rule 141)."""
    between_hands_seconds: int = field(metadata={"when_unset": 0})  # tables opened before it existed
    """Pause after a hand is over before the next one starts; 0 = it starts at once (rule 128)."""
    all_away_seconds: int = field(metadata={"when_unset": 0})  # likewise
    """Least seconds between two hands while everybody who would be dealt in is away; 0 = no waiting (rule 145)."""
    entropy_seconds: int = field(metadata={"when_unset": 0})  # likewise
    """Seconds in which players who are there may add entropy to the next deck; 0 = they are not asked (ours)."""
