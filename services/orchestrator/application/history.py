"""Finished hands: read from the log, with the dealer asked again for the cards that the viewer may see."""

from dataclasses import dataclass, replace

from services.orchestrator.application.down_cards import ask_again, cards_to_show, opened_down_cards
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain.asking import check_may_see
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.fold import apply, fold
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.hand_facts import CardOpening, StreetDealt
from services.orchestrator.domain.refusals import hand_in_progress
from services.orchestrator.domain.showing import is_sealed
from services.orchestrator.domain.views import HandSummary
from services.orchestrator.domain.visibility import BLIND, DownCards, Sight, Viewer, history_sight, sight_of
from shared.kernel.cards import Card
from shared.kernel.errors import not_found
from shared.kernel.rules import MuckedInHistory


@dataclass(frozen=True, slots=True)
class PlayedHand:
    """A finished hand as its log has it."""

    table_id: str
    hand: Hand
    events: tuple[Recorded, ...]


_WHERE = "ListHands gives the finished hands of a table; who watches it has the id in every event of a hand"


class History:
    """GetHand, ListHands, AskToSee."""

    def __init__(self, tables: Tables) -> None:
        """Of these tables."""
        self._tables = tables
        self._log = tables.world.log

    async def hand(self, hand_id: str) -> PlayedHand:
        """A finished hand; NOT_FOUND, or HAND_IN_PROGRESS while it is played."""
        found = await self._log.hand(hand_id)
        if found is None:
            for table in self._tables.in_hand(hand_id):
                raise hand_in_progress(table)
            raise not_found("hand", hand_id, _WHERE)
        line = found.summary
        opening = await self._log.events(found.table_id, 0, 1)
        table = replace(fold(None, opening), version=line.first_version - 1)
        events = await self._log.events(
            found.table_id, line.first_version - 1, line.last_version - line.first_version + 1
        )
        for event in events:
            table = apply(table, event)
        if table.hand is None:
            raise not_found("hand", hand_id, _WHERE)
        return PlayedHand(found.table_id, table.hand, tuple(event for event in events if event.hand_id == hand_id))

    async def hands(self, table_id: str, before_number: int, limit: int) -> tuple[HandSummary, ...]:
        """A page of finished hands, newest first."""
        await self._tables.actor(table_id)
        return await self._log.hands(table_id, before_number, limit)

    async def sight(self, played: PlayedHand, viewer: Viewer) -> Sight:
        """What a viewer sees of a finished hand; the dealer is asked only for those who were dealt in."""
        if not played.hand.has(viewer.player_id):
            return BLIND
        down_cards = await self._with_mucked(played, viewer, await self._down_cards(played))
        return history_sight(viewer, played.hand, down_cards)

    async def _with_mucked(self, played: PlayedHand, viewer: Viewer, down_cards: DownCards) -> DownCards:
        """Hands of others that came sealed and were beaten at the showdown, in clear where the rules give them.

        The viewer's own stay sealed, here as during the hand: only the player's key tells them, or ``own_openings``.
        """
        if played.hand.rules.mucked_in_history is not MuckedInHistory.PLAYERS_OF_HAND:
            return down_cards
        clear = dict(down_cards)
        for seat in played.hand.seats:
            if seat.mucked and seat.player_id != viewer.player_id and is_sealed(seat, down_cards):
                clear |= await opened_down_cards(self._tables.world.dealer, played.hand.hand_id, seat.seat)
        return clear

    async def own_sight(self, played: PlayedHand, viewer: Viewer) -> Sight:
        """What a viewer saw while the hand was played: the own cards alone."""
        if not played.hand.has(viewer.player_id):
            return BLIND
        return sight_of(viewer, played.hand, await self._down_cards(played))

    async def own_openings(self, played: PlayedHand, viewer: Viewer) -> tuple[CardOpening, ...]:
        """The proofs of the viewer's own cards; none for who was not dealt in."""
        seat = next((each.seat for each in played.hand.seats if each.player_id == viewer.player_id), None)
        if seat is None:
            return ()
        openings = await self._tables.world.dealer.get_openings(played.hand.hand_id, seat)
        return tuple(
            CardOpening(position=each.position, card=each.card, salt=each.salt, path=each.path, seat=each.seat)
            for each in openings
        )

    async def _down_cards(self, played: PlayedHand) -> DownCards:
        dealt = [event.fact for event in played.events if isinstance(event.fact, StreetDealt)]
        return await ask_again(self._tables.world.dealer, played.hand.hand_id, dealt)

    async def ask_to_see(self, hand_id: str, player_id: str, seat: int) -> tuple[Card, ...]:
        """A mucked hand for a player who may ask for it (rules 114-115); every disclosure is witnessed."""
        played = await self.hand(hand_id)
        check_may_see(played.hand, (event.fact for event in played.events), player_id, seat)
        down_cards = await self._down_cards(played)
        self._tables.world.witness.disclosed(hand_id, player_id, seat)
        dealer = self._tables.world.dealer
        return await cards_to_show(dealer, hand_id, played.hand.seat(seat), down_cards)
