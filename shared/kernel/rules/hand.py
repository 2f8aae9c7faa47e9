"""Rules of a hand: betting and dealing."""

from dataclasses import dataclass

from shared.kernel.game import Mode, Street, Structure
from shared.kernel.rules.hand_options import (
    AllInExposure,
    AllInHighHand,
    AskToSee,
    BigBetMinimum,
    BringInBy,
    BringInFold,
    BringInNoChips,
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardOpener,
    CommonCardSource,
    DealerPosition,
    Exhaustion,
    HeadsUpCap,
    HighDoorTie,
    MuckedInHistory,
    OddChip,
    OpenerTie,
    OpenPairFourth,
    PotBelowMinimum,
    PotLimitMax,
    RiverBurnShortfall,
    ShortAllInBigBet,
    ShortAllInLimit,
    ShortBringInPrice,
    ShowFirstUnbet,
    SuitOrder,
    ThirdStreetOverBringIn,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stakes:
    """The amounts of one level or cash table, in chips (rules 16, 28, 42)."""

    ante_chips: int
    """Ante of every player dealt in; 0 where announced."""
    bring_in_chips: int
    """Forced opening bet, above 0 and at most half the lower limit."""
    lower_limit_chips: int
    """Fixed wager of the lower-limit streets."""
    upper_limit_chips: int
    """Fixed wager of the other streets; twice the lower where the rules say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRules:
    """Betting and dealing: frozen into each hand when it starts."""

    seats_max: int
    """Most seats of a table, 2 to 8 (rule 1)."""
    modes_allowed: tuple[Mode, ...]
    """What tables under these rules may be played for."""
    structures_allowed: tuple[Structure, ...]
    """Structures that may be chosen (rule 41)."""
    structure: Structure
    """The structure in force."""
    upper_is_double: bool
    """The upper limit is always twice the lower (rule 42)."""
    lower_limit_streets: tuple[Street, ...]
    """Streets played at the lower limit (rule 45)."""
    dealer_position: DealerPosition
    """Where the virtual dealer sits (C20)."""
    burn_streets: BurnStreets
    """Before which streets a card is burned (C22)."""
    river_burn_shortfall: RiverBurnShortfall
    """The stub is enough for the players, not for the burn (C23)."""
    exhaustion: Exhaustion
    """The stub cannot serve the river (C24)."""
    common_card_source: CommonCardSource
    """Where the common card comes from (C25)."""
    burn_after_reshuffle: BurnAfterReshuffle
    """Burn from a reshuffled stub (rule 87)."""
    common_card_opener: CommonCardOpener
    """Opener of the river after a common card (C26)."""
    ante_required: bool
    """An ante above zero is required unless announced otherwise (rule 16)."""
    bring_in_by: BringInBy
    """Which door card brings in (C3)."""
    bring_in_suits: SuitOrder
    """Suit order for ties of door cards (C4)."""
    high_door_tie: HighDoorTie
    """Tie of the highest door cards (C5)."""
    bring_in_max_basis_points: int
    """Largest bring-in in ten-thousandths of the lower limit (rule 28)."""
    bring_in_fold: BringInFold
    """Whether the bring-in may be declined (C1)."""
    bring_in_full: bool
    """The opener may open for the full bet (C2)."""
    bring_in_no_chips: BringInNoChips
    """The low card has no chips (C6)."""
    short_bring_in_price: ShortBringInPrice
    """Price after a short bring-in (C7)."""
    bring_in_live_option: bool
    """The payer of the bring-in may act again when all call (C8)."""
    third_street_over_bring_in: ThirdStreetOverBringIn
    """First wager over the bring-in (C9)."""
    raise_cap: int
    """Raises allowed in a limit round; 0 = no cap (rule 49)."""
    completion_counts: bool
    """A completion counts as a raise (C10)."""
    heads_up_cap: HeadsUpCap
    """The cap with two players (C11)."""
    heads_up_raise_cap: int
    """The other cap where heads_up_cap is NUMBER."""
    heads_up_counts_all_in: bool
    """All-in players count as players for heads_up_cap (C12)."""
    open_pair_fourth: OpenPairFourth
    """The open pair on fourth street (C13)."""
    open_pair_persists: bool
    """The open pair holds for the round even if its holder folds (C14)."""
    big_bet_minimum: BigBetMinimum
    """Minimum bet of pot limit and no limit (C15)."""
    pot_limit_max: PotLimitMax
    """Largest raise of pot limit (C17)."""
    pot_below_minimum: PotBelowMinimum
    """Pot-limit maximum below the minimum (C16)."""
    short_all_in_limit: ShortAllInLimit
    """Short all-in in limit (C18)."""
    short_all_in_big_bet: ShortAllInBigBet
    """Short all-in in pot limit and no limit (C18)."""
    opener_tie: OpenerTie
    """Tie of the highest boards (C19)."""
    all_in_high_hand: AllInHighHand
    """The highest board cannot act (C21)."""
    fold_when_check_free: bool
    """Folding is allowed where a check is free (rule 43)."""
    show_first_unbet: ShowFirstUnbet
    """First to show after a river without wagers (C27)."""
    losers_may_muck: bool
    """Beaten players may hide their hand (rule 110)."""
    first_to_show_may_muck: bool
    """The first to show may muck as well (rule 110)."""
    all_in_exposure: AllInExposure
    """When all-in hands are turned up (C28)."""
    mucked_in_history: MuckedInHistory
    """Who finds mucked hands in the history (C29)."""
    ask_to_see: AskToSee
    """Who may ask to see a mucked hand (rule 115)."""
    odd_chip: OddChip
    """Order of the odd chips (C30)."""
    odd_chip_unit_chips: int
    """Smallest amount a pot is split into (rule 126)."""
