"""Between the hands of a cash table the ledger alone rules; a dealer that can be told its cards is not trusted."""

from collections.abc import Sequence
from typing import cast

import pytest

from services.orchestrator.application.dealer_check import DealerRefused, check_dealer
from services.orchestrator.application.referees import CashReferee, TournamentReferee
from services.orchestrator.domain.booking import BookedHand, HandResult, HandToBook, LedgerSeat, LedgerSheet
from services.orchestrator.domain.sheet import HandBooking, SheetState, WaitReason
from services.orchestrator.ports import Dealer, Ledger, ServiceAway
from services.orchestrator.settings import Settings
from shared.config.env import SettingsFault
from tests.support.tournament_floor import VirtualClock


class CashLedger:
    """Gives these chips, and remembers what it is told."""

    def __init__(self, *chips: int) -> None:
        self.chips = chips
        self.looks: list[str] = []
        self.booked: list[HandToBook] = []

    async def open_cash_sheet(self, table_id: str, hand_number: int, table_version: int, look: str) -> LedgerSheet:
        assert (table_id, hand_number, table_version) == ("cash-1", 7, 40)
        self.looks.append(look)
        seats = [
            LedgerSeat(seat=seat, player_id=f"p{seat}", chips=chips, reserve_chips=0, decides_until=None)
            for seat, chips in enumerate(self.chips, start=1)
        ]
        return LedgerSheet(seats=tuple(seats), level=0, stakes=None, state=None, players_left=0)

    async def record_hand(self, hand: HandToBook) -> BookedHand:
        self.booked.append(hand)
        return BookedHand(placements=(), state=None, players_left=0, deciding_player_ids=())


@pytest.mark.parametrize(
    ("chips", "state"),
    [((), SheetState.WAIT), ((50,), SheetState.WAIT), ((50, 0), SheetState.WAIT), ((5, 9), SheetState.GO_ON)],
)
async def test_a_cash_table_deals_where_two_players_have_chips(chips: Sequence[int], state: SheetState) -> None:
    referee = CashReferee(cast("Ledger", CashLedger(*chips)), VirtualClock())
    sheet = await referee.open_sheet("cash-1", 7, 40)
    assert sheet.state is state
    assert [seat.stack_chips for seat in sheet.seats] == list(chips)
    assert (sheet.wait is None) is (state is SheetState.GO_ON)
    if sheet.wait is not None:
        assert sheet.wait.reason is WaitReason.PLAYERS
    assert sheet.stakes is None


async def test_every_look_at_the_sheet_is_a_new_one() -> None:
    ledger = CashLedger(5, 9)
    referee = CashReferee(cast("Ledger", ledger), VirtualClock())
    await referee.open_sheet("cash-1", 7, 40)
    await referee.open_sheet("cash-1", 7, 40)
    assert len(set(ledger.looks)) == 2


async def test_a_hand_of_a_cash_table_is_booked_with_its_rake() -> None:
    ledger = CashLedger()
    results = (
        HandResult(player_id="a", before_chips=10, after_chips=18),
        HandResult(player_id="b", before_chips=10, after_chips=0),
    )
    booking = HandBooking(hand_id="h", hand_number=7, results=results, rake_chips=2)
    booked = await CashReferee(cast("Ledger", ledger), VirtualClock()).record_hand("cash-1", booking)
    assert (booked.placements, booked.state) == ((), None)
    assert [(each.tournament_id, each.rake_chips, each.results) for each in ledger.booked] == [("", 2, results)]


async def test_a_tournament_table_has_no_referee_before_the_director_is_there() -> None:
    with pytest.raises(RuntimeError, match="before the director"):
        await TournamentReferee().open_sheet("t.1", 1, 2)


class AskedDealer:
    """Does not answer for a while, then says what it is."""

    def __init__(self, *, scripted: bool, silent: int = 0) -> None:
        self.scripted = scripted
        self.silent = silent

    async def scripted_decks(self) -> bool:
        if self.silent:
            self.silent -= 1
            raise ServiceAway("dealer")
        return self.scripted


async def _check(dealer: AskedDealer, *, scripted_tables: bool) -> bool:
    return await check_dealer(
        cast("Dealer", dealer), VirtualClock(), scripted_tables=scripted_tables, patience_seconds=10.0
    )


async def test_a_dealer_with_scripted_decks_serves_no_real_table() -> None:
    with pytest.raises(DealerRefused, match="SCRIPTED_TABLES=allowed"):
        await _check(AskedDealer(scripted=True), scripted_tables=False)
    assert await _check(AskedDealer(scripted=True), scripted_tables=True)
    assert not await _check(AskedDealer(scripted=False), scripted_tables=False)


async def test_a_dealer_that_is_late_is_asked_again_and_one_that_never_comes_is_given_up() -> None:
    assert not await _check(AskedDealer(scripted=False, silent=5), scripted_tables=False)
    with pytest.raises(ServiceAway):
        await _check(AskedDealer(scripted=False, silent=1000), scripted_tables=False)


def test_the_settings_have_defaults_for_one_machine_and_name_every_fault_at_once() -> None:
    settings = Settings.from_env({})
    assert settings.dealer_target == "127.0.0.1:7101"
    assert (settings.server.listen, settings.scripted_tables) == ("127.0.0.1:7100", False)
    prefix = "SEVENSTUD_ORCHESTRATOR_"
    with pytest.raises(SettingsFault) as fault:
        Settings.from_env({f"{prefix}SCRIPTED_TABLES": "maybe", f"{prefix}CALL_SECONDS": "x", f"{prefix}TYPO": "1"})
    assert len(fault.value.faults) == 3
