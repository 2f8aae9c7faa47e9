"""One random hand at the orchestrator's own table, and every byte that one viewer is sent of it."""

from dataclasses import dataclass, replace
from random import Random
from typing import cast

from sevenstud.orchestrator.v1 import table_event_pb2, table_pb2

from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream, derive
from services.dealer.domain.streets import COMMON_SEAT
from services.orchestrator.application import end_hand, play_hand
from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.driver import Driver
from services.orchestrator.application.feeds import Lobby
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.application.world import World
from services.orchestrator.domain import decisions
from services.orchestrator.domain.hand import Hand, OpenTurn
from services.orchestrator.domain.next_step import Await
from services.orchestrator.domain.phh import phh_text
from services.orchestrator.domain.sheet import Sheet, SheetSeat, SheetState
from services.orchestrator.domain.table_facts import PlayerSeated, Presence, TableOpened
from services.orchestrator.domain.table_views import view_table
from services.orchestrator.domain.visibility import Viewer, history_sight, sight_of, view_event
from services.orchestrator.ports import Dealer, Ledger
from shared.kernel.cards import FULL_DECK, Card
from shared.kernel.game import Mode
from shared.kernel.rules import SitOutPays
from shared.kernel.rules.presets import PRESETS
from shared.rpc.mirror import to_proto
from tests.batteries.hands.setups import Plan, plan_of
from tests.batteries.views.ports import GivenDeck, Kept, OneSheet, StillClock, Strict, betting, evaluator

BETTING, EVALUATOR = betting(), evaluator()
STEPS_MAX = 2000
OPEN_KINDS = {"hand_shown", "showdown_started"}
"""From here on what is sent depends, rightly, on cards that were hidden before."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What one viewer was sent."""

    items: tuple[tuple[str, bytes, bytes], ...]
    """Each event: its kind, its bytes, the bytes of the table after it."""
    history: bytes
    """The finished hand as the viewer finds it afterwards, its text in the Poker Hand History format included."""
    given: tuple[tuple[int, int, bool], ...]
    """Position in the deck, seat and whether it lies up, of every card dealt."""
    live_seats: frozenset[int]
    """Seats whose hands were compared or won uncontested."""

    def before_any_hand_is_shown(self) -> tuple[tuple[str, bytes, bytes], ...]:
        """The stream up to the first hand that is shown."""
        kinds = [kind for kind, _, _ in self.items]
        end = next((at for at, kind in enumerate(kinds) if kind in OPEN_KINDS), len(kinds))
        return self.items[:end]


def deck_of(plan: Plan) -> tuple[Card, ...]:
    """The deck of the hand of this number."""
    return shuffle(FULL_DECK, byte_stream(plan.setup.seed, b"deck"))


async def play(number: int, viewer_seat: int, deck: tuple[Card, ...]) -> Sent:
    """Play the hand of this number with this deck; ``viewer_seat`` 0: who sees what spectators see."""
    return await _Game(plan_of(number), viewer_seat, deck).play()


class _Game:
    """The table, its players, and one who watches."""

    def __init__(self, plan: Plan, viewer_seat: int, deck: tuple[Card, ...]) -> None:
        self._plan = plan
        self._rng = Random(f"views {plan.number}")
        self._viewer = Viewer(f"p{viewer_seat}" if viewer_seat else "")
        self._clock = StillClock()
        self._deck = GivenDeck(deck, derive(plan.setup.seed, b"", b"river"))
        self._mode = Mode.TOURNAMENT if plan.absent or plan.setup.rake is None else Mode.CASH
        self._actor = TableActor("t", self._world(), Lobby())
        self._items: list[tuple[str, bytes, bytes]] = []
        self._read = 0

    async def play(self) -> Sent:
        """To the end of the first hand."""
        await self._record(Change(facts=self._opening()))
        driver = Driver(self._actor)
        for _ in range(STEPS_MAX):
            rest = await driver._step()
            self._look()
            hand = self._actor.table.hand
            if hand is not None and hand.proved:
                return self._sent(hand)
            if rest is not None:
                await self._wait(rest)
        raise AssertionError("the hand does not end")

    async def _wait(self, rest: Await) -> None:
        """A player acts, or time goes on."""
        hand = self._actor.table.hand
        if hand is None or rest.until is None:
            raise AssertionError("the table waits for nothing")
        if hand.turn is not None and self._rng.random() < 0.93:
            await self._act(hand.turn)
        elif hand.turn is None and hand.undecided_seats and self._rng.random() < 0.5:
            await self._record(Change(facts=await end_hand.show(self._actor, hand, hand.undecided_seats[0])))
        else:
            self._clock.move_to(rest.until)

    async def _act(self, turn: OpenTurn) -> None:
        self._clock.move(0.25)
        table, chance = self._actor.table, self._rng.random()
        if chance < 0.04:
            seat = table.seat(turn.seat)
            lost = seat is None or not seat.disconnected
            await self._record(Change(facts=decisions.set_connection(table, turn.player_id, connected=not lost)))
            return
        if chance < 0.08:
            change = decisions.sit_out if chance < 0.06 else decisions.come_back
            await self._record(Change(facts=change(table, turn.player_id)))
            return
        choice = self._rng.choice(turn.legal.actions)
        to_chips = self._rng.choice(choice.to_chips_choices) if choice.to_chips_choices else choice.to_chips_min
        await self._record(await play_hand.act(self._actor, turn, choice.kind, to_chips))

    async def _record(self, change: Change) -> None:
        await self._actor.record(change)
        self._look()

    def _look(self) -> None:
        """What the viewer is sent since the last look."""
        actor = self._actor
        table = view_table(actor.table, sight_of(self._viewer, actor.table.hand, actor.down_cards))
        after = to_proto(table, table_pb2.TableView).SerializeToString()
        for happening in actor.feed.after(self._read) or ():
            self._read = happening.recorded.version
            sight = sight_of(self._viewer, happening.hand, happening.down_cards)
            event = to_proto(view_event(happening.recorded, sight), table_event_pb2.TableEvent)
            self._items.append((event.WhichOneof("event") or "", event.SerializeToString(), after))

    def _sent(self, hand: Hand) -> Sent:
        happenings = [each.recorded for each in self._actor.feed.after(0) or ()]
        mine = [each for each in happenings if each.hand_id == hand.hand_id]
        sight = history_sight(self._viewer, hand, self._actor.down_cards)
        events = [to_proto(view_event(each, sight), table_event_pb2.TableEvent).SerializeToString() for each in mine]
        given = self._deck.cards.dealing.given
        return Sent(
            items=tuple(self._items),
            history=b"".join((*events, phh_text(hand, mine, sight).encode())),
            given=tuple((each.position, each.seat, each.face_up or each.seat == COMMON_SEAT) for each in given),
            live_seats=frozenset(seat.seat for seat in hand.live),
        )

    def _world(self) -> World:
        setup = self._plan.setup
        sheet = Sheet(
            state=SheetState.GO_ON,
            seats=tuple(
                SheetSeat(seat=each.seat, player_id=f"p{each.seat}", stack_chips=each.stack_chips)
                for each in setup.stacks
            ),
            stakes=setup.stakes if self._mode is Mode.TOURNAMENT else None,
            level=1 if self._mode is Mode.TOURNAMENT else 0,
            last_two_of_event=setup.last_two_of_event,
        )
        return World(
            dealer=cast("Dealer", self._deck),
            betting=BETTING,
            evaluator=EVALUATOR,
            ledger=cast("Ledger", None),
            clock=self._clock,
            log=cast("TableLog", Kept()),
            between_hands={self._mode: OneSheet(sheet)},
            witness=Strict(),
            tables_max=1,
            scripted_allowed=False,
        )

    def _opening(self) -> tuple[TableOpened | PlayerSeated, ...]:
        setup, preset = self._plan.setup, PRESETS[self._plan.preset]
        rake = preset.cash.rake if setup.rake is None else setup.rake
        rules = replace(preset, hand=setup.rules, clock=setup.clock, cash=replace(preset.cash, rake=rake))
        opened = TableOpened(
            name="Table",
            mode=self._mode,
            tournament_id="",
            stakes=setup.stakes,
            rules=rules,
            scripted=False,
            level=1 if self._mode is Mode.TOURNAMENT else 0,
            decision_seconds=0,
            hands_max=0,
            scripted_hands=(),
        )
        dealt_in = setup.clock.sit_out_pays is not SitOutPays.NOTHING
        away = self._plan.absent if dealt_in else frozenset[int]()
        seats = (
            PlayerSeated(
                seat=each.seat,
                player_id=f"p{each.seat}",
                stack_chips=each.stack_chips,
                presence=Presence.SITTING_OUT if each.seat in away else Presence.PLAYING,
                auto_ante=True,
                time_bank_seconds=setup.clock.time_bank_seconds,
                protections_used=0,
            )
            for each in setup.stacks
        )
        return (opened, *seats)
