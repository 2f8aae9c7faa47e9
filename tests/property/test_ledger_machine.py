"""Random use of the ledger over gRPC: nothing is ever made or lost, whatever is asked and however often (rows L1, L2).

After every operation each unit sums to zero and no wallet is below zero; every request is sent three times and answered
alike; every refusal has a reason. In the end the chains are whole and the journal folds to the state that is kept.
"""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)
from sevenstud.common.v1.rules_pb2 import (
    AddOnTerms,
    DoubleChanceTerms,
    Level,
    RebuyTerms,
    RuleSet,
    Stakes,
    TournamentRules,
)
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.adapters.reports import StoredReports
from services.tournament_ledger.domain.canonical import from_text
from services.tournament_ledger.domain.facts import KNOWN
from services.tournament_ledger.domain.fold import fold
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.support.ledger_house import TABLE, Ledger, announcement, card_room_cash, euro, fresh, ledger

PLAYERS = ("ann", "bob", "cid", "dan")
CASH_TABLE = "cash-1"
EVENT = "event-1"
OUTCOMES: Counter[tuple[str, str]] = Counter()
"""What was asked and what came of it, over all examples."""
AMOUNTS = st.one_of(st.sampled_from([0, -1, 1, 2**53, 2**63 - 1, 1000, 100_000]), st.integers(1, 200_000))
RULES = RuleSet(
    tournament=TournamentRules(
        starting_stack_chips=100,
        rebuy=RebuyTerms(max_count=3, last_level=3, window_seconds=30),
        add_on=AddOnTerms(offered=True, price_max_minor=1000, last_level=4),
        double_chance=DoubleChanceTerms(offered=True, last_level=2),
    )
)
STAKES = Stakes(ante_chips=1, bring_in_chips=1, lower_limit_chips=2, upper_limit_chips=4)
RULES.tournament.levels.extend([Level(stakes=STAKES, level_seconds=60, level_hands=3, decision_seconds=0)] * 5)


OPERATIONS: list[tuple[str, st.SearchStrategy[dict[str, Any]]]] = []
Method = Callable[..., None]


def operation(**arguments: st.SearchStrategy[Any]) -> Callable[[Method], Method]:
    """Something that may be done at any time."""

    def mark(method: Method) -> Method:
        OPERATIONS.append((method.__name__, st.fixed_dictionaries(arguments)))
        return method

    return mark


class LedgerMachine(RuleBasedStateMachine):
    """A lobby, an orchestrator and players who do anything at any time."""

    house: Ledger
    data: st.DataObject

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.stack = AsyncExitStack()
        self.folder = tempfile.TemporaryDirectory()
        self.hand_numbers = {"": 1, EVENT: 1}
        self.holds = ["none"]

    def run(self, work: Any) -> Any:
        return self.runner.run(work)

    @initialize(filled=st.sampled_from([True, True, True, False]))
    def open_the_house(self, *, filled: bool) -> None:
        async def work() -> Ledger:
            return await self.stack.enter_async_context(ledger(Path(self.folder.name)))

        self.house = self.run(work())
        for player_id in PLAYERS:
            self.run(self.house.player(player_id, 100_000))
        self.send(
            self.house.backend.AnnounceTournament,
            pb.AnnounceTournamentRequest(
                request_id=fresh(), tournament_id=EVENT, announcement=announcement(RULES, entrants_max=4)
            ),
        )
        opening = pb.OpenCashTableRequest(
            request_id=fresh(), table_id=CASH_TABLE, chip_value=euro(10), rules=card_room_cash()
        )
        self.send(self.house.service.OpenCashTable, opening)
        if filled:
            self.fill()

    def fill(self) -> None:
        """Everybody registers and buys in, and play begins."""
        for player_id in PLAYERS:
            register = pb.RegisterRequest(request_id=fresh(), tournament_id=EVENT, player_id=player_id)
            self.send(self.house.backend.Register, register)
            self.send(self.house.service.BuyIn, buy_in_request(player_id, 0))
        self.send(self.house.service.StartPlay, self.start_request())

    def send(self, call: Any, request: Message) -> Any:
        """Twice, at once and again: answered alike, or refused with the same reason."""

        async def once() -> Message | Reason:
            try:
                answer: Message = await call(request)
            except grpc.aio.AioRpcError as error:
                return unpack_error(error).reason or Reason.INTERNAL
            return answer

        async def work() -> list[Message | Reason]:
            return [*await asyncio.gather(once(), once()), await once()]

        answers = self.run(work())
        first = answers[0]
        assert first is not Reason.INTERNAL
        assert answers == [first] * 3
        name = type(request).__name__.removesuffix("Request")
        OUTCOMES[name, first.value if isinstance(first, Reason) else "done"] += 1
        return first

    @rule(data=st.data())
    def somebody_does_something(self, data: st.DataObject) -> None:
        """Drawn by ourselves: every operation is as likely as the others in every run."""
        self.data = data
        name, arguments = data.draw(st.sampled_from(OPERATIONS))
        getattr(self, name)(**data.draw(arguments))

    # --- money ------------------------------------------------------------------------------

    @operation(player_id=st.sampled_from(PLAYERS), amount=AMOUNTS)
    def deposit(self, player_id: str, amount: int) -> None:
        request = pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(amount))
        self.send(self.house.backend.Deposit, request)

    @operation(player_id=st.sampled_from(PLAYERS), amount=AMOUNTS)
    def withdraw(self, player_id: str, amount: int) -> None:
        request = pb.WithdrawRequest(request_id=fresh(), player_id=player_id, amount=euro(amount))
        self.send(self.house.backend.Withdraw, request)

    @operation(player_id=st.sampled_from(PLAYERS), amount=AMOUNTS, seconds=st.integers(1, 60))
    def place_hold(self, player_id: str, amount: int, seconds: int) -> None:
        lasts = Duration(seconds=seconds)
        request = pb.PlaceHoldRequest(request_id=fresh(), player_id=player_id, amount=euro(amount), lasts=lasts)
        answer = self.send(self.house.backend.PlaceHold, request)
        if isinstance(answer, pb.PlaceHoldResponse):
            self.holds.append(answer.hold_id)

    @operation(post=st.booleans())
    def resolve_hold(self, *, post: bool) -> None:
        hold_id = self.data.draw(st.sampled_from(self.holds[::-1]))
        if post:
            self.send(self.house.backend.PostHold, pb.PostHoldRequest(request_id=fresh(), hold_id=hold_id))
        else:
            self.send(self.house.backend.VoidHold, pb.VoidHoldRequest(request_id=fresh(), hold_id=hold_id))

    @operation(seconds=st.integers(0, 40))
    def time_passes(self, seconds: int) -> None:
        self.house.clock.pass_seconds(seconds)
        self.run(self.house.chores.expire_holds())
        self.run(self.house.chores.close_windows())

    # --- the tournament ---------------------------------------------------------------------

    @operation(player_id=st.sampled_from(PLAYERS), inwards=st.sampled_from([True, True, True, False]))
    def register(self, player_id: str, *, inwards: bool) -> None:
        if inwards:
            request = pb.RegisterRequest(request_id=fresh(), tournament_id=EVENT, player_id=player_id)
            self.send(self.house.backend.Register, request)
        else:
            out = pb.UnregisterRequest(request_id=fresh(), tournament_id=EVENT, player_id=player_id)
            self.send(self.house.backend.Unregister, out)

    @operation()
    def start(self) -> None:
        self.send(self.house.service.StartPlay, self.start_request())

    def start_request(self) -> pb.StartPlayRequest:
        lines = self.run(self.house.standings(EVENT))
        seats = [
            pb.SeatAssignment(player_id=each.player_id, table_id=TABLE, seat=seat)
            for seat, each in enumerate((each for each in lines.values() if each.state == 1), start=1)
        ]
        return pb.StartPlayRequest(request_id=fresh(), tournament_id=EVENT, seats=seats, draw_id="draw")

    @operation(player_id=st.sampled_from(PLAYERS))
    def rebuy(self, player_id: str) -> None:
        request = pb.RebuyRequest(request_id=fresh(), tournament_id=EVENT, player_id=player_id)
        self.send(self.house.backend.Rebuy, request)

    @operation(player_id=st.sampled_from(PLAYERS), price=st.sampled_from([500, 1000, 1050, 75, -1]))
    def buy_add_on(self, player_id: str, price: int) -> None:
        request = pb.BuyAddOnRequest(request_id=fresh(), tournament_id=EVENT, player_id=player_id, price=euro(price))
        self.send(self.house.backend.BuyAddOn, request)

    @operation(step=st.sampled_from([1, 1, 1, 0, 2]))
    def begin_level(self, step: int) -> None:
        level = self.run(self.house.tournament(EVENT)).level + step
        request = pb.RecordLevelRequest(request_id=fresh(), tournament_id=EVENT, level=max(level, 1))
        self.send(self.house.service.RecordLevel, request)

    @operation(really=st.sampled_from([False] * 9 + [True]))
    def cancel(self, *, really: bool) -> None:
        if really:
            request = pb.CancelTournamentRequest(request_id=fresh(), tournament_id=EVENT, cause="rain")
            self.send(self.house.operator.CancelTournament, request)

    # --- cash -------------------------------------------------------------------------------

    @operation(player_id=st.sampled_from(PLAYERS), extra=st.sampled_from([0, 0, 0, 1, 10**15 - 1000]))
    def buy_in(self, player_id: str, extra: int) -> None:
        self.send(self.house.service.BuyIn, buy_in_request(player_id, extra))

    @operation(player_id=st.sampled_from(PLAYERS))
    def cash_out(self, player_id: str) -> None:
        request = pb.CashOutRequest(request_id=fresh(), table_id=CASH_TABLE, player_id=player_id)
        self.send(self.house.service.CashOut, request)

    # --- hands ------------------------------------------------------------------------------

    @operation(event_id=st.sampled_from([EVENT, EVENT, ""]), hands=st.integers(1, 4))
    def play(self, event_id: str, hands: int) -> None:
        for _ in range(hands):
            self.play_a_hand(event_id)
        if event_id:
            for player_id in PLAYERS:
                self.rebuy(player_id)

    def play_a_hand(self, event_id: str) -> None:
        all_in, extra = self.data.draw(st.booleans()), self.data.draw(st.sampled_from([0, 0, 0, 0, 1, -1]))
        number = self.hand_numbers[event_id]
        table_id = TABLE if event_id else CASH_TABLE
        opening = pb.OpenSheetRequest(request_id=fresh(), tournament_id=event_id, table_id=table_id, hand_number=number)
        sheet = self.send(self.house.service.OpenSheet, opening)
        if isinstance(sheet, Reason):
            return
        dealt = [seat for seat in sheet.seats if seat.chips]
        if len(dealt) < 2:
            return
        winner = self.data.draw(st.sampled_from(dealt)).player_id
        rake = self.data.draw(st.sampled_from([0, 1])) if not event_id else 0
        after = {seat.player_id: 0 if all_in else self.data.draw(st.integers(0, seat.chips)) for seat in dealt}
        lost = sum(seat.chips for seat in dealt) - sum(after.values())
        rake = min(rake, lost)
        after[winner] = max(after[winner] + lost - rake + extra, 0)
        request = pb.RecordHandRequest(
            request_id=fresh(),
            hand_id=fresh(),
            tournament_id=event_id,
            table_id=table_id,
            hand_number=number,
            results=[
                pb.HandResult(player_id=each.player_id, before_chips=each.chips, after_chips=after[each.player_id])
                for each in dealt
            ],
            rake_chips=rake,
        )
        if isinstance(self.send(self.house.service.RecordHand, request), pb.RecordHandResponse):
            self.hand_numbers[event_id] += 1

    # --- what always holds ------------------------------------------------------------------

    @invariant()
    def nothing_is_made_or_lost(self) -> None:
        if not hasattr(self, "house"):
            return
        read = self.house.store.read
        assert not self.run(read("SELECT unit FROM ledger_accounts GROUP BY unit HAVING SUM(balance) <> 0"))
        allowed = "('OUTSIDE', 'GUARANTEE', 'CHIPS_ISSUED')"
        assert not self.run(read(f"SELECT 1 FROM ledger_accounts WHERE balance < 0 AND kind NOT IN {allowed}"))  # noqa: S608 - a constant
        event_now = self.run(self.house.tournament(EVENT))
        lines = self.run(self.house.standings(EVENT)).values()
        assert event_now.chips_total == sum(each.chips + each.reserve_chips for each in lines)
        placed = sorted((each.place for each in lines if each.place), reverse=True)
        last = event_now.entrants - len(placed) + 1
        assert not placed or placed[-1] >= last, "the best place given leaves one for everybody still in"

    def teardown(self) -> None:
        try:
            if hasattr(self, "house"):
                self.run(self.house.sound())
                self.run(self.journal_tells_the_state())
        finally:
            self.run(self.stack.aclose())
            self.runner.close()
            self.folder.cleanup()

    async def journal_tells_the_state(self) -> None:
        entries = await StoredReports(self.house.store).entries(f"tournament:{EVENT}", 0, 10_000)
        kept = await StoredBooks(self.house.store).tournament(EVENT)
        assert kept == fold((each.at, from_text(each.subject, KNOWN)) for each in entries)
        if kept is not None and kept.finished_at is not None and kept.state.value == "FINISHED":
            assert sum(each.prize_minor for each in kept.entrants.values()) == kept.fund_minor
            assert kept.fund_minor == kept.paid_minor


def buy_in_request(player_id: str, extra: int) -> pb.BuyInRequest:
    return pb.BuyInRequest(
        request_id=fresh(),
        table_id=CASH_TABLE,
        player_id=player_id,
        chips=card_room_cash().buy_in_min_chips + extra,
        seat=PLAYERS.index(player_id) + 1,
    )


NEEDED = (
    ("Deposit", "done"),
    ("Deposit", "REQUEST_INVALID"),
    ("Withdraw", "FUNDS_INSUFFICIENT"),
    ("StartPlay", "done"),
    ("RecordHand", "done"),
    ("RecordHand", "CHIPS_NOT_CONSERVED"),
    ("RecordLevel", "OUT_OF_STEP"),
    ("Rebuy", "done"),
    ("Rebuy", "REBUY_NOT_ALLOWED"),
    ("BuyAddOn", "done"),
    ("BuyAddOn", "ADD_ON_NOT_ALLOWED"),
    ("BuyIn", "BUY_IN_NOT_ALLOWED"),
    ("CashOut", "done"),
    ("CashOut", "NOT_SEATED"),
)
"""What random use must have reached, or the test proves little (row L14)."""


def test_whatever_is_asked_of_the_ledger_nothing_is_made_or_lost() -> None:
    OUTCOMES.clear()
    limits = settings(
        max_examples=20,
        stateful_step_count=50,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
    )
    run_state_machine_as_test(LedgerMachine, settings=limits)
    missing = [each for each in NEEDED if not OUTCOMES[each]]
    assert not missing, OUTCOMES
    done = sum(count for (_, outcome), count in OUTCOMES.items() if outcome == "done")
    assert 0.2 < done / OUTCOMES.total() < 0.8
