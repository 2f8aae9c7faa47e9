"""Faults of waiting: for a service that is away, for a hand that is being prepared, for a seat in a tournament."""

import asyncio
from contextlib import AbstractContextManager
from typing import Any, Final
from unittest.mock import patch

import grpc

from services.orchestrator.adapters import remote
from services.orchestrator.application import start_hand, tournament_agreement
from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.driver import Driver
from services.orchestrator.application.tables import Tables
from services.orchestrator.application.tournament_start import _ENTERED, TournamentStart, _player_id
from services.orchestrator.domain import entropy, next_step
from services.orchestrator.domain.booking import EntrantState
from services.orchestrator.domain.outcomes import ChipsAdrift
from services.orchestrator.domain.table import Table
from shared.kernel.errors import Reason
from shared.rpc import client as rpc_client
from tests.sim.leanings import Leaning
from tests.sim.planted.fault import Fault, instead


def _gives_up() -> AbstractContextManager[object]:
    """A table whose service was away waits to be poked, and nobody pokes it."""

    async def stalled(self: Driver, service: str) -> Any:
        del self, service
        return next_step.Await()

    return patch.object(Driver, "_stall", stalled)


def _asleep() -> AbstractContextManager[object]:
    """After a restart tables come back only when somebody asks for them, and their clocks with them never."""
    find = Tables._find

    async def found(self: Tables, table_id: str) -> TableActor | None:
        with patch.object(Driver, "run", _never):
            return await find(self, table_id)

    return patch.object(Tables, "_find", found)


async def _never(self: Driver) -> None:
    del self
    await asyncio.Event().wait()


def _voids_on_outage() -> AbstractContextManager[object]:
    """As other rooms do: a hand whose service is away is void."""

    async def stalled(self: Driver, service: str) -> Any:
        hand = self._actor.table.hand
        if hand is not None and hand.in_play:
            return await self._failed(next_step.Await(), ChipsAdrift(f"{service} is away"))
        return self._later()

    return patch.object(Driver, "_stall", stalled)


# --- found in the product once ----------------------------------------------------------------


def _dealt_in(table: Table, player_id: str) -> bool:
    """Whoever is in the hand whose deck is being prepared may go, as if there was none."""
    return table.unbooked and table.hand is not None and table.hand.has(player_id)


async def _without_the_last(actor: TableActor, table: Table, hand: Any) -> Any:
    """The dealer is told of all entropy but the last."""
    dealer, call = actor.world.dealer, table.entropy
    commitment = await dealer.open_hand(hand)
    for each in call.added[:-1] if call is not None else ():
        commitment = await dealer.contribute_entropy(hand.hand_id, each.seat, each.entropy)
    return commitment if commitment.deck_root else await dealer.fix_deck(hand.hand_id)


async def _all_entrants(self: TournamentStart, announced: Any) -> Any:
    """A start that is done again draws seats for whoever is registered by now."""
    standings = await self._ledger.get_standings(announced.tournament_id)
    return sorted((each for each in standings if each.state in _ENTERED), key=_player_id)


def _only_who_is_nowhere(state: Any, standings: Any) -> tuple[str, ...]:
    """Who entered again before the log had the exclusion is in the old seat, as far as the log knows."""
    playing = (each for each in standings if each.state is EntrantState.PLAYING and not each.table_id)
    return tuple(sorted(each.player_id for each in playing if each.player_id not in state.players))


_ENTROPY: Final = Leaning(tournament=0, purchases=0, entropy=1)
_LATE: Final = Leaning(tournament=1, late=1)
FAULTS: Final = (
    Fault("gives_up", "a table that stalled never tries again", _gives_up),
    Fault("asleep", "tables are not driven after a restart", _asleep),
    Fault("voids_on_outage", "a hand is void when a service is away", _voids_on_outage),
    Fault(
        "garbled_voids",
        "a garbled connection taken for a fault of the service",
        instead(rpc_client, "_OF_THE_TRANSPORT", {grpc.StatusCode.RESOURCE_EXHAUSTED}),
        Leaning(purchases=0, sick=1),
    ),
    Fault(
        "busy_voids",
        "a hand is void when a service has too many calls for a while",
        instead(remote, "_NOT_NOW", {Reason.DEPENDENCY_UNAVAILABLE}),
        Leaning(purchases=0, sick=1),
    ),
    Fault(
        "entropy_late",
        "entropy taken when the time for it is over",
        instead(entropy, "waited_for", lambda *_: True),
        Leaning(tournament=0, purchases=0, entropy=1, deaf=1, deaf_rates=(0.4,), fussy=0),
    ),
    Fault(
        "entropy_lost",
        "the dealer is not told of all entropy",
        instead(start_hand, "_bound", _without_the_last),
        _ENTROPY,
    ),
    Fault(
        "left_while_prepared",
        "who is in the hand that is being prepared is paid out",
        instead(Table, "dealt_in", _dealt_in),
        Leaning(tournament=0, purchases=0, entropy=1, restless=1),
    ),
    Fault(
        "bought_while_prepared",
        "chips bought while the deck of the next hand is being prepared",
        instead(Table, "busy", property(lambda table: table.unbooked)),
        Leaning(tournament=0, purchases=0, entropy=1, restless=1),
        rare=True,
    ),
    Fault(
        "start_for_ever",
        "a start that is done again seats who entered since, and is refused for ever",
        instead(TournamentStart, "_entrants", _all_entrants),
        Leaning(tournament=1, late=1, deaf=1, deaf_rates=(0.3,)),
        rare=True,
    ),
    Fault(
        "entered_again_nowhere",
        "who enters again before the log has the exclusion gets no seat",
        instead(tournament_agreement, "unseated", _only_who_is_nowhere),
        _LATE,
        rare=True,
    ),
)
