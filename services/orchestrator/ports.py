"""What the orchestrator needs of the world, in the words of the game: the other four services, time, and its tables.

Every call that does not answer because its service is away raises :class:`ServiceAway`; every refusal of the other
service comes out as the DomainError it was. Request ids are made below the ports from the hand and the step, so that a
call repeated after a crash is the same request.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import datetime
from typing import Protocol

from services.orchestrator.domain.booking import (
    BookedHand,
    BookedRound,
    HandToBook,
    LedgerSheet,
    LedgerState,
    LedgerTournament,
    Match,
    Money,
    NumberedFact,
    Placement,
    SeatAssignment,
    Standing,
)
from services.orchestrator.domain.dealing import (
    Commitment,
    HandToDeal,
    Lots,
    OpenedCards,
    Opening,
    SeatHandCards,
    StreetDeal,
)
from services.orchestrator.domain.ranking import (
    BoardOrder,
    HandValue,
    SeatBoard,
    SeatDoorCard,
    ShowdownRanking,
    ShowdownToRank,
)
from services.orchestrator.domain.tournament_facts import NumberedEvent, TournamentEvent
from services.orchestrator.domain.wagering import (
    ActionKind,
    BettingOutcome,
    BettingState,
    Expired,
    Expiry,
    HandToBet,
    PotResult,
    Settled,
)
from shared.kernel.cards import Card
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.kernel.rules import CashRules, HandRules, RakeRules, RuleSet, Stakes
from shared.storage.requests import RequestKey


class ServiceAway(DomainError):  # noqa: N818  # read as a sentence: the service is away
    """A service does not answer; nothing is known to have changed, and asking again is safe. The table waits."""

    def __init__(self, service: str) -> None:
        """Keep which service it is, as in ``dealer``."""
        message = f"the {service} does not answer: ask again later"
        super().__init__(Reason.DEPENDENCY_UNAVAILABLE, message, {"service": service})
        self.service = service


class Clock(Protocol):
    """Time; virtual in tests."""

    def now(self) -> datetime:
        """This moment, aware, in UTC."""
        ...

    async def sleep_until(self, moment: datetime) -> None:
        """Return once the moment has come; at once where it has passed."""
        ...


class Dealer(Protocol):
    """The deck (rules 5, 84-91)."""

    async def open_hand(self, hand: HandToDeal) -> Commitment:
        """Prepare the deck of a hand and bind the dealer to it."""
        ...

    async def has_dealt(self, hand_id: str) -> bool:
        """Whether cards of a hand were dealt."""
        ...

    async def was_asked_for(self, hand_id: str) -> bool:
        """Whether a hand was ever prepared, by whatever orchestrator, and whatever became of it."""
        ...

    async def contribute_entropy(self, hand_id: str, seat: int, entropy: bytes) -> Commitment:
        """Add a seat's entropy before the deck is fixed."""
        ...

    async def fix_deck(self, hand_id: str) -> Commitment:
        """Fix the deck with the entropy that came so far."""
        ...

    async def deal_street(self, hand_id: str, street: Street, live_seats: Sequence[int]) -> StreetDeal:
        """Burn and deal one street to the live seats, in dealing order; asked again, the same cards come."""
        ...

    async def reveal_for_ranking(self, hand_id: str, seats: Sequence[int]) -> tuple[SeatHandCards, ...]:
        """All cards of live seats, for the comparison alone; the dealer records that they were given."""
        ...

    async def open_cards(self, hand_id: str, seats: Sequence[int]) -> OpenedCards:
        """Record that seats showed their hands."""
        ...

    async def get_openings(self, hand_id: str, seat: int) -> tuple[Opening, ...]:
        """A seat's own openings."""
        ...

    async def close_hand(self, hand_id: str) -> tuple[Opening, ...]:
        """End the hand; openings of all cards that everybody saw."""
        ...

    async def void_hand(self, hand_id: str, cause: str) -> None:
        """End a hand that cannot go on (rule 106)."""
        ...

    async def draw_lots(self, purpose: str, subject_id: str, entries: Sequence[str], step: str) -> Lots:
        """A random order of the entries; the same purpose, subject and step with the same entries draw once only."""
        ...

    async def scripted_decks(self) -> bool:
        """Was this dealer started with scripted decks allowed?"""
        ...


class Betting(Protocol):
    """The rules of wagering."""

    async def open_hand(self, hand: HandToBet) -> BettingOutcome:
        """Take the antes."""
        ...

    async def open_street(
        self, state: BettingState, street: Street, opening_order: Sequence[int], open_pair_seats: Sequence[int]
    ) -> BettingOutcome:
        """Open the betting of a street that was dealt."""
        ...

    async def act(self, state: BettingState, seat: int, kind: ActionKind, to_chips: int) -> BettingOutcome:
        """Apply an action exactly as asked, or raise the refusal."""
        ...

    async def expire(self, state: BettingState, expiry: Expiry) -> Expired:
        """Act for a seat whose clock ended or whose player is away."""
        ...

    async def settle(self, state: BettingState, results: Sequence[PotResult], rake: RakeRules | None) -> Settled:
        """Pay the pots."""
        ...

    def recall(self, opaque: bytes) -> BettingState:
        """The state again from the bytes that were stored."""
        ...


class Evaluator(Protocol):
    """Orders of boards and hands."""

    async def order_bring_in(self, door_cards: Sequence[SeatDoorCard], rules: HandRules) -> tuple[int, ...]:
        """All seats; the first owes the bring-in, the next ones in turn if it is declined (rules 23-27)."""
        ...

    async def order_boards(self, boards: Sequence[SeatBoard], common_card: Card | None, rules: HandRules) -> BoardOrder:
        """Who opens a street, and who shows a pair (rules 53, 79-81)."""
        ...

    async def evaluate(self, cards: Sequence[Card]) -> HandValue:
        """What a hand of 5 to 7 cards is worth (rules 117-122)."""
        ...

    async def rank_showdown(self, showdown: ShowdownToRank) -> ShowdownRanking:
        """Winners of each pot, order of showing, values (rules 107-125)."""
        ...


class Ledger(Protocol):
    """Money, chips and places: the truth between hands."""

    async def get_tournament(self, tournament_id: str) -> LedgerTournament:
        """A tournament as published and as it stands."""
        ...

    def list_tournaments(self, state: LedgerState) -> AsyncIterator[LedgerTournament]:
        """All tournaments in a state, newest first."""
        ...

    async def get_standings(self, tournament_id: str) -> tuple[Standing, ...]:
        """All entrants."""
        ...

    async def unregister(self, tournament_id: str, player_id: str, version: int) -> None:
        """Withdraw the registration seen at a version, the fee goes back; no error where it was withdrawn before."""
        ...

    async def cancel_tournament(self, tournament_id: str, cause: str, version: int) -> None:
        """Cancel with refund (rule 160), as it was seen at a version; VERSION_CONFLICT where it has changed since."""
        ...

    async def start_play(self, tournament_id: str, seats: Sequence[SeatAssignment], draw_id: str) -> LedgerState:
        """Registration ends, chips are issued, seats are recorded; CANCELLED where too few were left to play."""
        ...

    async def record_hand(self, hand: HandToBook) -> BookedHand:
        """Book a hand, once for each hand id."""
        ...

    async def open_sheet(
        self, tournament_id: str, table_id: str, hand_number: int, look: str, director_id: str = ""
    ) -> LedgerSheet:
        """Freeze purchases and say what the next hand starts from. A new ``look`` looks anew; the same one repeats."""
        ...

    async def open_cash_sheet(self, table_id: str, hand_number: int, table_version: int, look: str) -> LedgerSheet:
        """The same for a cash table at this version: what was bought since an earlier one is in it."""
        ...

    async def withdraw_sheet(
        self, tournament_id: str, table_id: str, hand_number: int, version: int, director_id: str
    ) -> None:
        """The hand is not dealt for now: nothing is frozen for it any more. No error where nothing was.

        VERSION_CONFLICT where the tournament has changed since it was seen at a version.
        """
        ...

    async def record_director(self, tournament_id: str, director_id: str, look: int) -> None:
        """From now on steps of another director are refused with VERSION_CONFLICT. Every ``look`` is a new request."""
        ...

    async def end_hand_for_hand_round(self, tournament_id: str, number: int, director_id: str) -> BookedRound:
        """Rank the exclusions of a round of hand for hand as those of one hand (rule 185)."""
        ...

    async def record_lots(
        self, tournament_id: str, table_id: str, drawn: Sequence[str], draw_id: str, director_id: str
    ) -> tuple[tuple[Placement, ...], Match]:
        """Record who of equal players reaches the next round (rule 156): places of the others, the match after it."""
        ...

    async def start_round(
        self, tournament_id: str, number: int, seats: Sequence[SeatAssignment], draw_id: str, director_id: str
    ) -> LedgerTournament:
        """Begin the next round of matches with these seats (rules 158, 205)."""
        ...

    async def record_level(self, tournament_id: str, level: int, round_number: int, director_id: str) -> None:
        """Record that a level began; levels begin anew with a round of matches, so that is told too."""
        ...

    async def record_move(
        self, tournament_id: str, to: SeatAssignment, draw_id: str, step: str, director_id: str
    ) -> None:
        """Record that a player changed seats; ``step`` tells this move from an equal one of another time."""
        ...

    async def open_cash_table(self, table_id: str, chip_value: Money, rules: CashRules) -> None:
        """Open the book of a cash table; opening it again with the same content is no error."""
        ...

    async def buy_in(
        self, table_id: str, player_id: str, seat: int, chips: int, cause_id: str, table_version: int = 0
    ) -> int:
        """Buy chips from the wallet; chips of the player at the table now. ``cause_id``: the caller's request id."""
        ...

    async def cash_out(self, table_id: str, player_id: str, cause_id: str) -> int:
        """Take all chips off the table into the wallet; the chips taken. ``cause_id``: what made the player leave."""
        ...

    def watch(self, tournament_id: str, after_version: int) -> AsyncIterator[NumberedFact]:
        """The facts of one tournament after a version, or with an empty id those of all from now on.

        Ends where the ledger ends the stream; ServiceAway where it breaks. Ask again in both cases.
        """
        ...


class TournamentLog(Protocol):
    """The director's own log, one stream a tournament."""

    async def read(self, tournament_id: str, after_version: int = 0) -> tuple[NumberedEvent, ...]:
        """Events after a version, oldest first, at most 1000: read again for more."""
        ...

    async def append(
        self,
        tournament_id: str,
        expected_version: int,
        events: Sequence[TournamentEvent],
        at: datetime,
        command: RequestKey | None = None,
    ) -> None:
        """Add events durably, and with them the command that caused them; WriteConflict where another was first."""
        ...

    async def note_connection(
        self, tournament_id: str, player_id: str, at: datetime, command: RequestKey, *, connected: bool
    ) -> None:
        """Remember durably, once for each command, whether an entrant is connected before play begins (rule 148)."""
        ...

    async def entrants_gone(self, tournament_id: str) -> frozenset[str]:
        """Entrants of whom it was said last that they are not connected."""
        ...

    async def note_start(self, tournament_id: str, command: RequestKey) -> None:
        """Remember durably who asked for the start, before the ledger is asked for it."""
        ...

    async def asked_start(self, tournament_id: str) -> RequestKey | None:
        """Who asked last for the start."""
        ...

    async def answered(self, command: RequestKey) -> int | None:
        """Version after a command that was carried out before; its refusal, or REQUEST_ID_REUSED for other content."""
        ...

    async def refuse(self, tournament_id: str, command: RequestKey, refusal: DomainError, at: datetime) -> None:
        """Remember durably that a command was refused; WriteConflict where it has an answer, or its start began."""
        ...


class TournamentWitness(Protocol):
    """Sees every event of a tournament after it was recorded; counts, never interferes."""

    def tournament_recorded(self, events: Sequence[NumberedEvent], players_left: int) -> None:
        """These events were added to the log of a tournament, which has so many players left."""
        ...


class TournamentTables(Protocol):
    """What the director asks of the tables: owned by ``application/tables.py``.

    None of these waits for a table to ask for its sheet: a table asks in a task of its own, which lives longer than the
    call it was started in (start it in an empty context, or it inherits the deadline of that call).
    """

    def tournament_of(self, table_id: str) -> str:
        """The tournament a table belongs to; empty for a cash table."""
        ...

    async def is_foreign(self, table_id: str, tournament_id: str) -> bool:
        """Is there a table of this id that is not this tournament's: a cash table, or another tournament's?"""
        ...

    async def open_tournament_table(
        self, table_id: str, name: str, tournament_id: str, rules: RuleSet, stakes: Stakes
    ) -> None:
        """Open a table that asks for its first sheet at once; one that this tournament has already stays as it is.

        ALREADY_EXISTS where the id is a foreign table's.
        Seats come with every sheet: who is new on it sits down, who is missing has left.
        """
        ...

    async def poke(self, table_id: str) -> None:
        """Look again: a table that waits between hands asks for its sheet now; any other goes on undisturbed."""
        ...

    async def close_table(self, table_id: str) -> None:
        """Close a table that is between hands; closing it again is no error."""
        ...

    async def hand_in_progress(self, table_id: str) -> bool:
        """Has the table a hand that is not booked yet?"""
        ...
