"""Facts of the books, past tense; those that watchers are told mirror the contract's messages."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from services.tournament_ledger.domain.amounts import Money
from services.tournament_ledger.domain.announcement import Announcement
from services.tournament_ledger.domain.facts_deals import DealAccepted, DealAgreed, DealLapsed, DealProposed
from services.tournament_ledger.domain.facts_entries import LateRegistrationClosed, PlacesChanged, SeatChosen
from services.tournament_ledger.domain.facts_rounds import (
    DirectorChanged,
    HandForHandRoundEnded,
    MatchEnded,
    QualifiersDrawn,
    RoundStarted,
)
from services.tournament_ledger.domain.facts_rounds import (
    SeatAssignment as SeatAssignment,  # noqa: PLC0414 - named here like all facts
)
from shared.kernel.game import Street
from shared.kernel.rules import CashRules, Feat, RuleSet


class PurchaseKind(StrEnum):
    """What a player bought."""

    ENTRY = "ENTRY"
    REBUY = "REBUY"
    ADD_ON = "ADD_ON"


@dataclass(frozen=True, slots=True)
class TournamentAnnounced:
    """A tournament was announced, with its rules in full."""

    tournament_id: str
    announcement: Announcement
    rules: RuleSet


@dataclass(frozen=True, slots=True)
class PlayerRegistered:
    """A player registered and paid the fee."""

    player_id: str
    entrants: int


@dataclass(frozen=True, slots=True)
class PlayerUnregistered:
    """A player withdrew and has the fee back."""

    player_id: str
    entrants: int


@dataclass(frozen=True, slots=True)
class PlayerEnteredLate:
    """A player entered after play began, or again after having been excluded (rules 200, 201); the seat follows."""

    player_id: str
    entrants: int
    re_entries: int
    """This one included; 0 for a first entry."""
    price_minor: int
    chips: int
    reserve_chips: int


@dataclass(frozen=True, slots=True)
class TournamentStarted:
    """Play started: every player has the starting stack."""

    player_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SeatsDrawn:
    """First seats, with the record of the draw at the dealer."""

    seats: tuple[SeatAssignment, ...]
    draw_id: str


@dataclass(frozen=True, slots=True)
class ChipsPurchased:
    """Chips were bought; they come into play with the next hand."""

    player_id: str
    kind: PurchaseKind
    price_minor: int
    chips: int


@dataclass(frozen=True, slots=True)
class PurchaseReturned:
    """A rebuy asked for during a hand was dropped, for the player won too much in it (rule 163)."""

    player_id: str
    kind: PurchaseKind
    price_minor: int
    chips: int


@dataclass(frozen=True, slots=True)
class SecondChanceReleased:
    """The second half of a double chance came into play."""

    player_id: str
    chips: int


@dataclass(frozen=True, slots=True)
class SheetLine:
    """What a player starts a hand from."""

    player_id: str
    chips: int


@dataclass(frozen=True, slots=True)
class SheetOpened:
    """Stacks of the next hand of a table were frozen."""

    table_id: str
    hand_number: int
    lines: tuple[SheetLine, ...]
    table_version: int | None = None
    """Of a cash table: its version when it was asked for; None where that was not told."""


@dataclass(frozen=True, slots=True)
class HandResult:
    """A player's chips before and after a hand."""

    player_id: str
    before_chips: int
    after_chips: int


@dataclass(frozen=True, slots=True)
class FeatShown:
    """A feat that was shown in a hand."""

    player_id: str
    feat: Feat
    uncontested: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HandRecorded:
    """The result of a hand was booked."""

    hand_id: str
    table_id: str
    hand_number: int
    results: tuple[HandResult, ...]
    rake_chips: int
    street_reached: Street | None
    feats: tuple[FeatShown, ...]
    voided: bool
    hand_for_hand_round: int | None = None
    """Round of hand for hand that it belongs to."""
    deck_root: str | None = None
    """Root that bound the deck before its first card, in hexadecimal; None where none was published."""


@dataclass(frozen=True, slots=True)
class PlayerBusted:
    """A player has no chips left; a moment in the future where a rebuy may still be bought."""

    player_id: str
    start_chips: int
    decides_until: datetime


@dataclass(frozen=True, slots=True)
class PlayerPlaced:
    """A player is out and has a place."""

    player_id: str
    place: int
    prize_minor: int


@dataclass(frozen=True, slots=True)
class PrizePaid:
    """A prize was paid into a wallet."""

    player_id: str
    amount_minor: int


@dataclass(frozen=True, slots=True)
class BonusEarned:
    """A bonus prize was earned and paid."""

    player_id: str
    amount_minor: int
    hand_id: str
    feat: Feat


@dataclass(frozen=True, slots=True)
class LevelStarted:
    """A level began."""

    level: int


@dataclass(frozen=True, slots=True)
class PlayerMoved:
    """A player changed seats."""

    player_id: str
    table_id: str
    seat: int
    draw_id: str


@dataclass(frozen=True, slots=True)
class PrizesFixed:
    """The prize table was frozen; the organiser added what the guarantee lacked."""

    prizes_minor: tuple[int, ...]
    guarantee_added_minor: int


@dataclass(frozen=True, slots=True)
class TournamentFinished:
    """One player is left."""

    winner_player_id: str


@dataclass(frozen=True, slots=True)
class TournamentCancelled:
    """The tournament will not be played to its end."""

    cause: str


@dataclass(frozen=True, slots=True)
class MoneyReturned:
    """What a player gets out of a cancelled tournament."""

    player_id: str
    amount_minor: int


@dataclass(frozen=True, slots=True)
class AccountOpened:
    """A wallet came into being."""

    player_id: str
    currency: str


@dataclass(frozen=True, slots=True)
class MoneyDeposited:
    """Money came into a wallet."""

    player_id: str
    reference: str


@dataclass(frozen=True, slots=True)
class MoneyWithdrawn:
    """Money left a wallet."""

    player_id: str
    reference: str


@dataclass(frozen=True, slots=True)
class HoldPlaced:
    """Money of a wallet was reserved."""

    hold_id: str
    player_id: str
    amount: Money
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class HoldResolved:
    """A hold was posted, voided or expired, once and for ever."""

    hold_id: str
    player_id: str


@dataclass(frozen=True, slots=True)
class CashTableOpened:
    """The book of a cash table was opened."""

    table_id: str
    chip_value: Money
    rules: CashRules


@dataclass(frozen=True, slots=True)
class ChipsBoughtIn:
    """A player bought chips at a cash table."""

    player_id: str
    seat: int
    chips: int
    price_minor: int
    table_version: int | None = None
    """Of the table when the purchase began; None where that was not told."""


@dataclass(frozen=True, slots=True)
class ChipsCashedOut:
    """A player took all chips off a cash table."""

    player_id: str
    chips: int
    value_minor: int


PUBLIC: Final = (
    TournamentAnnounced,
    PlayerRegistered,
    PlayerUnregistered,
    PlayerEnteredLate,
    TournamentStarted,
    ChipsPurchased,
    PurchaseReturned,
    SecondChanceReleased,
    PlayerPlaced,
    BonusEarned,
    LevelStarted,
    PlayerMoved,
    PrizesFixed,
    TournamentFinished,
    TournamentCancelled,
    MatchEnded,
    QualifiersDrawn,
    RoundStarted,
    HandForHandRoundEnded,
    DealProposed,
    DealAccepted,
    DealAgreed,
    DealLapsed,
    SeatChosen,
    PlacesChanged,
    LateRegistrationClosed,
)
"""Facts that watchers of a tournament are told."""

_INTERNAL: Final = (
    SeatsDrawn,
    SheetOpened,
    HandRecorded,
    PlayerBusted,
    PrizePaid,
    MoneyReturned,
    AccountOpened,
    MoneyDeposited,
    MoneyWithdrawn,
    HoldPlaced,
    HoldResolved,
    CashTableOpened,
    ChipsBoughtIn,
    ChipsCashedOut,
    DirectorChanged,
)

KNOWN: Final[dict[str, type]] = {each.__name__: each for each in (*PUBLIC, *_INTERNAL)}
"""Every fact by its name in the journal."""

Fact = object
"""One of the above."""
