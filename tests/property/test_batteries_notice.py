"""A battery that cannot fail proves nothing: faults planted in the rules are noticed by random hands."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from services.betting.domain import settlement
from services.betting.domain.pots import Pot, pots_of
from services.dealer.domain import streets
from services.evaluator.domain import showdown
from services.evaluator.domain.bring_in import SeatDoorCard
from shared.kernel.frozen import evolve
from tests.batteries.hands.__main__ import play_portion
from tests.batteries.second_opinion.__main__ import compare_portion


def _everybody_may_win(seats: Any) -> tuple[Pot, ...]:
    pots = pots_of(seats)
    most = pots[0].eligible_seats if pots else ()
    return tuple(Pot(index=pot.index, chips=pot.chips, eligible_seats=most) for pot in pots)


def _first_takes_all(chips: int, winners: tuple[int, ...], unit: int) -> tuple[settlement.PotShare, ...]:
    del unit
    return tuple(
        settlement.PotShare(seat=seat, chips=0 if at else chips, odd_chips=0) for at, seat in enumerate(winners)
    )


def _first_wins(pot: Any, contenders: Any, odd_chip: Any) -> showdown.PotWinners:
    del contenders, odd_chip
    return showdown.PotWinners(pot_index=pot.pot_index, winner_seats=pot.eligible_seats[:1])


FAULTS: dict[str, tuple[tuple[str, ...], Callable[..., object]]] = {
    "no cap on raises": (("legal.cap_reached",), lambda _: False),
    "uncalled chips stay": (("betting_round.uncalled_of",), lambda _: (0, 0)),
    "short all-ins win side pots": (("settlement.pots_of", "outcome.pots_of"), _everybody_may_win),
    "a split pot goes to one": (("settlement.split",), _first_takes_all),
    "the pots are paid twice": (("settlement._paid",), lambda seat, won: evolve(seat, stack_chips=2 * won)),
}


def planted(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    names, wrong = FAULTS[fault]
    for name in names:
        monkeypatch.setattr(f"services.betting.domain.{name}", wrong)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_the_rules_is_noticed_by_random_hands(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    planted(monkeypatch, fault)
    assert play_portion(range(120)).failed


def test_a_wrong_winner_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.evaluator.domain.showdown._winners", _first_wins)
    assert play_portion(range(20)).failed


def test_a_card_dealt_twice_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = streets.after_deal

    def forgetful(dealing: streets.Dealing, *rest: Any) -> streets.Dealing:
        after = whole(dealing, *rest)
        return after if dealing.given else replace(after, stub=dealing.stub)

    monkeypatch.setattr("tests.support.in_process_cards.after_deal", forgetful)
    assert play_portion(range(10)).failed


def test_a_wrong_opener_is_noticed_by_the_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    def by_position(doors: Sequence[SeatDoorCard], _: object) -> tuple[int, ...]:
        return tuple(door.seat for door in doors)

    monkeypatch.setattr("tests.support.table_services.order_bring_in", by_position)
    assert compare_portion(range(10)).differences


def test_a_wrong_unit_is_noticed_by_the_second_opinion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.betting.domain.limit.units_for", lambda state, _: (state.stakes.upper_limit_chips,))
    assert compare_portion(range(10)).differences
