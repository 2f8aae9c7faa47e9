"""Faults of a hand: its chips, its clocks, its cards, its turns."""

from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final
from unittest.mock import patch

from services.dealer.domain.answers import street_dealt
from services.orchestrator.adapters.betting_client import BettingClient
from services.orchestrator.application import end_hand
from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain import decisions, next_step, visibility
from services.orchestrator.domain.clocks import turn_ends
from services.orchestrator.domain.table import Table
from tests.sim.leanings import Leaning
from tests.sim.planted.fault import Fault, all_of


def _side_pot_lost() -> AbstractContextManager[object]:
    """After a restart the betting state comes back without what the last seat of the hand put in."""
    from sevenstud.betting.v1.betting_state_pb2 import BettingState as Message

    recall, restored = BettingClient.recall, Tables._restore

    def poorer(self: BettingClient, opaque: bytes) -> Any:
        state = Message.FromString(opaque)
        state.seats[-1].hand_chips = state.seats[-1].street_chips
        return recall(self, state.SerializeToString())

    def restore(self: Tables, table: TableActor, saved: Any) -> None:
        with patch.object(BettingClient, "recall", poorer):
            restored(self, table, saved)

    return patch.object(Tables, "_restore", restore)


def _clock_early() -> AbstractContextManager[object]:
    """The clock of a turn is taken for over two seconds before it is."""
    return patch.object(next_step, "turn_ends", lambda table, turn: turn_ends(table, turn) - timedelta(seconds=2))


def _clock_twice() -> AbstractContextManager[object]:
    """The clock that was set for one turn fires in whatever turn is open then."""
    rest, usual = TableActor.rest, next_step.next_step
    awaited: dict[TableActor, Any] = {}

    async def resting(self: TableActor, until: Any) -> None:
        awaited[self] = until
        await rest(self, until)

    def due(table: Table, now: Any) -> Any:
        step = usual(table, now)
        set_for = next((each for who, each in awaited.items() if who.table_id == table.table_id), None)
        if isinstance(step, next_step.Await) and table.hand and table.hand.turn and set_for and now > set_for:
            return next_step.ExpireTurn(table.hand.turn)
        return step

    return all_of(
        patch.object(TableActor, "rest", resting),
        patch.object(TableActor, "poke", lambda _: None),
        patch.object(next_step, "next_step", due),
    )


def _other_cards() -> AbstractContextManager[object]:
    """The dealer deals a street that it is asked for again from another place of the deck."""
    asked: set[tuple[str, int]] = set()

    def again(record: Any, secrets: Any, number: int) -> Any:
        found = street_dealt(record, secrets, number)
        key = (record.terms.hand_id, number)
        if key not in asked:
            asked.add(key)
            return found
        seats = tuple(replace(each, down_cards=each.down_cards[::-1], seat=each.seat) for each in found.dealt)
        swapped = [each.down_cards for each in seats]
        swapped = swapped[1:] + swapped[:1]
        return replace(found, dealt=tuple(replace(s, down_cards=c) for s, c in zip(seats, swapped, strict=True)))

    return patch("services.dealer.application.hands.street_dealt", again)


def _foreign_down_card() -> AbstractContextManager[object]:
    """Whoever is in the hand sees all down cards of it."""

    def sight(viewer: Any, hand: Any, down_cards: Any) -> Any:
        if hand is None or not hand.has(viewer.player_id):
            return visibility.BLIND
        return visibility.Sight(dict(down_cards))

    return all_of(
        patch("services.orchestrator.application.watching.sight_of", sight),
        patch("services.orchestrator.rpc.table_answers.sight_of", sight, create=True),
    )


def _acted_anyway() -> AbstractContextManager[object]:
    """An action is taken for the open turn, whichever turn it names."""
    return patch("services.orchestrator.application.play_commands.decisions", _CarelessDecisions())


class _CarelessDecisions:
    def open_turn(self, table: Table, player_id: str, turn_id: int) -> Any:
        del turn_id
        found = table.hand.turn if table.hand is not None else None
        return decisions.open_turn(table, player_id, found.turn_id if found is not None else 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(decisions, name)


def _card_unproved() -> AbstractContextManager[object]:
    """The proof of the last card that everybody saw is left out."""
    published = end_hand._published

    def fewer(openings: Any) -> Any:
        told = published(openings)
        return replace(told, openings=told.openings[:-1])

    return patch.object(end_hand, "_published", fewer)


FAULTS: Final = (
    Fault("side_pot_lost", "chips of the pots lost on recovery", _side_pot_lost),
    Fault("clock_early", "the clock fires two seconds early", _clock_early),
    Fault("clock_twice", "the clock of one turn fires in the next", _clock_twice, Leaning(purchases=0), rare=True),
    Fault("other_cards", "a street asked for again is dealt otherwise", _other_cards),
    Fault("foreign_down_card", "a view with the down cards of others", _foreign_down_card),
    Fault("acted_anyway", "a stale action is taken for the open turn", _acted_anyway, Leaning(purchases=0), rare=True),
    Fault("card_unproved", "a card without its proof among those that are published", _card_unproved),
)
