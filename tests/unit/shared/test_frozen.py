"""Frozen values made and changed quickly are values like any other."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from shared.kernel.frozen import evolve, evolver, has_twin, maker, twin_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    number: int
    chips: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSeat(Seat):
    name: str = "nobody"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSeat:
    number: int

    def __post_init__(self) -> None:
        if self.number < 1:
            raise ValueError("seats are numbered from 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    cards: list[int] = field(default_factory=list[int])


@pytest.mark.parametrize("seat", [Seat(number=1, chips=5), NamedSeat(number=1, chips=5, name="ann")])
def test_a_changed_value_is_what_replace_would_make(seat: Seat) -> None:
    changed = evolve(seat, chips=7)
    assert changed == replace(seat, chips=7)
    assert type(changed) is type(seat)
    assert hash(changed) == hash(replace(seat, chips=7))
    assert seat.chips == 5


def test_a_changed_value_is_frozen() -> None:
    seat = evolve(NamedSeat(number=1), chips=7)
    with pytest.raises(FrozenInstanceError):
        seat.chips = 9  # type: ignore[misc]  # that it cannot be is the point


def test_a_field_that_is_not_there_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        evolve(Seat(number=1), chip=7)


def test_a_value_whose_class_checks_itself_is_checked_when_changed() -> None:
    assert evolve(CheckedSeat(number=1), number=2) == CheckedSeat(number=2)
    with pytest.raises(ValueError, match="from 1"):
        evolve(CheckedSeat(number=1), number=0)


def test_a_maker_makes_what_the_constructor_makes() -> None:
    make = maker(Seat)
    assert make(number=3) == Seat(number=3)
    assert make(number=3, chips=4) == Seat(number=3, chips=4)
    with pytest.raises(FrozenInstanceError):
        make(number=3).chips = 9  # type: ignore[misc]  # that it cannot be is the point
    with pytest.raises(TypeError):
        make()  # type: ignore[call-arg]  # the number is missing


def test_no_maker_where_checks_or_fresh_defaults_would_be_skipped() -> None:
    assert not has_twin(CheckedSeat)
    with pytest.raises(TypeError):
        twin_of(CheckedSeat)
    with pytest.raises(TypeError):
        maker(Hand)


def test_an_evolver_changes_its_fields_and_no_other() -> None:
    move = evolver(NamedSeat, "chips")
    moved = move(NamedSeat(number=2, name="ann"), chips=9)
    assert moved == NamedSeat(number=2, chips=9, name="ann")
    with pytest.raises(FrozenInstanceError):
        moved.chips = 1  # type: ignore[misc]  # that it cannot be is the point
    with pytest.raises(TypeError):
        evolver(NamedSeat, "stack")
